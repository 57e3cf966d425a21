import MDPlatform
import MDPropertyList

extension NaiveFile {
    /// The file as an administrator writes it: in JSON, or as a property list if its name says so.
    func bytes(in format: Format) throws -> [UInt8] {
        switch format {
        case .json:
            var writer = JSONWriter(pretty: true)
            writer.value(document)
            return writer.utf8
        case .xml: return try XMLWriter.write(document)
        case .binary: return try BinaryWriter.write(document)
        }
    }

    /// How a file is written.
    enum Format { case json, xml, binary }

    /// The fields of the file.
    var document: Value {
        let stem = name.utf8.map { String($0) }.joined(separator: "-")
        var fields: [Key: Value] = ["Identifier": .string("org.example.p\(stem)"), "Enforced": .boolean(enforced)]
        var clauses = target.include.fields
        let except = target.except.fields
        if !except.isEmpty { clauses["Except"] = .dictionary(except) }
        if target.notBefore != .min { clauses["NotBefore"] = .string(NaiveFile.text(target.notBefore)) }
        if target.notAfter != .max { clauses["NotAfter"] = .string(NaiveFile.text(target.notAfter)) }
        if !clauses.isEmpty { fields["Target"] = .dictionary(clauses) }
        let absent = forced.filter { $0.value == nil }.keys
        let domains = Set(absent.map(\.domain)).map { domain in
            (Key(domain), Value.array(absent.filter { $0.domain == domain }.map { .string($0.key) }))
        }
        fields["Absent"] = .dictionary(Dictionary(uniqueKeysWithValues: domains))
        fields["Forced"] = NaiveFile.nested(forced.compactMapValues(\.self))
        fields["Recommended"] = NaiveFile.nested(recommended)
        fields["SetOnce"] = NaiveFile.nested(setOnce)
        fields["Constraints"] = NaiveFile.nested(constraints.mapValues { .dictionary($0.fields) })
        fields["Combine"] = NaiveFile.nested(combine.mapValues { .string($0) })
        fields["Sealed"] = .array(seals.map { .string($0) })
        fields["Waivers"] = .array(
            waivers.map { place, target in
                var waiver = target.include.fields
                waiver["Domain"] = .string(place.domain)
                waiver["Key"] = .string(place.key)
                if target.notAfter != .max { waiver["Until"] = .string(NaiveFile.text(target.notAfter)) }
                return .dictionary(waiver)
            })
        return .dictionary(fields)
    }

    /// Items by domain and key.
    private static func nested(_ items: [NaivePlace: Value]) -> Value {
        let domains = Dictionary(grouping: items, by: \.key.domain).map { domain, items in
            let keys = items.map { (Key($0.key.key), $0.value) }
            return (Key(domain), Value.dictionary(Dictionary(uniqueKeysWithValues: keys)))
        }
        return .dictionary(Dictionary(uniqueKeysWithValues: domains))
    }

    /// A moment in RFC 3339.
    private static func text(_ seconds: Int) -> String {
        Timestamp(microseconds: Int64(seconds) * 1_000_000).rfc3339
    }
}

extension NaiveClauses {
    /// The clauses that were given.
    var fields: [Key: Value] {
        let all: [(Key, [String]?)] = [
            // Case makes no difference to names of hosts.
            ("Users", users), ("Groups", groups), ("Hosts", hosts?.map { $0.uppercased() }), ("Tags", tags),
        ]
        return all.reduce(into: [:]) { fields, clause in
            if let names = clause.1 { fields[clause.0] = .array(names.map { .string($0) }) }
        }
    }
}
