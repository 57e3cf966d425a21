import MDPlatform
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

extension Conversion {
    /// The policy file in JSON, with comments for the source of each entry and for losses.
    ///
    /// - Throws: if the requested identifier is invalid.
    package func policyFile() throws(ConversionError) -> [UInt8] {
        let identifier = try chosenIdentifier()
        var lines = ["// Made by mdefaults policy convert of:"]
        lines += sources.map { "//   \($0)" }
        if losses.isEmpty {
            lines.append("// Everything was carried over.")
        } else {
            lines.append("// Not carried over, or changed on the way:")
            lines += losses.map { "//   \(Conversion.comment($0))" }
        }
        lines.append("{")
        lines.append("  \"Identifier\": \(Conversion.json(.string(identifier))),")
        if let version { lines.append("  \"Version\": \(version),") }
        if !summary.isEmpty { lines.append("  \"Description\": \(Conversion.json(.string(summary))),") }
        if !contact.isEmpty { lines.append("  \"Contact\": \(Conversion.json(.string(contact))),") }
        if let notAfter {
            lines.append("  \"Target\": { \"NotAfter\": \(Conversion.json(.string(PolicyWriter.time(notAfter)))) },")
        }
        for (level, field) in [(Level.forced, "Forced"), (.recommended, "Recommended"), (.setOnce, "SetOnce")] {
            let chosen = entries.filter { $0.level == level }
            guard !chosen.isEmpty else { continue }
            write(chosen, field, into: &lines) { entry in
                let value = Conversion.json(PolicyWriter.literal(entry.value))
                return "      // \(Conversion.comment(entry.place))\n"
                    + "      \(Conversion.json(.string(entry.key.string))): \(value),"
            }
        }
        let absent = Conversion.grouped(entries.filter { $0.level == .absent })
        if !absent.isEmpty {
            let braces = Conversion.braces(around: absent.map(\.domain))
            lines.append("  \"Absent\": \(braces.opening)")
            for (domain, entries) in absent {
                let keys = entries.map { Conversion.json(.string($0.key.string)) }
                lines.append("    // \(Conversion.comment(entries.map(\.place).joined(separator: ", ")))")
                lines.append("    \(Conversion.json(.string(domain.string))): [\(keys.joined(separator: ", "))],")
            }
            lines.append("  \(braces.closing),")
        }
        let unions = entries.filter(\.isUnion)
        if !unions.isEmpty {
            write(unions, "Combine", into: &lines) { "      \(Conversion.json(.string($0.key.string))): \"union\"," }
        }
        lines.append("}")
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// Writes the entries of one field, domain by domain.
    private func write(
        _ entries: [Entry], _ field: String, into lines: inout [String], _ line: (Entry) -> String
    ) {
        let groups = Conversion.grouped(entries)
        let domains = Conversion.braces(around: groups.map(\.domain))
        lines.append("  \"\(field)\": \(domains.opening)")
        for (domain, entries) in groups {
            let keys = Conversion.braces(around: entries.map(\.key))
            lines.append("    \(Conversion.json(.string(domain.string))): \(keys.opening)")
            lines += entries.map(line)
            lines.append("    \(keys.closing),")
        }
        lines.append("  \(domains.closing),")
    }

    /// The braces of an object with some names; an object whose only name begins with `$` needs others, as it would be
    /// read as a date or similar.
    private static func braces(around names: [Key]) -> (opening: String, closing: String) {
        let isSpecial = names.count == 1 && names[0].string.utf8.first == UInt8(ascii: "$")
        return isSpecial ? ("{ \"$dict\": {", "} }") : ("{", "}")
    }

    /// The entries by domain, in the order of the first entry of each domain.
    private static func grouped(_ entries: [Entry]) -> [(domain: Key, entries: [Entry])] {
        var places: [Key: Int] = [:]
        var groups: [(domain: Key, entries: [Entry])] = []
        for entry in entries {
            if let place = places[entry.domain] {
                groups[place].entries.append(entry)
            } else {
                places[entry.domain] = groups.count
                groups.append((entry.domain, [entry]))
            }
        }
        return groups
    }

    /// A value in the JSON of policy files.
    private static func json(_ value: Value) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return writer.text
    }

    /// A text escaped for a one-line comment.
    private static func comment(_ text: String) -> String { Printable.escape(text) }
}
