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
        var metrics = MetricsText()
        let seconds = Int(report.generated.microseconds / 1_000_000)
        metrics.gauge("report_timestamp_seconds", "When the report was made, in seconds since 1970.", seconds)
        metrics.gauge(
            "policy_info", "The digest of the policy files in force.", by: ["digest"],
            [([report.policyDigest?.hex ?? "unknown"], 1)])
        metrics.gauge(
            "report_verdict", "1 for the verdict of the report.", by: ["verdict"],
            ComplianceVerdict.allCases.map { ([$0.rawValue], report.verdict == $0 ? 1 : 0) })
        metrics.gauge(
            "report_complete", "1 if everything could be read that the report is about.", report.limits.isEmpty ? 1 : 0)
        metrics.gauge("users", "Users that the report covers.", summary.users)
        metrics.gauge(
            "requirements", "Requirements, counted for each user, waived ones too.", summary.requirements.required)
        metrics.gauge(
            "requirements_by_state", "Requirements by what is known of them.", by: ["state"],
            RequirementState.allCases.map { ([$0.rawValue], summary.requirements[$0]) })
        metrics.gauge("policy_files_broken", "Policy files that are not in force as written.", summary.brokenFiles)
        metrics.gauge("values_hidden", "Values that users have stored and forced ones hide.", summary.hidden)
        metrics.gauge("override_attempts", "Override attempts on record in the report's period.", summary.attempts)
        metrics.gauge("override_attempts_dropped", "Attempts that were counted and not stored.", summary.dropped)
        metrics.gauge(
            "findings", "Findings by severity.", by: ["severity"],
            FindingSeverity.allCases.map { severity in
                ([severity.rawValue], report.findings.count { $0.severity == severity })
            })
        return Array(metrics.text.utf8)
    }

    /// Escapes the value of a label.
    package static func escape(_ value: String) -> String { MetricsText.escape(value) }
}
