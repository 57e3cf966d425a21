import MDPolicyAdministration
import MDPolicyCore
import MDTools

extension ComplianceReport {
    /// The verdict in capitals, and a sentence about it.
    package var verdictWords: (words: String, sentence: String) {
        let numbers = summary
        let required = numbers.requirements.required
        let words = verdict.rawValue.uppercased()
        switch verdict {
        case .compliant:
            let waived = numbers.requirements.waived
            let rest = waived > 0 ? "met, or waived (\(waived))" : "met"
            return (
                words, "Policy is in force as written, and all \(Plural.count(required, "requirement")) are \(rest)."
            )
        case .notCovered:
            let parts = RequirementReason.allCases.filter { $0.state == .notMet && numbers.reasons[$0] > 0 }
                .map { "\(numbers.reasons[$0]) \($0.rawValue)" }
            return (
                words,
                "Policy is in force as written, and \(numbers.requirements.notMet) of "
                    + "\(Plural.count(required, "requirement")) are not met: \(parts.joined(separator: ", "))."
            )
        case .notLookedAt:
            let written = numbers.reasons[.written]
            let rest = numbers.requirements.unknown - written
            var sentences = ["No error is known."]
            if written > 0 {
                sentences.append(
                    "\(written) of \(Plural.count(required, "requirement")) are written into programs' files, and whether the"
                        + " programs obey was not looked at: mdefaults programs check.")
            }
            if rest > 0 {
                sentences.append(
                    "Of \(rest) of \(Plural.count(required, "requirement")) it is not known whether they are met.")
            }
            if !limits.isEmpty { sentences.append("\"Complete\" says what was not looked at.") }
            return (words, sentences.joined(separator: " "))
        case .notCompliant:
            let errors = Plural.count(findings.count { $0.severity == .error }, "error")
            let payloads = Plural.count(numbers.payloads, "payload")
            let remarks = [
                users.allSatisfy(\.knowledge.isDecisive) ? "" : "It cannot be told what is forced. ",
                numbers.payloads > 0 ? "Nothing here carries out \(payloads) of profiles. " : "",
            ]
            return (words, "\(remarks.joined())See the \(errors) below.")
        case .nothing:
            let others = numbers.requirements.notApplicable
            let remark =
                others > 0 ? " \(Plural.count(others, "requirement")) are for programs that are not installed." : ""
            return (words, "No key is forced on anybody, or constrained.\(remark)")
        case .asIf:
            let moment = asIf.map { " at \(ReportTime.words($0))" } ?? ""
            return (
                "as if\(moment): no result", "Only policy is of that time; files, homes and the log are those of now."
            )
        }
    }
}
