/// Writes metrics for the textfile collector of Prometheus' node exporter.
///
/// Source: <https://prometheus.io/docs/instrumenting/exposition_formats/>
struct MetricsText {
    private(set) var text = ""

    private mutating func begin(_ name: String, _ help: StaticString) {
        text += "# HELP mdefaults_\(name) \(help)\n# TYPE mdefaults_\(name) gauge\n"
    }

    /// Adds a number.
    mutating func gauge(_ name: String, _ help: StaticString, _ value: Int) {
        begin(name, help)
        text += "mdefaults_\(name) \(value)\n"
    }

    /// Adds a number for each set of labels.
    mutating func gauge(_ name: String, _ help: StaticString, by labels: [String], _ values: [([String], Int)]) {
        begin(name, help)
        for (own, count) in values {
            let pairs = zip(labels, own).map { "\($0)=\"\(MetricsText.escape($1))\"" }.joined(separator: ",")
            text += "mdefaults_\(name){\(pairs)} \(count)\n"
        }
    }

    /// Escapes the value of a label.
    static func escape(_ value: String) -> String {
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
