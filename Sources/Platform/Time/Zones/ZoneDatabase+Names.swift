extension ZoneDatabase {
    /// The lists of zones that a database may have beside its files, with how each of them writes a name; the first that
    /// can be read counts.
    private static let lists: [(name: String, zone: @Sendable (Substring.UTF8View) -> Substring.UTF8View?)] = [
        ("tzdata.zi", zoneOfSource), ("zone1970.tab", zoneOfTable), ("zone.tab", zoneOfTable),
    ]
    /// The most bytes of a list; one of today has 110 KB.
    private static let listLimit = 1 << 20
    /// The most names of a list; one of today has 600.
    private static let nameLimit = 10_000

    /// The names that a list of the database gives; empty where there is none that can be read and is trusted.
    ///
    /// The files of some may not be installed. Complexity: O(size of the list) on each call.
    package var names: [String] {
        let place = hasZones ? root : .system
        for list in ZoneDatabase.lists {
            let path = "\(ZoneDatabase.folder)/\(list.name)"
            guard let bytes = try? place.readTrusted(path, limit: ZoneDatabase.listLimit).bytes else { continue }
            return Array(ZoneDatabase.names(bytes, list.zone).prefix(ZoneDatabase.nameLimit))
        }
        return []
    }

    /// The names in a list; lines without one, and what cannot be a name, are passed over.
    private static func names(
        _ bytes: [UInt8], _ zone: (Substring.UTF8View) -> Substring.UTF8View?
    ) -> [String] {
        String(decoding: bytes, as: UTF8.self).utf8.split(separator: 0x0a).compactMap { line in
            zone(line).map { String(Substring($0)) }.flatMap { isName($0) ? $0 : nil }
        }
    }

    /// The zone of a line of zic's source in its short form, `Z NAME …` or `L TARGET NAME`; `nil` for any other.
    private static func zoneOfSource(_ line: Substring.UTF8View) -> Substring.UTF8View? {
        let words = line.split(separator: 0x20, maxSplits: 3)
        switch line.first {
        case UInt8(ascii: "Z") where words.count > 2 && words[0].count == 1: return words[1]
        case UInt8(ascii: "L") where words.count == 3 && words[0].count == 1: return words[2]
        default: return nil
        }
    }

    /// The zone of a line of a table: countries, coordinates, name; `nil` for a comment.
    private static func zoneOfTable(_ line: Substring.UTF8View) -> Substring.UTF8View? {
        let words = line.split(separator: 0x09, maxSplits: 3)
        return line.first == UInt8(ascii: "#") || words.count < 3 ? nil : words[2]
    }
}
