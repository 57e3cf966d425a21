import Platform
import PropertyList

/// Why a file of our own is not read.
package struct TableError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, in words.
    package let description: String

    /// Makes an error.
    package init(_ description: String) {
        self.description = description
    }
}

extension PolicyRecord {
    /// The first line; the number at its end grows with every change of the format.
    static let header = "managed-defaults policy record 5"
    /// The largest record that is read, in bytes: 4,000 files and 100,000 names.
    static let sizeLimit = 8 << 20

    /// The record as text.
    func encoded() -> [UInt8] {
        var lines = SealedLines(header: PolicyRecord.header)
        if let host { lines.add("host", SealedLines.escape(host)) }
        if let tags { lines.add(["tags"] + tags.sorted().map { SealedLines.escape($0.string) }) }
        if let boot { lines.add("boot", SealedLines.escape(boot)) }
        for (kind, states) in [("user", names.users), ("group", names.groups)] {
            for (name, state) in states.sorted(by: { $0.key < $1.key }) {
                guard case .id(let id) = state else { continue }
                lines.add(kind, SealedLines.escape(name.string), "\(id)")
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
                    SealedLines.escape(found.signer),
                ] + end)
        }
        for file in files.keys.sorted() {
            guard let entry = files[file] else { continue }
            lines.add(
                "file", file.place.rawValue, SealedLines.escape(file.name.string), entry.state.rawValue,
                entry.digest?.hex ?? "-")
        }
        return lines.sealed
    }

    /// Reads a record.
    ///
    /// - Throws: what is wrong with it.
    init(decoding bytes: [UInt8]) throws(TableError) {
        self.init()
        files.reserveCapacity(min(bytes.count, PolicyRecord.sizeLimit) / PolicyRecord.usualLine)
        try SealedLines.read(bytes, headers: [PolicyRecord.header]) { line in
            readCurrentFile(line.bytes.span) || read(line.fields)
        }
    }

    /// About as many bytes as the line of a file takes.
    private static let usualLine = 100

    /// What the line of a file begins with.
    private static let heads = PolicyPlace.allCases.map { ($0, Array("file \($0.rawValue) ".utf8)) }
    /// What comes between the name and the digest of a file that is in force as it is.
    private static let currentWord = Array(" \(Entry.State.current.rawValue) ".utf8)

    /// Takes over the line of a file that is in force as it is and has a plain name, as nearly all have; answers whether
    /// it is one.
    private mutating func readCurrentFile(_ line: Span<UInt8>) -> Bool {
        let word = PolicyRecord.currentWord
        let end = line.count - 2 * Digest.byteCount - word.count
        for (place, head) in PolicyRecord.heads where end > head.count {
            guard PolicyRecord.has(line, head.span, at: 0) else { continue }
            guard PolicyRecord.has(line, word.span, at: end) else { return false }
            for index in head.count..<end where !SealedLines.isPlain(line[index]) { return false }
            guard let digest = Digest(hex: line.extracting(droppingFirst: end + word.count)),
                let name = try? UTF8Span(validating: line.extracting(head.count..<end))
            else { return false }
            let file = FileName(place: place, name: Key(String(copying: name)))
            return files.updateValue(Entry(state: .current, digest: digest), forKey: file) == nil
        }
        return false
    }

    /// Whether a line has other bytes at an offset, with which they fit in.
    private static func has(_ line: Span<UInt8>, _ other: Span<UInt8>, at offset: Int) -> Bool {
        for index in other.indices where line[offset + index] != other[index] { return false }
        return true
    }

    /// Takes over one line; answers whether it reads.
    private mutating func read(_ fields: [String]) -> Bool {
        switch (fields.first, fields.count) {
        case ("host", 2):
            guard host == nil, let name = SealedLines.unescape(fields[1]) else { return false }
            host = name
        case ("boot", 2):
            guard boot == nil, let id = SealedLines.unescape(fields[1]) else { return false }
            boot = id
        case ("trust", 3):
            guard let verifier = SignatureVerifier(rawValue: fields[1]), let digest = Digest(hex: fields[2]) else {
                return false
            }
            return trust.updateValue(digest, forKey: verifier) == nil
        case ("verified", 6), ("verified", 7):
            guard let verifier = SignatureVerifier(rawValue: fields[1]), let content = Digest(hex: fields[2]),
                let signature = Digest(hex: fields[3]), let trust = Digest(hex: fields[4]),
                let signer = SealedLines.unescape(fields[5])
            else { return false }
            var found = Verification(verifier: verifier, signature: signature, trust: trust, signer: signer)
            if fields.count == 7 {
                guard let end = Int64(fields[6]) else { return false }
                found.until = Timestamp(microseconds: end)
            }
            return verified.updateValue(found, forKey: content) == nil
        case ("tags", _):
            let words = fields.dropFirst().compactMap(SealedLines.unescape)
            guard tags == nil, words.count == fields.count - 1 else { return false }
            tags = Set(words.map { Key($0) })
        case ("user", 3), ("group", 3):
            guard let name = SealedLines.unescape(fields[1]), let id = UInt32(fields[2]) else { return false }
            let path = fields[0] == "user" ? \NameTable.users : \NameTable.groups
            return names[keyPath: path].updateValue(.id(id), forKey: Key(name)) == nil
        case ("file", 5):
            guard let place = PolicyPlace(rawValue: fields[1]), let name = SealedLines.unescape(fields[2]),
                let entry = PolicyRecord.entry(fields)
            else { return false }
            return files.updateValue(entry, forKey: FileName(place: place, name: Key(name))) == nil
        default: return false
        }
        return true
    }

    /// Reads the fields of a file's line; a state has a digest exactly if a copy was in force.
    private static func entry(_ fields: [String]) -> Entry? {
        guard let state = Entry.State(rawValue: fields[3]) else { return nil }
        let digest = Digest(hex: fields[4])
        guard fields[4] == "-" || digest != nil, (digest != nil) == (state == .current || state == .lastGood) else {
            return nil
        }
        return Entry(state: state, digest: digest)
    }
}
