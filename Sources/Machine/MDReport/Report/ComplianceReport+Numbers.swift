import MDAuditReading
import MDAuditRecord
import MDCare
import MDEngine
import MDPlatform
import MDPolicyCore
package import MDPropertyList

/// Numbers that several renderers show.
extension ComplianceReport {
    /// The share of required keys that are covered, in percent with one digit, rounded down.
    package struct Rates: Sendable {
        /// Without regard to waivers: a waived key is one that is not covered.
        package let raw: String
        /// A waived key counts as covered.
        package let withWaivers: String
        /// The share with waivers in tenths of a percent.
        package let tenths: Int
    }

    /// The shares of covered keys; `nil` if nothing is required.
    package var rates: Rates? {
        let covered = summary.requirements.met
        let required = summary.requirements.required
        guard required > 0 else { return nil }
        func tenths(_ count: Int) -> Int { count * 1_000 / required }
        func text(_ tenths: Int) -> String { "\(tenths / 10).\(tenths % 10) %" }
        let adjusted = tenths(covered + summary.waived)
        return Rates(raw: text(tenths(covered)), withWaivers: text(adjusted), tenths: adjusted)
    }

    /// A domain that nothing is known to enforce for some users.
    package struct UncoveredDomain: Sendable {
        package let domain: Key
        /// The different keys.
        package let keys: Int
        package let users: Int
    }

    /// The domains with keys that nothing is known to enforce, in byte order.
    package var uncoveredDomains: [UncoveredDomain] {
        var keys: [Key: Set<Key>] = [:]
        var people: [Key: Int] = [:]
        var shares: [Int: Set<Key>] = [:]
        for user in users {
            let known = user.share.flatMap { shares[$0] }
            var domains = known ?? []
            for key in known == nil ? user.keys : [] where key.coverage == .none {
                keys[key.entry.domain, default: []].insert(key.entry.key)
                domains.insert(key.entry.domain)
            }
            if let share = user.share { shares[share] = domains }
            for domain in domains { people[domain, default: 0] += 1 }
        }
        return keys.keys.sorted().map {
            UncoveredDomain(domain: $0, keys: keys[$0]?.count ?? 0, users: people[$0] ?? 0)
        }
    }

    /// The text for a record of a change: the change, its subject, and the user that made it.
    func words(of change: AuditRecord) -> String {
        let file = change.policy?.file.map { " \(root.display($0))" } ?? ""
        if change.kind == .grant {
            // The notes of grants and exams name both people and the grant; a waiver is that of the user of the record.
            guard let domain = change.domain, let note = change.note, note.utf8.starts(with: "waiver".utf8) else {
                return change.note ?? "granted"
            }
            let user = change.user.map { " of \($0)" } ?? ""
            return "\(domain.string) \(change.key?.string ?? "")\(user): \(note)\(file)"
        }
        let login = change.auid.flatMap { $0 == change.uid ? nil : name(of: $0) }.map { "\($0) as " } ?? ""
        let who = (change.user ?? change.uid.map { $0 == 0 ? "root" : "uid \($0)" }).map { ", by \(login)\($0)" } ?? ""
        return "\(change.note ?? "changed")\(file)\(who)"
    }

    /// The name of a user of the report; `nil` for any other.
    private func name(of uid: UInt32) -> String? { users.first { $0.account.uid == uid }?.account.name }

    /// The numbers of changes by why they were made, in words: `9 intended, 1 corrective`.
    var changeCounts: String {
        PolicyHistory.Kind.allCases.compactMap { kind in
            let count = history.changes.count { $0.kind == kind }
            return count > 0 ? "\(count) \(kind.rawValue)" : nil
        }.joined(separator: ", ")
    }

    /// The waivers of all users, the expired ones first.
    var waivers: [(user: String, waiver: ResolvedWaiver)] {
        let all = users.flatMap { user in user.waivers.map { (user.account.name, $0) } }
        return all.filter { $0.1.state == .expired } + all.filter { $0.1.state != .expired }
    }

    /// How the attempts compare with the period before; `nil` if the period has no beginning.
    var comparison: String? {
        guard let before else { return nil }
        let difference = tally.attempts.subtractingReportingOverflow(before.attempts).partialValue
        let trend =
            difference == 0 ? "as many as" : difference > 0 ? "\(difference) more than" : "\(-difference) fewer than"
        return "\(trend) in the period before, from \(TextReport.time(before.since)) (\(before.attempts))"
    }

    /// What the state of the log means, for a reader who does not know how it is made.
    var logMeaning: String {
        switch log.status {
        case .intact: "No record was changed, removed or added afterwards."
        case .gaps: "No record was changed or removed afterwards; the log itself says where something is missing."
        case .altered:
            "Somebody changed records after they were stored: what this report says of attempts is not proven."
        case .truncated: "Records are missing at the end: there may have been attempts that this report does not show."
        case .unchecked: "Whether records were changed or removed is not known."
        case nil: "Nothing was tried since recording began, or nothing was recorded."
        }
    }

    /// What no report can say, for its reader.
    package static let limitsOfMethod =
        "In force as written is the word of the engine that programs ask. Enforcement by the library is cooperative: a"
        + " program that does not ask it is not stopped; what it stores under a forced key is found and counted. Observed"
        + " means that a program of the user opened the domain since the machine was started, not that each of its"
        + " windows obeys. Written means that a program's own policy files have the key; mdefaults programs check asks the"
        + " programs. Root of this machine can show this report anything; signed checkpoints kept elsewhere limit that."
}

extension ReportSummary {
    /// What of the attempts on record is only claimed, as a clause; `nil` if nothing is.
    package var claim: String? { ReportSummary.claim(claimed) }

    /// The same of a number of attempts.
    static func claim(_ count: Int) -> String? {
        count > 0 ? "\(count) of them claimed by senders, who kept them in spools" : nil
    }

    /// What of the attempts that were not stored is only claimed, as a clause; `nil` if nothing is.
    package var claimOfDropped: String? { ReportSummary.claim(dropped: claimedDropped) }

    /// The same of a number of attempts.
    static func claim(dropped count: Int) -> String? {
        count > 0 ? "\(count) of them by the word of senders" : nil
    }
}
