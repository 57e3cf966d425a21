import Policy
import PropertyList

extension ResultantSet {
    /// The set as text that a person can check.
    var rendered: String {
        var lines: [String] = []
        for entry in entries {
            let mode = entry.onOverride == .shadow ? " (shadow)" : ""
            lines.append("\(entry.level.rawValue) \(entry.domain) \(entry.key) = \(text(entry.value))\(mode)")
            lines.append("    \(entry.origin.policy) \(entry.origin)")
            for loser in entry.losers {
                lines.append("    beats \(loser.level.rawValue) \(text(loser.value)) of \(loser.origin)")
            }
        }
        for file in skipped { lines.append("skipped \(file.policy) \(file.file): \(file.reason)") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A value in JSON, or a dash for none.
    private func text(_ value: Value?) -> String {
        guard let value else { return "-" }
        var writer = JSONWriter()
        writer.value(value)
        return writer.text
    }
}
