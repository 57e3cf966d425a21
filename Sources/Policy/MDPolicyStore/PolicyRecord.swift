package import MDPlatform
import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
package import MDPropertyList

/// What recording commands write of policy: the only memory of earlier policy.
///
/// The recorded copies beside it hold the bytes, each under its digest.
package struct PolicyRecord: Hashable, Sendable {
    /// The recorded state of one name in a policy directory.
    package struct Entry: Hashable, Sendable {
        /// The state of the name when it was recorded; the raw value is the word in the file.
        package enum State: String, Sendable {
            /// A valid file that was in force as it was.
            case current
            /// A file that could not be used, so an earlier copy was in force.
            case lastGood = "last-good"
            /// A file that was never valid.
            case none
            /// A link to `/dev/null`, which switches a file off.
            case mask
        }

        package var state: State
        /// The digest of the copy that was in force; `nil` if there was none.
        package var digest: Digest?

        package init(state: State, digest: Digest? = nil) {
            (self.state, self.digest) = (state, digest)
        }
    }

    /// A policy directory and a name in it.
    package struct FileName: Hashable, Sendable, Comparable {
        package let place: PolicyDirectory
        package let name: Key

        package init(place: PolicyDirectory, name: Key) {
            (self.place, self.name) = (place, name)
        }

        /// The path beneath the root.
        package var path: String { place.path(name.string) }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(place == .etc)
        }

        /// Orders by name, then by place.
        package static func < (left: FileName, right: FileName) -> Bool {
            left.name == right.name ? left.place.rawValue < right.place.rawValue : left.name < right.name
        }
    }

    /// The name of the host when the record was written.
    package var host: String?
    /// The words of the tags file; `nil` if it could not be read and none were recorded before.
    package var tags: Set<Key>?
    /// The boot in which the entries of `/run` hold.
    package var boot: String?
    /// The known ids of the names in targets.
    package var names = AccountIDs()
    /// The digests of the lists of trusted signers.
    var trust: [SignatureVerifier: Digest] = [:]
    /// The good signatures, by the digest of the signed content.
    package var verified: [Digest: Verification] = [:]
    /// The entries of both directories.
    package var files: [FileName: Entry] = [:]

    /// The entries of a directory that still hold: those of `/run` end with the boot in which they were recorded.
    ///
    /// An unknown boot ends nothing.
    package func entries(of place: PolicyDirectory, boot: String?) -> [Key: Entry] {
        if place == .run, let boot, let recorded = self.boot, boot != recorded { return [:] }
        var entries: [Key: Entry] = [:]
        for (file, entry) in files where file.place == place { entries[file.name] = entry }
        return entries
    }

    /// The digests of all recorded copies that it refers to.
    package var digests: Set<Digest> { Set(files.values.compactMap(\.digest)) }
}

extension PolicyRecord {
    /// The first line; the number at its end grows with every change of the format.
    package static let header = "managed-defaults policy record 5"
    /// The largest record that is read, in bytes: 4,000 files and 100,000 names.
    package static let sizeLimit = 8 << 20

