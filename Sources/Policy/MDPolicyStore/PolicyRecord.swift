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
    /// The names of `/run` whose entries hold in every boot: exams and grants that are also in ``StorePath/temporary``.
    package var lasting: Set<Key> = []
    /// The known ids of the names in targets.
    package var names = AccountIDs()
    /// The digests of the lists of trusted signers.
    var trust: [SignatureVerifier: Digest] = [:]
    /// The good signatures, by the digest of the signed content.
    package var verified: [Digest: Verification] = [:]
    /// The highest `Version` ever recorded of each identifier.
    package var versions = VersionFloors()
    /// The version of ManagedDefaults that wrote it, and that read every file in it but for ``readers``; `nil` if it is
    /// older than this field.
    package var engine: String? = EngineVersion.current
    /// The versions that read the copies which the writer could not read, by digest.
    var readers: [Digest: String] = [:]
    /// The lines of later versions, which stay as they are.
    var others: [[String]] = []
    /// The entries of both directories.
    package var files: [FileName: Entry] = [:]

    /// The entries of a directory that still hold: those of `/run` end with the boot in which they were recorded, but
    /// for the lasting ones.
    ///
    /// An unknown boot ends nothing.
    package func entries(of place: PolicyDirectory, boot: String?) -> [Key: Entry] {
        let isEnded = place == .run && boot != nil && self.boot != nil && boot != self.boot
        var entries: [Key: Entry] = [:]
        for (file, entry) in files where file.place == place && (!isEnded || lasting.contains(file.name)) {
            entries[file.name] = entry
        }
        return entries
    }

    /// The version of ManagedDefaults that recorded a copy as good; `nil` if it is unknown.
    func reader(of digest: Digest) -> String? { readers[digest] ?? engine }

    /// The digests of all recorded copies that it refers to.
    package var digests: Set<Digest> { Set(files.values.compactMap(\.digest)) }
}

extension PolicyRecord {
    /// The first line without the number at its end.
    private static let title = "managed-defaults policy record "
    /// The number at the end of the first line, the least that a reader has to know.
    ///
    /// What is new comes in lines with another first word, which older engines keep and do not understand; the number
    /// grows only if they would decide wrongly without.
    private static let number = 6
    /// The version of ManagedDefaults that knew the number first.
    private static let leastEngine = "0.1.0"
    /// The first line.
    package static let header = "\(title)\(number)"
    /// The first lines that are read: the one without the lines of versions came before.
    private static let headers = [header, "\(title)\(number - 1)"]
    /// The largest record that is read, in bytes: 4,000 files and 100,000 names.
    package static let sizeLimit = 8 << 20

    /// The policy record as text.
    package func encoded() -> [UInt8] {
        var lines = ChecksummedLines(header: PolicyRecord.header)
        // The second line, which every version finds, says who can read the rest.
        if let engine { lines.add("engine", ChecksummedLines.escape(engine), PolicyRecord.leastEngine) }
        if let host { lines.add("host", ChecksummedLines.escape(host)) }
        if let tags { lines.add(["tags"] + tags.sorted().map { ChecksummedLines.escape($0.string) }) }
        if let boot { lines.add("boot", ChecksummedLines.escape(boot)) }
        for (kind, states) in [("user", names.users), ("group", names.groups)] {
            for (name, state) in states.sorted(by: { $0.key < $1.key }) {
                let ids = state.ids.map { "\($0)" }
                if !ids.isEmpty { lines.add([kind, ChecksummedLines.escape(name.string)] + ids) }
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
        for (identifier, number) in versions.numbers.sorted(by: { $0.key < $1.key }) {
            lines.add("version", ChecksummedLines.escape(identifier.string), "\(number)")
        }
        for (digest, version) in readers.sorted(by: { $0.key.hex < $1.key.hex }) {
            lines.add("reader", digest.hex, ChecksummedLines.escape(version))
        }
        for name in lasting.sorted() where files[FileName(place: .run, name: name)] != nil {
            lines.add("lasting", ChecksummedLines.escape(name.string))
        }
        for line in others { lines.add(line) }
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
        engine = nil
        files.reserveCapacity(min(bytes.count, PolicyRecord.sizeLimit) / PolicyRecord.usualLine)
        try ChecksummedLines.read(bytes, headers: PolicyRecord.headers) { line in
            readCurrentFile(line.bytes.span) || read(line.fields)
        }
    }

    /// The versions of ManagedDefaults that wrote a record which is for newer engines, and that reads it; `nil` for any
    /// other bytes.
    static func newerEngine(_ bytes: [UInt8]) -> (writer: String, least: String)? {
        let lines = ChecksummedLines.first(2, of: bytes)
        guard let first = lines.first, first.utf8.starts(with: title.utf8),
            let number = Int(first.dropFirst(title.count)), number > self.number
        else { return nil }
        let words = lines.dropFirst().first?.split(separator: " ").map(String.init) ?? []
        guard words.count >= 3, words[0] == "engine", let writer = ChecksummedLines.unescape(words[1]),
            let least = ChecksummedLines.unescape(words[2])
        else { return ("of a later version", "of a later version") }
        return (writer, least)
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
        case ("engine", 3):
            guard engine == nil, let version = ChecksummedLines.unescape(fields[1]),
                ChecksummedLines.unescape(fields[2]) != nil
            else { return false }
            engine = version
        case ("reader", 3):
            guard let digest = Digest(hex: fields[1]), let version = ChecksummedLines.unescape(fields[2]) else {
                return false
            }
            return readers.updateValue(version, forKey: digest) == nil
        case ("boot", 2):
            guard boot == nil, let id = ChecksummedLines.unescape(fields[1]) else { return false }
            boot = id
        case ("lasting", 2):
            guard let name = ChecksummedLines.unescape(fields[1]) else { return false }
            return lasting.insert(Key(name)).inserted
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
        case ("version", 3):
            guard let identifier = ChecksummedLines.unescape(fields[1]), let number = UInt64(fields[2]) else {
                return false
            }
            return versions.add(number, for: Key(identifier))
        case ("tags", _):
            let words = fields.dropFirst().compactMap(ChecksummedLines.unescape)
            guard tags == nil, words.count == fields.count - 1 else { return false }
            tags = Set(words.map { Key($0) })
        case ("user", 3...4), ("group", 3...4):
            let ids = fields[2...].compactMap { UInt32($0) }
            guard let name = ChecksummedLines.unescape(fields[1]), ids.count == fields.count - 2 else { return false }
            let path = fields[0] == "user" ? \AccountIDs.users : \AccountIDs.groups
            return names[keyPath: path].updateValue(AccountIDs.State(ids), forKey: Key(name)) == nil
        case ("file", 5):
            guard let place = PolicyDirectory(rawValue: fields[1]), let name = ChecksummedLines.unescape(fields[2]),
                let entry = PolicyRecord.entry(fields)
            else { return false }
            return files.updateValue(entry, forKey: FileName(place: place, name: Key(name))) == nil
        default:
            // A word of this version in another form is damage.
            guard let word = fields.first, !word.isEmpty, !PolicyRecord.words.contains(word) else { return false }
            others.append(fields)
        }
        return true
    }

    /// The first words of the lines of this version.
    private static let words: Set<String> = [
        "engine", "host", "tags", "boot", "lasting", "user", "group", "trust", "verified", "version", "reader", "file",
    ]

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
