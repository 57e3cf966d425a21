package import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// The canonical bytes of a user's effective policy, for its digest.
///
/// A line with the format, then an item for each forced, absent, waived or constrained key and each sealed domain. The
/// items are sorted by their bytes, and each ends in a line feed. A key has no item if a seal implies it. Numbers
/// retain their type, because programs can distinguish 1, 1.0 and true. `policy digest` prints the definition; it never
/// changes without another first line.
package struct CanonicalPolicy {
    /// The first line; the number at its end grows with every change of the form.
    private static let header = "managed-defaults effective policy 2\n"
    /// The items, sorted.
    private let records: [[UInt8]]

    /// Gathers the items of a user.
    package init(_ resultant: ResultantSet) {
        var records: [[UInt8]] = []
        for (domain, entries) in resultant.forced {
            for (key, entry) in entries {
                let value = entry.level == .absent ? nil : entry.value
                // The seal implies this.
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

    /// The number of items.
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

    /// Encodes a constraint: `C`, then the given bounds, each after its letter.
    private static func encode(_ constraint: Constraint) -> [UInt8] {
        var bytes = [UInt8(ascii: "C")]
        if let minimum = constraint.minimum { bytes += [UInt8(ascii: "n")] + encode(minimum) }
        if let maximum = constraint.maximum { bytes += [UInt8(ascii: "x")] + encode(maximum) }
        if let values = constraint.oneOf {
            // Order and repetition of the choices do not change their meaning.
            let choices = Set(values.map(encode)).sorted { $0.lexicographicallyPrecedes($1) }
            bytes += Array("o\(choices.count):".utf8) + choices.joined()
        }
        if let pattern = constraint.pattern { bytes += [UInt8(ascii: "p")] + text(pattern.text) }
        return bytes
    }

    /// Encodes a value after the letter of its type.
    ///
    /// The nesting of values is limited as in policy files, so the recursion ends.
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

    /// The bits of a number as 16 hexadecimal digits; all NaNs are equal, and so are all zeros.
    private static func hex(_ number: Double) -> String {
        let bits = number.isNaN ? 0x7ff8_0000_0000_0000 : number == 0 ? 0 : number.bitPattern
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
