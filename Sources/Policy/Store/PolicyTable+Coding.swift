import Platform
import PropertyList

/// Why a table is not read.
package struct TableError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, in words.
    package let description: String

    /// Makes an error.
    package init(_ description: String) {
        self.description = description
    }
}

extension PolicyTable {
    /// The first line; the number at its end grows with every change of the format.
    static let header = "managed-defaults policy record 4"
    /// The first lines of records that lack what came later, and are otherwise the same.
    private static let earlierHeaders = [3, 2, 1].map { "managed-defaults policy record \($0)" }
    /// The largest table that is read, in bytes: 4,000 files and 100,000 names.
    static let sizeLimit = 8 << 20

    /// The table as text.
    func encoded() -> [UInt8] {
        var lines = SealedLines(header: PolicyTable.header)
        if let rollback { lines.add("rollback", "\(rollback.target)", "\(rollback.origin)") }
        if let home { lines.add("home", "\(home.device)", "\(home.inode)") }
        if isMapped { lines.add("mapped") }
        if let host { lines.add("host", SealedLines.escape(host)) }
        if let tags { lines.add(["tags"] + tags.sorted().map { SealedLines.escape($0.string) }) }
        for (name, digest) in zones.sorted(by: { $0.key < $1.key }) {
            lines.add(["zone"] + (name.string.isEmpty ? [] : [SealedLines.escape(name.string)]) + [digest.hex])
        }
        for (kind, states) in [("user", names.users), ("group", names.groups)] {
            for (name, state) in states.sorted(by: { $0.key < $1.key }) {
                switch state {
                case .id(let id): lines.add(kind, SealedLines.escape(name.string), "\(id)")
                case .unknown: lines.add(kind, SealedLines.escape(name.string), "-")
                case .unresolved: continue
                }
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
            guard let record = files[file] else { continue }
            lines.add(
                "file", file.place.rawValue, SealedLines.escape(file.name.string), PolicyTable.word(record.source),
                record.inForce?.hex ?? "-")
        }
        return lines.sealed
    }

    /// The word for what of a file was in force.
    private static func word(_ source: LoadedFile.Source?) -> String {
        switch source {
        case .lastGood: lastGood
        case let source?: source.rawValue
        case nil: "-"
        }
    }

    /// The word for a last good copy, which has no blank in it.
    private static let lastGood = "last-good"

    /// Reads a table.
    ///
    /// - Throws: what is wrong with it.
    init(decoding bytes: [UInt8]) throws(TableError) {
        self.init()
        files.reserveCapacity(min(bytes.count, PolicyTable.sizeLimit) / PolicyTable.usualLine)
        try SealedLines.read(bytes, headers: [PolicyTable.header] + PolicyTable.earlierHeaders) { line in
            readCurrentFile(line.bytes.span) || read(line.fields)
        }
    }

    /// About as many bytes as the line of a file takes.
    private static let usualLine = 100

    /// What the line of a file begins with.
    private static let heads = PolicyPlace.allCases.map { ($0, Array("file \($0.rawValue) ".utf8)) }
    /// What stands between the name and the digest of a file that is in force as it is.
    private static let currentWord = Array(" \(LoadedFile.Source.current.rawValue) ".utf8)

    /// Takes over the line of a file that is in force as it is and has a plain name, as nearly all have; answers whether
    /// it is one.
    private mutating func readCurrentFile(_ line: Span<UInt8>) -> Bool {
        let word = PolicyTable.currentWord
        let end = line.count - 2 * Digest.byteCount - word.count
        for (place, head) in PolicyTable.heads where end > head.count {
            guard PolicyTable.has(line, head.span, at: 0) else { continue }
            guard PolicyTable.has(line, word.span, at: end) else { return false }
            for index in head.count..<end where !SealedLines.isPlain(line[index]) { return false }
            guard let digest = Digest(hex: line.extracting(droppingFirst: end + word.count)),
                let name = try? UTF8Span(validating: line.extracting(head.count..<end))
            else { return false }
            let file = FileName(place: place, name: Key(String(copying: name)))
            return files.updateValue(Record(source: .current, inForce: digest), forKey: file) == nil
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
        case ("home", 3):
            guard home == nil, let device = UInt64(fields[1]), let inode = UInt64(fields[2]) else { return false }
            home = StoreHome(device: device, inode: inode)
        case ("mapped", 1):
            if isMapped { return false }
            isMapped = true
        case ("rollback", 3):
            guard rollback == nil, let target = Int(fields[1]), let origin = Int(fields[2]), target > 0, origin > 0
            else { return false }
            rollback = Rollback(target: target, origin: origin)
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
        case ("zone", 2), ("zone", 3):
            guard let name = fields.count == 2 ? "" : SealedLines.unescape(fields[1]),
                let digest = Digest(hex: fields[fields.count - 1])
            else { return false }
            return zones.updateValue(digest, forKey: Key(name)) == nil
        case ("user", 3), ("group", 3):
            guard let name = SealedLines.unescape(fields[1]), let state = PolicyTable.state(fields[2]) else {
                return false
            }
            let path = fields[0] == "user" ? \NameTable.users : \NameTable.groups
            return names[keyPath: path].updateValue(state, forKey: Key(name)) == nil
        case ("file", 5):
            guard let place = PolicyPlace(rawValue: fields[1]), let name = SealedLines.unescape(fields[2]),
                let record = PolicyTable.record(fields)
            else { return false }
            return files.updateValue(record, forKey: FileName(place: place, name: Key(name))) == nil
        default: return false
        }
        return true
    }

    /// Reads the fields of a file's line.
    private static func record(_ fields: [String]) -> Record? {
        var record = Record()
        if fields[3] != "-" {
            let word = fields[3] == PolicyTable.lastGood ? LoadedFile.Source.lastGood.rawValue : fields[3]
            guard let source = LoadedFile.Source(rawValue: word) else { return nil }
            record.source = source
        }
        record.inForce = Digest(hex: fields[4])
        return fields[4] == "-" || record.inForce != nil ? record : nil
    }

    /// Reads an id, or the dash of a name that does not exist.
    private static func state(_ text: String) -> NameTable.State? {
        text == "-" ? .unknown : UInt32(text).map { .id($0) }
    }
}
