import MDAuditRecord
import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTools

/// What a report says, in rows of subject, rule, result and words: the one source of the formats of other tools.
///
/// Rows are made when they are asked for, because there can be very many.
package struct ResultTable {
    /// The rows of a user, or of the machines in a room.
    struct Group {
        let name: String
        /// The host; empty for a room.
        let host: String
        /// The rows, in parts.
        let parts: AnySequence<[ResultRow]>
    }

    /// What is known of a rule for all subjects.
    struct Tally {
        var counts = RequirementCounts()
        /// The subjects for which it is not met, and those for which that is unknown.
        var (notMet, unknown): ([String], [String]) = ([], [])

        mutating func add(_ state: RequirementState, of subject: String) {
            counts.add(state)
            if state == .notMet { notMet.append(subject) }
            if state == .unknown { unknown.append(subject) }
        }
    }

    /// The id of the report.
    let id: String
    let title: String
    let time: Timestamp
    /// The version of the program that made it.
    let version: String
    /// The machine, or all machines.
    let subject: ResultSubject
    /// The result in a few words, and a sentence about it.
    let verdict: (words: String, sentence: String)
    /// The requirements by what is known of them: the one denominator.
    let counts: RequirementCounts
    /// The digest of all policy; `nil` if it is unknown, or for many machines.
    let policyDigest: String?
    /// The machines.
    let targets: [String]
    /// Further facts about the whole.
    let facts: [(name: String, value: String)]
    let rules: [ResultRule]
    /// The rows about the machine, or about all machines together; the first one has the result.
    let whole: [ResultRow]
    /// What is known of each rule for all users, or for all machines.
    let tallies: [Tally]
    let groups: [Group]
    /// The numbers of the machine, or of each room.
    let numbers: [ResultNumbers]
    /// The attempts on record, with the name of the log that has them.
    var (attempts, log): ([AuditRecord], String?) = ([], nil)
    /// The reports that could not be used.
    var refused = 0

    var isFleet: Bool { subject.kind == .fleet }
    /// Whether everything that is required is known to hold.
    var isCompliant: Bool { whole.first?.state == .met }
    /// The time in whole seconds.
    var seconds: String { String(time.rfc3339.prefix(19)) + "Z" }
    /// The result, and the share of requirements that are met.
    var sentence: String {
        "\(verdict.words). \(verdict.sentence)"
            + (counts.required > 0 ? " Requirements met: \(counts.words); waived: \(counts.waived)." : "")
    }
    /// The rows of users, or of machines, in parts.
    var details: AnySequence<[ResultRow]> { AnySequence(groups.lazy.flatMap(\.parts)) }
    /// The rows about the whole, then those of users or machines.
    var parts: AnySequence<[ResultRow]> {
        let first: AnySequence<[ResultRow]> = AnySequence([whole])
        return AnySequence([first, details].lazy.joined())
    }

    /// The most subjects that a row about a rule names.
    static let named = 1_000

    /// A row for each further rule that any user or machine has: what is known of it for all of them.
    var summaries: [ResultRow] {
        let said = Set(whole.map(\.rule))
        return rules.indices.compactMap { index in
            let tally = tallies[index]
            guard !said.contains(index), tally.counts != RequirementCounts() else { return nil }
            let unit = isFleet ? "machine" : "user"
            var words = ["met for \(tally.counts.met) of \(Plural.count(tally.counts.required, unit))"]
            if tally.counts.waived > 0 { words.append("waived for \(tally.counts.waived)") }
            if tally.counts.notApplicable > 0 { words.append("not applicable to \(tally.counts.notApplicable)") }
            for (what, names) in [("not met for ", tally.notMet), ("not known for ", tally.unknown)]
            where !names.isEmpty {
                let more = names.count - ResultTable.named
                words.append(
                    what + names.prefix(ResultTable.named).joined(separator: ", ")
                        + (more > 0 ? " and \(more) more" : ""))
            }
            return ResultRow(
                rule: index, subject: subject, state: tally.counts.strictState, words: words.joined(separator: "; "),
                details: ResultDetail.counts(tally.counts))
        }
    }
}

extension RequirementCounts {
    /// What is known of all of them together, where a waiver counts before what is met: no format calls that met.
    var strictState: RequirementState { state == .met && waived > 0 ? .waived : state }
}

extension ComplianceVerdict {
    /// Whether all that is required is known to hold: importers take failures only, and what is unknown is none.
    var state: RequirementState { self == .compliant ? .met : .notMet }
}
