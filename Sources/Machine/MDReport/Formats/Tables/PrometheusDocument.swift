import MDPlatform

/// Writes results as metrics, for the textfile collector of Prometheus' node exporter: those of a machine, or those of
/// each room.
///
/// Users are counted and not named: metrics are kept, and read by many.
///
/// Source: <https://prometheus.io/docs/instrumenting/exposition_formats/>
package struct PrometheusDocument {
    private let table: ResultTable
    private var metrics: MetricsText

    /// The metrics, each with its meaning and type.
    package static func render(_ table: ResultTable) -> [UInt8] {
        var document = PrometheusDocument(table: table)
        document.add()
        return Array(document.metrics.text.utf8)
    }

    private init(table: ResultTable) {
        self.table = table
        metrics = MetricsText(prefix: table.isFleet ? "mdefaults_fleet_" : "mdefaults_")
    }

    private mutating func add() {
        value("report_timestamp_seconds", "When the report was made, in seconds since 1970.") { table in
            [([], Int(table.time.microseconds / 1_000_000))]
        }
        if table.isFleet {
            value("compliant", "1 if every machine is compliant and has reported.") { table in
                [([], table.isCompliant ? 1 : 0)]
            }
            value("reports_refused", "Reports that could not be used.") { table in [([], table.refused)] }
            each("machines", "Machines that should report.") { [([], $0.machines)] }
            each("machines_not_reported", "Machines without a report in time.") {
                [([], $0.machines - $0.verdicts.values.reduce(0, +))]
            }
        } else {
            value("policy_info", "The digest of the policy files in force.") { table in
                [([("digest", table.policyDigest ?? "unknown")], 1)]
            }
        }
        each("report_verdict", "1 for the verdict of the report; of many machines, their number.") { numbers in
            ComplianceVerdict.allCases.map { ([("verdict", $0.rawValue)], numbers.verdicts[$0] ?? 0) }
        }
        each("rule_met", "Rules about machines: 1 if it holds; of many machines, on how many.") { numbers in
            MachineRule.Kind.allCases.map { ([("rule", $0.rawValue)], numbers.rulesMet[$0] ?? 0) }
        }
        each("log_verified", "1 if the audit log verifies; of many machines, for how many.") {
            [([], $0.rulesMet[.log] ?? 0)]
        }
        each("report_complete", "1 if everything was looked at; of many machines, for how many.") {
            [([], $0.rulesMet[.complete] ?? 0)]
        }
        each("log_gaps", "1 if the audit log says itself where records are missing; of many machines, for how many.") {
            [([], $0.logGaps)]
        }
        each("requirements", "Requirements of users by what is known of them; those not applicable count nowhere.") {
            numbers in
            let counts = numbers.counts
            return [
                ("met", counts.met), ("not met", counts.notMet), ("unknown", counts.unknown),
                ("waived", counts.waived), ("not applicable", counts.notApplicable),
            ].map { ([("result", $0)], $1) }
        }
        each("requirements_required", "Requirements that count: met, not met, unknown or waived.") {
            [([], $0.counts.required)]
        }
        each("waivers", "Requirements that waivers lift.") { [([], $0.counts.waived)] }
        each("values_hidden", "Values that users have stored and forced ones hide.") { [([], $0.hidden)] }
        each("override_attempts", "Override attempts on record in the report's period.") { [([], $0.attempts)] }
        each("override_attempts_claimed", "Attempts beside those on record that only their senders have seen.") {
            [([], $0.claimed)]
        }
        each("override_attempts_dropped", "Attempts that were counted and not stored.") { [([], $0.dropped)] }
        each("errors", "Findings that are errors.") { [([], $0.errors)] }
    }

    /// Adds a number of the machine, or of each room.
    private mutating func each(
        _ name: StaticString, _ help: StaticString, _ values: (ResultNumbers) -> [(labels: [(String, String)], Int)]
    ) {
        value(name, help) { table in
            table.numbers.flatMap { numbers in
                values(numbers).map { ((table.isFleet ? [("room", numbers.room)] : []) + $0.labels, $0.1) }
            }
        }
    }

    /// Adds a number, once for each set of labels.
    private mutating func value(
        _ name: StaticString, _ help: StaticString, _ values: (ResultTable) -> [(labels: [(String, String)], Int)]
    ) {
        metrics.gauge(name, help, values(table))
    }
}
