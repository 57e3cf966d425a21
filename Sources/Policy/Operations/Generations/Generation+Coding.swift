import Platform
import PropertyList

extension Generation {
    /// The first line of a manifest; the number at its end grows with every change of the format.
    private static let header = "managed-defaults generation 1"
    /// The largest manifest that is read, in bytes: 20,000 names.
    static let sizeLimit = 8 << 20

    /// What stands in the manifest for each entry, in byte order of the names.
    private var entryFields: [[String]] {
        entries.sorted { $0.key < $1.key }.map { name, entry in
            [
                "entry", SealedLines.escape(name.string), entry.bytes?.hex ?? "-", entry.inForce?.hex ?? "-",
                entry.link.map(SealedLines.escape) ?? "-", entry.isSigned ? "signed" : "-",
            ]
        }
    }

    /// The entries as they stand in the manifest.
    var entryLines: [String] { entryFields.map { $0.joined(separator: " ") } }

    /// The manifest as text.
    func encoded() -> [UInt8] {
        var lines = SealedLines(header: Generation.header)
        lines.add("number", "\(number)")
        lines.add("time", "\(time.microseconds)")
        lines.add("uid", "\(uid)")
        lines.add("login", loginUID.map(String.init) ?? "-")
        lines.add("note", SealedLines.escape(note))
        for fields in entryFields { lines.add(fields) }
        for change in changes { lines.add("change", change.kind.rawValue, SealedLines.escape(change.name.string)) }
        return lines.sealed
    }

    /// Reads a manifest.
    ///
    /// - Throws: what is wrong with it.
    init(decoding bytes: [UInt8]) throws(TableError) {
        self.init(
            number: 0, time: Timestamp(microseconds: 0), uid: 0, loginUID: nil, note: "", entries: [:], changes: [])
        try SealedLines.read(bytes, headers: [Generation.header]) { read($0.fields) }
        guard number > 0 else { throw TableError("it has no number") }
        guard !note.isEmpty else { throw TableError("it does not say why it was made") }
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
            guard let text = SealedLines.unescape(fields[1]) else { return false }
            note = text
        case ("entry", 6):
            guard let name = SealedLines.unescape(fields[1]), Generation.isSource(name) else { return false }
            let entry = Entry(
                bytes: Digest(hex: fields[2]), inForce: Digest(hex: fields[3]), isSigned: fields[5] == "signed",
                link: fields[4] == "-" ? nil : SealedLines.unescape(fields[4]))
            guard (entry.bytes != nil) == (fields[2] != "-"), (entry.inForce != nil) == (fields[3] != "-"),
                (entry.link != nil) == (fields[4] != "-"), entry.isSigned || fields[5] == "-"
            else { return false }
            return entries.updateValue(entry, forKey: Key(name)) == nil
        case ("change", 3):
            guard let kind = Change.Kind(rawValue: fields[1]), let name = SealedLines.unescape(fields[2]) else {
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
