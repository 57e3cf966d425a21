import Platform
import PropertyList

/// Why a table is not read.
package struct TableError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, in words.
    package let description: String

    /// Makes an error.
    init(_ description: String) {
        self.description = description
    }
}

extension PolicyTable {
    /// The first line; the number at its end grows with every change of the format.
    private static let header = "managed-defaults policy record 2"
    /// The first line of a record that lacks what came later, and is otherwise the same.
    private static let earlierHeader = "managed-defaults policy record 1"
    /// The largest table that is read, in bytes: 4,000 files and 100,000 names.
    static let sizeLimit = 8 << 20

    /// The table as text: lines of fields, sorted, and a last line with the digest of all before it.
    ///
    /// Fields are separated by blanks; a byte of a name that is not printable ASCII, and `%`, is written `%xx`. A dash
    /// stands for what is not there; a name of only a dash is written `%2d`.
    func encoded() -> [UInt8] {
        var lines = [PolicyTable.header]
        if let rollback { lines.append("rollback \(rollback.target) \(rollback.origin)") }
        if let host { lines.append("host \(PolicyTable.escape(host))") }
        if let tags {
            let words = tags.sorted().map { PolicyTable.escape($0.string) }
            lines.append((["tags"] + words).joined(separator: " "))
        }
        for (kind, states) in [("user", names.users), ("group", names.groups)] {
            for (name, state) in states.sorted(by: { $0.key < $1.key }) {
                switch state {
                case .id(let id): lines.append("\(kind) \(PolicyTable.escape(name.string)) \(id)")
                case .unknown: lines.append("\(kind) \(PolicyTable.escape(name.string)) -")
                case .unresolved: continue
                }
            }
        }
        for (verifier, digest) in trust.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines.append("trust \(verifier.rawValue) \(digest.hex)")
        }
        for (content, found) in verified.sorted(by: { $0.key.hex < $1.key.hex }) {
            let fields = [
                "verified", found.verifier.rawValue, content.hex, found.signature.hex, found.trust.hex,
                PolicyTable.escape(found.signer),
            ]
            lines.append(fields.joined(separator: " "))
        }
        for (file, record) in files.sorted(by: { $0.key < $1.key }) {
            let source = record.source.map { $0.rawValue.split(separator: " ").joined(separator: "-") } ?? "-"
            let fields = [
                "file", file.place.rawValue, PolicyTable.escape(file.name.string), source, record.inForce?.hex ?? "-",
            ]
            lines.append(fields.joined(separator: " "))
        }
        var bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
        bytes += Array("sha256 \(SHA256.hash(bytes).hex)\n".utf8)
        return bytes
    }

    /// Reads a table.
    ///
    /// - Throws: what is wrong with the first line that does not read, or that the digest does not match.
    init(decoding bytes: [UInt8]) throws(TableError) {
        // "sha256 ", 64 digits and the line feed.
        let content = bytes.dropLast(72)
        let last = bytes.suffix(72)
        guard last.count == 72, last.elementsEqual("sha256 \(SHA256.hash(Array(content)).hex)\n".utf8) else {
            throw TableError("its checksum does not match")
        }
        guard content.last == 0x0a, let text = String(validating: content, as: UTF8.self) else {
            throw TableError("it does not consist of lines of text")
        }
        let lines = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).dropLast()
        guard let first = lines.first,
            first.elementsEqual(PolicyTable.header.utf8) || first.elementsEqual(PolicyTable.earlierHeader.utf8)
        else {
            throw TableError("it is not of the format \"\(PolicyTable.header)\"")
        }
        for (number, line) in lines.enumerated().dropFirst() {
            let fields = line.split(separator: 0x20, omittingEmptySubsequences: false).map { String(Substring($0)) }
            guard read(fields) else { throw TableError("its line \(number + 1) does not read") }
        }
    }

    /// Takes over one line; answers whether it reads.
    private mutating func read(_ fields: [String]) -> Bool {
        switch (fields.first, fields.count) {
        case ("host", 2):
            guard host == nil, let name = PolicyTable.unescape(fields[1]) else { return false }
            host = name
        case ("rollback", 3):
            guard rollback == nil, let target = Int(fields[1]), let origin = Int(fields[2]), target > 0, origin > 0
            else { return false }
            rollback = Rollback(target: target, origin: origin)
        case ("trust", 3):
            guard let verifier = SignatureVerifier(rawValue: fields[1]), let digest = Digest(hex: fields[2]) else {
                return false
            }
            return trust.updateValue(digest, forKey: verifier) == nil
        case ("verified", 6):
            guard let verifier = SignatureVerifier(rawValue: fields[1]), let content = Digest(hex: fields[2]),
                let signature = Digest(hex: fields[3]), let trust = Digest(hex: fields[4]),
                let signer = PolicyTable.unescape(fields[5])
            else { return false }
            let found = Verification(verifier: verifier, signature: signature, trust: trust, signer: signer)
            return verified.updateValue(found, forKey: content) == nil
        case ("tags", _):
            let words = fields.dropFirst().compactMap(PolicyTable.unescape)
            guard tags == nil, words.count == fields.count - 1 else { return false }
            tags = Set(words.map { Key($0) })
        case ("user", 3), ("group", 3):
            guard let name = PolicyTable.unescape(fields[1]), let state = PolicyTable.state(fields[2]) else {
                return false
            }
            let path = fields[0] == "user" ? \NameTable.users : \NameTable.groups
            return names[keyPath: path].updateValue(state, forKey: Key(name)) == nil
        case ("file", 5):
            guard let place = PolicyPlace(rawValue: fields[1]), let name = PolicyTable.unescape(fields[2]),
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
            let word = fields[3] == "last-good" ? LoadedFile.Source.lastGood.rawValue : fields[3]
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

    /// A name without blanks, control characters and anything that is not ASCII.
    static func escape(_ name: String) -> String {
        if name == "-" { return "%2d" }
        let digits = Array("0123456789abcdef".utf8)
        var result: [UInt8] = []
        for byte in name.utf8 {
            if (0x21...0x7e).contains(byte), byte != UInt8(ascii: "%") {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Reads what ``escape(_:)`` wrote; `nil` for anything else.
    static func unescape(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%") {
                guard index + 2 < bytes.count,
                    let value = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
                else { return nil }
                result.append(value)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        guard !result.isEmpty else { return nil }
        return String(validating: result, as: UTF8.self)
    }
}