    /// The policy record as text.
    package func encoded() -> [UInt8] {
        var lines = ChecksummedLines(header: PolicyRecord.header)
        if let host { lines.add("host", ChecksummedLines.escape(host)) }
        if let tags { lines.add(["tags"] + tags.sorted().map { ChecksummedLines.escape($0.string) }) }
        if let boot { lines.add("boot", ChecksummedLines.escape(boot)) }
        for (kind, states) in [("user", names.users), ("group", names.groups)] {
            for (name, state) in states.sorted(by: { $0.key < $1.key }) {
                guard case .id(let id) = state else { continue }
                lines.add(kind, ChecksummedLines.escape(name.string), "\(id)")
            }
        }
        for (verifier, digest) in trust.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines.add("trust", verifier.rawValue, digest.hex)
        }
        for (content, found) in verified.sorted(by: { $0.key.hex < $1.key.hex }) {
            let end = found.until.map { ["\($0.microseconds)"] } ?? []
            lines.add(
                [
                    "verified", found.verifier.rawValue, content.hex, found.signature.hex, found.trust.hex,
                    ChecksummedLines.escape(found.signer),
                ] + end)
        }
        for file in files.keys.sorted() {
            guard let entry = files[file] else { continue }
            lines.add(
                "file", file.place.rawValue, ChecksummedLines.escape(file.name.string), entry.state.rawValue,
                entry.digest?.hex ?? "-")
        }
        return lines.sealed
    }

    /// Decodes a policy record.
    ///
    /// - Throws: why it cannot be decoded.
    package init(decoding bytes: [UInt8]) throws(StoredFileError) {
        self.init()
        files.reserveCapacity(min(bytes.count, PolicyRecord.sizeLimit) / PolicyRecord.usualLine)
        try ChecksummedLines.read(bytes, headers: [PolicyRecord.header]) { line in
            readCurrentFile(line.bytes.span) || read(line.fields)
        }
    }

    /// The usual length of the line of a file, in bytes.
    private static let usualLine = 100

    /// The beginnings of the lines of files.
    private static let heads = PolicyDirectory.allCases.map { ($0, Array("file \($0.rawValue) ".utf8)) }
    /// The text between the name and the digest of a file that is in force as it is.
    private static let currentWord = Array(" \(Entry.State.current.rawValue) ".utf8)

    /// Reads a line of the usual form quickly: a current file with a plain name.
    ///
    /// Returns false for any other line.
    private mutating func readCurrentFile(_ line: Span<UInt8>) -> Bool {
        let word = PolicyRecord.currentWord
        let end = line.count - 2 * Digest.byteCount - word.count
        for (place, head) in PolicyRecord.heads where end > head.count {
            guard PolicyRecord.has(line, head.span, at: 0) else { continue }
            guard PolicyRecord.has(line, word.span, at: end) else { return false }
            for index in head.count..<end where !ChecksummedLines.isPlain(line[index]) { return false }
            guard let digest = Digest(hex: line.extracting(droppingFirst: end + word.count)),
                let name = try? UTF8Span(validating: line.extracting(head.count..<end))
            else { return false }
            let file = FileName(place: place, name: Key(String(copying: name)))
            return files.updateValue(Entry(state: .current, digest: digest), forKey: file) == nil
        }
        return false
    }

    /// Whether a line has some bytes at an offset; they must fit into the line.
    private static func has(_ line: Span<UInt8>, _ other: Span<UInt8>, at offset: Int) -> Bool {
        for index in other.indices where line[offset + index] != other[index] { return false }
        return true
    }

    /// Reads one line; returns whether it is valid.
    private mutating func read(_ fields: [String]) -> Bool {
        switch (fields.first, fields.count) {
        case ("host", 2):
            guard host == nil, let name = ChecksummedLines.unescape(fields[1]) else { return false }
            host = name
        case ("boot", 2):
            guard boot == nil, let id = ChecksummedLines.unescape(fields[1]) else { return false }
            boot = id
        case ("trust", 3):
            guard let verifier = SignatureVerifier(rawValue: fields[1]), let digest = Digest(hex: fields[2]) else {
                return false
            }
            return trust.updateValue(digest, forKey: verifier) == nil
        case ("verified", 6), ("verified", 7):
            guard let verifier = SignatureVerifier(rawValue: fields[1]), let content = Digest(hex: fields[2]),
                let signature = Digest(hex: fields[3]), let trust = Digest(hex: fields[4]),
                let signer = ChecksummedLines.unescape(fields[5])
            else { return false }
            var found = Verification(verifier: verifier, signature: signature, trust: trust, signer: signer)
            if fields.count == 7 {
                guard let end = Int64(fields[6]) else { return false }
                found.until = Timestamp(microseconds: end)
            }
            return verified.updateValue(found, forKey: content) == nil
        case ("tags", _):
            let words = fields.dropFirst().compactMap(ChecksummedLines.unescape)
            guard tags == nil, words.count == fields.count - 1 else { return false }
            tags = Set(words.map { Key($0) })
        case ("user", 3), ("group", 3):
            guard let name = ChecksummedLines.unescape(fields[1]), let id = UInt32(fields[2]) else { return false }
            let path = fields[0] == "user" ? \AccountIDs.users : \AccountIDs.groups
            return names[keyPath: path].updateValue(.id(id), forKey: Key(name)) == nil
        case ("file", 5):
            guard let place = PolicyDirectory(rawValue: fields[1]), let name = ChecksummedLines.unescape(fields[2]),
                let entry = PolicyRecord.entry(fields)
            else { return false }
            return files.updateValue(entry, forKey: FileName(place: place, name: Key(name))) == nil
        default: return false
        }
        return true
    }

    /// Reads the fields of a file's line.
    ///
    /// An entry has a digest exactly if a copy was in force.
    private static func entry(_ fields: [String]) -> Entry? {
        guard let state = Entry.State(rawValue: fields[3]) else { return nil }
        let digest = Digest(hex: fields[4])
        guard fields[4] == "-" || digest != nil, (digest != nil) == (state == .current || state == .lastGood) else {
            return nil
        }
        return Entry(state: state, digest: digest)
    }
}
