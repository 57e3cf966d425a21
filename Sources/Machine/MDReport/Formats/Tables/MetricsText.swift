/// Metrics as text, each with its meaning and type.
///
/// Source: <https://prometheus.io/docs/instrumenting/exposition_formats/>
package struct MetricsText {
    /// The text so far.
    package private(set) var text = ""
    private let prefix: String

    /// Begins a text; all names begin with `prefix`.
    package init(prefix: String) { self.prefix = prefix }

    /// Adds a number, once for each set of labels.
    package mutating func gauge(
        _ name: StaticString, _ help: StaticString, _ values: [(labels: [(String, String)], Int)]
    ) {
        text += "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) gauge\n"
        for (labels, count) in values {
            let pairs = labels.map { "\($0)=\"\(MetricsText.escape($1))\"" }.joined(separator: ",")
            text += "\(prefix)\(name)\(pairs.isEmpty ? "" : "{\(pairs)}") \(count)\n"
        }
    }

    /// Escapes the value of a label.
    package static func escape(_ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
