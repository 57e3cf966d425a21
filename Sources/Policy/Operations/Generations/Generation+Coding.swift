import Platform
import PropertyList

extension Generation {
    /// The first line of a manifest; the number at its end grows with every change of the format.
    private static let header = "managed-defaults generation 1"
    /// The largest manifest that is read, in bytes: 20,000 names.
    static let sizeLimit = 8 << 20

    /// The entries as they stand in the manifest, in byte order of the names.
    var entryLines: [String] {
        entries.sorted { $0.key < $1.key }.map { name, entry in
            [
                "entry", PolicyTable.escape(name.string), entry.bytes?.hex ?? "-", entry.inForce?.hex ?? "-",
                entry.link.map(PolicyTable.escape) ?? "-", entry.isSigned ? "signed" : "-",
            ].joined(separator: " ")
        }
    }

    /// The manifest as text: lines of fields as in the record of policy, and a last line with the digest of all before.
    func encoded() -> [UInt8] {
        var lines = [
            Generation.header, "number \(number)", "time \(time.microseconds)", "uid \(uid)",
            "login \(loginUID.map(String.init) ?? "-")", "note \(PolicyTable.escape(note))",
        ]
        lines += entryLines
        lines += changes.map { "change \($0.kind.rawValue) \(PolicyTable.escape($0.name.string))" }
        var bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
        bytes += Array("sha256 \(SHA256.hash(bytes).hex)\n".utf8)
        return bytes
    }

    /// Reads a manifest.
    ///
    /// - Throws: what is wrong with it.
    init(decoding bytes: [UInt8]) throws(TableError) {
        let content = bytes.dropLast(72)
        let last = bytes.suffix(72)
        guard last.count == 72, last.elementsEqual("sha256 \(SHA256.hash(Array(content)).hex)\n".utf8) else {
            throw TableError("its checksum does not match")
        }
        guard content.last == 0x0a, let text = String(validating: content, as: UTF8.self) else {
            throw TableError("it does not consist of lines of text")
        }
        let lines = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).dropLast()
        guard let first = lines.first, first.elementsEqual(Generation.header.utf8) else {
            throw TableError("it is not of the format \"\(Generation.header)\"")
        }
        self.init(
            number: 0, time: Timestamp(microseconds: 0), uid: 0, loginUID: nil, note: "", entries: [:], changes: [])
        for (index, line) in lines.enumerated().dropFirst() {
            let fields = line.split(separator: 0x20, omittingEmptySubsequences: false).map { String(Substring($0)) }
            guard read(fields) else { throw TableError("its line \(index + 1) does not read") }
        }
        guard number > 0 else { throw TableError("it has no number") }
    }

    /// Takes over one line; answers whether it reads.
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
            guard let text = PolicyTable.unescape(fields[1]) else { return false }
            note = text
        case ("entry", 6):
            guard let name = PolicyTable.unescape(fields[1]), Generation.isSource(name) else { return false }
            let entry = Entry(
                bytes: Digest(hex: fields[2]), inForce: Digest(hex: fields[3]), isSigned: fields[5] == "signed",
                link: fields[4] == "-" ? nil : PolicyTable.unescape(fields[4]))
            guard (entry.bytes != nil) == (fields[2] != "-"), (entry.inForce != nil) == (fields[3] != "-"),
                (entry.link != nil) == (fields[4] != "-"), entry.isSigned || fields[5] == "-"
            else { return false }
            return entries.updateValue(entry, forKey: Key(name)) == nil
        case ("change", 3):
            guard let kind = Change.Kind(rawValue: fields[1]), let name = PolicyTable.unescape(fields[2]) else {
                return false
            }
            changes.append(Change(kind: kind, name: Key(name)))
        default: return false
        }
        return true
    }

    /// Whether a name in the directory belongs to the sources: that of a policy file, or of the signature of one.
    static func isSource(_ name: String) -> Bool {
        PolicyFileName.reasonToIgnore(PolicyFileName.signed(name) ?? name) == nil
            && !name.utf8.contains(UInt8(ascii: "/"))
    }
}
