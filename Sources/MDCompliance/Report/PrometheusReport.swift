import MDPlatform

/// Writes the numbers of a compliance report as metrics, for the textfile collector of Prometheus' node exporter.
///
/// Users are counted and not named: metrics are kept, and read by many.
///
/// Source: <https://prometheus.io/docs/instrumenting/exposition_formats/>
package enum PrometheusReport {
    /// The metrics, each with its meaning and type.
    package static func render(_ report: ComplianceReport) -> [UInt8] {
        let summary = report.summary
        var text = ""
        func begin(_ name: String, _ help: StaticString) {
            text += "# HELP mdefaults_\(name) \(help)\n# TYPE mdefaults_\(name) gauge\n"
        }
        func gauge(_ name: String, _ help: StaticString, _ value: Int) {
            begin(name, help)
            text += "mdefaults_\(name) \(value)\n"
        }
        func gauge(_ name: String, _ help: StaticString, by label: String, _ values: [(String, Int)]) {
            begin(name, help)
            for (value, count) in values {
                text += "mdefaults_\(name){\(label)=\"\(Self.escape(value))\"} \(count)\n"
            }
        }
        let seconds = Int(report.generated.microseconds / 1_000_000)
        gauge("report_timestamp_seconds", "When the report was made, in seconds since 1970.", seconds)
        gauge(
            "policy_info", "The digest of the policy files in force.", by: "digest",
            [(report.policyDigest?.hex ?? "unknown", 1)])
        gauge(
            "report_verdict", "1 for the verdict of the report.", by: "verdict",
            ComplianceVerdict.allCases.map { ($0.rawValue, report.verdict == $0 ? 1 : 0) })
        gauge("users", "Users that the report covers.", summary.users)
        gauge("required_keys", "Required keys, counted for each user, waived ones too.", summary.keys + summary.waived)
        gauge(
            "required_keys_by_result", "Required keys by what is known of their effect.", by: "result",
            [
                ("observed", summary.observed), ("written", summary.written), ("notCovered", summary.notCovered),
                ("unobserved", summary.unobserved), ("waived", summary.waived),
            ])
        gauge("keys_in_force", "Required keys that are in force as written.", summary.inForce)
        gauge("keys_broken", "Keys forced by an earlier version of a file only.", summary.broken)
        gauge("policy_files_broken", "Policy files that are not in force as written.", summary.brokenFiles)
        gauge("values_hidden", "Values that users have stored and forced ones hide.", summary.hidden)
        gauge("override_attempts", "Override attempts on record in the report's period.", summary.attempts)
        gauge("override_attempts_dropped", "Attempts that were counted and not stored.", summary.dropped)
        gauge(
            "findings", "Findings by severity.", by: "severity",
            FindingSeverity.allCases.map { severity in
                (severity.rawValue, report.findings.count { $0.severity == severity })
            })
        return Array(text.utf8)
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
