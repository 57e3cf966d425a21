package import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
package import MDPropertyList
import MDTools

/// The policy files of the administrator's directory at one moment, byte for byte.
package struct Generation: Hashable, Sendable {
    /// The state of one name.
    package struct Entry: Hashable, Sendable {
        /// The digest of the bytes; `nil` for a link that switches a file off and for an untrusted file, which is never
        /// written back.
        package var bytes: Digest?
        /// The digest of the effective content; `nil` if there was none.
        package var inForce: Digest?
        /// Whether the effective content had a good signature.
        package var isSigned = false
        /// The target of a link; `nil` for a file.
        package var link: String?

        /// Whether it is a link to `/dev/null`, which switches a file of `/run` off.
        package var isMask: Bool { link == "/dev/null" }

        /// The digest of the content that a rollback writes: the file as it was, or its effective content if it was not
        /// trusted.
        var restored: Digest? { bytes ?? inForce }
    }

    /// The differences from the previous generation.
    package struct Change: Hashable, Sendable {
        /// A kind of change.
        package enum Kind: String, Hashable, Sendable {
            /// The name is new.
            case added
            /// Its bytes or its link target changed.
            case changed
            /// The name is gone.
            case removed
        }

        package let kind: Kind
        package let name: Key
    }

    /// The number, counted from 1.
    package var number: Int
    /// The time of recording.
    package var time: Timestamp
    /// The user who recorded it.
    package var uid: UInt32
    /// The user who had logged in; `nil` if unknown.
    package var loginUID: UInt32?
    /// The reason for recording it, in words.
    package var note: String
    /// The policy files, their signatures and the links that switch files off, by name.
    package var entries: [Key: Entry]
    /// The differences from the previous generation.
    package var changes: [Change]

    /// A digest over names, bytes and effective content; it is equal for equal generations.
    package var digest: Digest { SHA256.hash(Array(entryLines.joined(separator: "\n").utf8)) }

    /// The digests of all its stored bytes.
    var objects: Set<Digest> {
        Set(entries.values.flatMap { [$0.bytes, $0.inForce].compactMap { $0 } })
    }

    /// The beginning of the note of a rollback; the number of the restored generation follows.
    static let rollbackNote = "rollback to generation "

    /// The generation that this one restored; `nil` if it is not a rollback.
    var rollbackTarget: Int? {
        let start = Generation.rollbackNote.utf8
        guard note.utf8.starts(with: start) else { return nil }
        // Only earlier generations count, so that following these numbers ends.
        return Int(String(Substring(note.utf8.dropFirst(start.count)))).flatMap { $0 < number ? $0 : nil }
    }

    /// The differences from an earlier generation, in byte order of the names.
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

extension Generation {
    /// The first line of a manifest; the number at its end grows with every change of the format.
    private static let header = "managed-defaults generation 1"
    /// The largest manifest that is read, in bytes: 20,000 names.
    static let sizeLimit = 8 << 20

    /// The fields of each entry in the manifest, in byte order of the names.
    private var entryFields: [[String]] {
        entries.sorted { $0.key < $1.key }.map { name, entry in
            [
                "entry", ChecksummedLines.escape(name.string), entry.bytes?.hex ?? "-", entry.inForce?.hex ?? "-",
                entry.link.map(ChecksummedLines.escape) ?? "-", entry.isSigned ? "signed" : "-",
            ]
        }
    }

    /// The lines of the entries in the manifest.
    var entryLines: [String] { entryFields.map { $0.joined(separator: " ") } }

    /// The manifest as text.
    func encoded() -> [UInt8] {
        var lines = ChecksummedLines(header: Generation.header)
        lines.add("number", "\(number)")
        lines.add("time", "\(time.microseconds)")
        lines.add("uid", "\(uid)")
        lines.add("login", loginUID.map(String.init) ?? "-")
        lines.add("note", ChecksummedLines.escape(note))
        for fields in entryFields { lines.add(fields) }
        for change in changes { lines.add("change", change.kind.rawValue, ChecksummedLines.escape(change.name.string)) }
        return lines.sealed
    }

    /// Decodes a manifest.
    ///
    /// - Throws: why it cannot be decoded.
    init(decoding bytes: [UInt8]) throws(StoredFileError) {
        self.init(
            number: 0, time: Timestamp(microseconds: 0), uid: 0, loginUID: nil, note: "", entries: [:], changes: [])
        try ChecksummedLines.read(bytes, headers: [Generation.header]) { read($0.fields) }
        guard number > 0 else { throw StoredFileError("it has no number") }
        guard !note.isEmpty else { throw StoredFileError("it does not say why it was made") }
    }

    /// Reads one line; returns whether it is valid.
    private mutating func read(_ fields: [String]) -> Bool {
        switch (fields.first, fields.count) {
        case ("number", 2):
            guard let value = Int(fields[1]), value > 0 else { return false }
            number = value
        case ("time", 2):
            guard let value = Int64(fields[1]) else { return false }
            time = Timestamp(microseconds: value)
        case ("uid", 2):
            guard let value = UInt32(fields[1]) else { return false }
            uid = value
        case ("login", 2):
            loginUID = UInt32(fields[1])
            return fields[1] == "-" || loginUID != nil
        case ("note", 2):
            guard let text = ChecksummedLines.unescape(fields[1]) else { return false }
            note = text
        case ("entry", 6):
            guard let name = ChecksummedLines.unescape(fields[1]), Generation.isSource(name) else { return false }
            let entry = Entry(
                bytes: Digest(hex: fields[2]), inForce: Digest(hex: fields[3]), isSigned: fields[5] == "signed",
                link: fields[4] == "-" ? nil : ChecksummedLines.unescape(fields[4]))
            guard (entry.bytes != nil) == (fields[2] != "-"), (entry.inForce != nil) == (fields[3] != "-"),
                (entry.link != nil) == (fields[4] != "-"), entry.isSigned || fields[5] == "-"
            else { return false }
            return entries.updateValue(entry, forKey: Key(name)) == nil
        case ("change", 3):
            guard let kind = Change.Kind(rawValue: fields[1]), let name = ChecksummedLines.unescape(fields[2]) else {
                return false
            }
            changes.append(Change(kind: kind, name: Key(name)))
        default: return false
        }
        return true
    }

    /// Whether a name is that of a policy file or of the signature of one.
    static func isSource(_ name: String) -> Bool {
        PolicyFileName.reasonToIgnore(PolicyFileName.signed(name) ?? name) == nil
            && !name.utf8.contains(UInt8(ascii: "/"))
    }
}
