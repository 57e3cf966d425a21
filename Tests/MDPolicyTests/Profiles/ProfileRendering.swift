import MDPlatform
import MDPolicyModel
import MDPropertyList

/// A parsed policy file as text that a person can check.
enum ProfileRendering {
    /// The file, if any, and the findings.
    static func text(_ result: (file: PolicyFile?, diagnostics: [Diagnostic])) -> String {
        var lines: [String] = []
        if let file = result.file {
            let version = file.version.map { " version \($0)" } ?? ""
            lines.append("\(file.identifier)\(version) | \(file.summary) | \(file.contact)")
            if let target = file.target {
                lines.append("applies to \(target.include.isEmpty ? "everybody" : "some")")
                if let end = target.notAfter { lines.append("until \(end.rfc3339)") }
            }
            for entry in file.entries {
                var writer = JSONWriter()
                if let value = entry.value { writer.value(value.value) }
                let rule =
                    switch entry.rule {
                    case _ where entry.level != .setOnce: ""
                    case .eachVersion: " (each version)"
                    case .eachStamp(let stamp): " (stamp \(stamp))"
                    case .eachSession: " (each session)"
                    }
                lines.append(
                    "\(entry.level.rawValue) \(entry.domain) \(entry.key) = \(writer.text)\(rule) at"
                        + " \(entry.origin.position)")
            }
            for entry in file.combine { lines.append("\(entry.combine.rawValue) \(entry.domain) \(entry.key)") }
        } else {
            lines.append("no policy")
        }
        return (lines + result.diagnostics.map(\.description)).map { $0 + "\n" }.joined()
    }
}
