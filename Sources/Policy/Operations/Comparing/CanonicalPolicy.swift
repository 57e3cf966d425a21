import PropertyList

/// The bytes that the digest of what is in force for a user is made of.
///
/// A line that names the form, then a record for each forced, absent, waived or constrained key and each sealed domain,
/// sorted by their bytes, each ended by a line feed. What a seal says already is not said again of a key. Numbers keep their
/// type: programs can tell 1, 1.0 and true apart. `policy digest` prints the definition; it never changes without another first line.
package struct CanonicalPolicy {
    /// The first line; the number at its end grows with every change of the form.
    private static let header = "managed-defaults effective policy 2\n"
    /// The records, sorted.
    private let records: [[UInt8]]

    /// Gathers the records of a user.
    package init(_ resultant: ResultantSet) {
        var records: [[UInt8]] = []
        for (domain, entries) in resultant.forced {
            for (key, entry) in entries {
                let value = entry.level == .absent ? nil : entry.value
                // A seal says that already.
                if value == nil, resultant.seals[domain] != nil { continue }
                records.append(
                    CanonicalPolicy.name(domain, key)
                        + (value.map { [UInt8(ascii: "F")] + CanonicalPolicy.encode($0) } ?? [UInt8(ascii: "A")]))
            }
        }
        for domain in resultant.seals.keys {
            records.append(CanonicalPolicy.text(domain.string) + [UInt8(ascii: "S")])
        }
        for (domain, keys) in resultant.unsealed where resultant.seals[domain] != nil {
            for key in keys where resultant.forced[domain]?[key] == nil {
                records.append(CanonicalPolicy.name(domain, key) + [UInt8(ascii: "U")])
            }
        }
        for (domain, entries) in resultant.constraints {
            for (key, constraint) in entries {
                records.append(CanonicalPolicy.name(domain, key) + CanonicalPolicy.encode(constraint.entry.constraint))
            }
        }
        self.records = records.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// How many records there are.
    package var count: Int { records.count }

    /// The bytes.
    package var bytes: [UInt8] {
        records.reduce(into: Array(CanonicalPolicy.header.utf8)) { bytes, record in
            bytes += record
            bytes.append(0x0a)
        }
    }

    /// A domain and a key.
    private static func name(_ domain: Key, _ key: Key) -> [UInt8] { text(domain.string) + text(key.string) }

    /// `s`, the number of bytes, a colon, the bytes in UTF-8.
    private static func text(_ text: String) -> [UInt8] {
        Array("s\(text.utf8.count):".utf8) + Array(text.utf8)
    }

    /// `C`, then the bounds that are given, each behind its letter.
    private static func encode(_ constraint: Constraint) -> [UInt8] {
        var bytes = [UInt8(ascii: "C")]
        if let minimum = constraint.minimum { bytes += [UInt8(ascii: "n")] + encode(minimum) }
        if let maximum = constraint.maximum { bytes += [UInt8(ascii: "x")] + encode(maximum) }
        if let values = constraint.oneOf {
            // The order of the choices, and how often one stands there, allow nothing else.
            let choices = Set(values.map(encode)).sorted { $0.lexicographicallyPrecedes($1) }
            bytes += Array("o\(choices.count):".utf8) + choices.joined()
        }
        if let pattern = constraint.pattern { bytes += [UInt8(ascii: "p")] + text(pattern.text) }
        return bytes
    }

    /// A value behind the letter of its type.
    ///
    /// Values nest no deeper than a policy file may, so the recursion ends.
    static func encode(_ value: Value) -> [UInt8] {
        switch value {
        case .string(let string): return text(string)
        case .boolean(let flag): return Array(flag ? "b1".utf8 : "b0".utf8)
        case .integer(let integer): return Array("i\(integer);".utf8)
        case .real(let real): return Array("r\(hex(real))".utf8)
        case .date(let seconds): return Array("t\(hex(seconds))".utf8)
        case .data(let data): return Array("d\(data.count):".utf8) + data
        case .array(let items): return Array("a\(items.count):".utf8) + items.flatMap(encode)
        case .dictionary(let entries):
            return entries.sorted { $0.key < $1.key }.reduce(into: Array("m\(entries.count):".utf8)) { bytes, entry in
                bytes += text(entry.key.string) + encode(entry.value)
            }
        }
    }

    /// The bits of a number as 16 hexadecimal digits; every NaN is one, and so is every zero.
    private static func hex(_ number: Double) -> String {
        let bits = number.isNaN ? 0x7ff8_0000_0000_0000 : number == 0 ? 0 : number.bitPattern
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
