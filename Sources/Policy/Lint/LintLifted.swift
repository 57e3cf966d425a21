import Platform
import PropertyList

/// Entries that a waiver of their own file lifts for everybody whom the file is for.
struct LintLifted {
    /// What was found.
    private(set) var findings: [Diagnostic] = []

    /// Looks at the waivers of files that name nobody and have not ended at a time.
    init(files: [LintFile], time: Timestamp) {
        for file in files {
            let policy = file.policy
            for waiver in policy.waivers
            where waiver.clauses.isEmpty && waiver.until.map({ $0 > time }) ?? true {
                let name = (waiver.domain, waiver.key)
                let entry = policy.entries.first {
                    ($0.level == .forced || $0.level == .absent) && ($0.domain, $0.key) == name
                }
                let rule = policy.constraints.first { ($0.domain, $0.key) == name }
                guard let origin = entry?.origin ?? rule?.origin else { continue }
                let noun = entry == nil ? "constraint" : "entry"
                let end = waiver.until.map { " before \(LintTime.words($0))" } ?? ""
                findings.append(
                    file.warning(
                        .neverWins, at: origin.position,
                        "this \(noun) of \"\(Printable.escape(waiver.key.string))\" never wins\(end): the waiver at"
                            + " \(waiver.origin.position) names nobody, so it lifts the key for everybody this file applies"
                            + " to"))
            }
        }
    }
}
