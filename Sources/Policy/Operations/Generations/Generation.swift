package import Platform
package import PropertyList

/// The sources of policy as they lay in the administrator's directory at one moment, byte for byte.
package struct Generation: Hashable, Sendable {
    /// What lay under one name.
    package struct Entry: Hashable, Sendable {
        /// The digest of the bytes as they were; `nil` for a link that switches a file off, and for what could not be
        /// trusted, of which nothing is ever written back.
        package var bytes: Digest?
        /// The digest of what was in force of the file; `nil` where nothing was.
        package var inForce: Digest?
        /// Whether the signature of what was in force had been found to be good.
        package var isSigned = false
        /// Where the link led that the name was; `nil` for a file.
        package var link: String?

        /// Whether it is a link that switches a file of `/run` off.
        package var isMask: Bool { link == "/dev/null" }

        /// The digest of what a rollback writes: the file as it was, or what was in force of it if it was not trusted.
        var restored: Digest? { bytes ?? inForce }
    }

    /// What differs from the generation before.
    package struct Change: Hashable, Sendable {
        /// What happened to a name.
        package enum Kind: String, Hashable, Sendable {
            /// It came.
            case added
            /// Its bytes, or where it leads, are others.
            case changed
            /// It went.
            case removed
        }

        /// What happened.
        package let kind: Kind
        /// The name.
        package let name: Key
    }

    /// The number, counted from 1.
    package var number: Int
    /// When it was recorded.
    package var time: Timestamp
    /// Who recorded it.
    package var uid: UInt32
    /// Who had logged in; `nil` where nobody had.
    package var loginUID: UInt32?
    /// Why it was recorded, in words.
    package var note: String
    /// The policy files, their signatures and the links that switch files off, by name.
    package var entries: [Key: Entry]
    /// What differs from the generation before.
    package var changes: [Change]

    /// What says whether two generations are the same: a digest over names, bytes and what was in force.
    package var digest: Digest { SHA256.hash(Array(entryLines.joined(separator: "\n").utf8)) }

    /// The digests of everything that is kept for it.
    var objects: Set<Digest> {
        Set(entries.values.flatMap { [$0.bytes, $0.inForce].compactMap { $0 } })
    }

    /// What the note of a rollback begins with, before the number of the generation that it put in place.
    static let rollbackNote = "rollback to generation "

    /// The generation that this one put back in place; `nil` for one that is no rollback.
    var rollbackTarget: Int? {
        let start = Generation.rollbackNote.utf8
        guard note.utf8.starts(with: start) else { return nil }
        // Never a later one, so that whoever goes from one to the next comes to an end.
        return Int(String(Substring(note.utf8.dropFirst(start.count)))).flatMap { $0 < number ? $0 : nil }
    }

    /// What differs from an earlier generation, in byte order of the names.
    func changes(since earlier: Generation?) -> [Change] {
        let before = earlier?.entries ?? [:]
        return Set(entries.keys).union(before.keys).sorted().compactMap { name in
            switch (before[name], entries[name]) {
            case (nil, _?): Change(kind: .added, name: name)
            case (_?, nil): Change(kind: .removed, name: name)
            case (let one, let other): one == other ? nil : Change(kind: .changed, name: name)
            }
        }
    }
}
