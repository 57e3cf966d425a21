import MDAuditReading
import MDAuditRecord
import MDCare
import MDEngine
import MDPlatform
import MDPolicyCore
package import MDPropertyList

/// Numbers that several renderers show.
extension ComplianceReport {
    /// The share of requirements that are met, in words; `nil` where there is none, and as if at another time.
    var share: String? {
        let requirements = summary.requirements
        return requirements.required > 0 && verdict != .asIf ? requirements.allWords : nil
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
            for key in known == nil ? user.keys : [] where key.reason == .notCovered && key.isRequirement {
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
        return "\(trend) in the period before, from \(ReportTime.words(before.since)) (\(before.attempts))"
    }

    /// What was read, if nothing was left out; the sentence goes on with *were read*.
    var wasRead: String {
        let homes =
            users.count == 1 ? "the preference files of 1 user" : "the preference files of all \(users.count) users"
        let policy = files.count == 1 ? "the policy file" : "all \(files.count) policy files"
        let end = log.status == nil ? "the audit log, which has no record" : "the audit log to its end"
        return "\(homes), \(isManaged ? policy : "that there is no policy"), the files of programs and \(end)"
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
        "Enforcement by the library is cooperative: a program that does not ask it is not stopped; what it stores under a"
        + " forced key is found and counted. Observed is a fact about a domain: a program of the user opened it since the"
        + " machine was started, which says neither that the program takes each key nor that each of its windows obeys. Only"
        + " programs count that belong to root, or that policy names (Metadata, Programs); a user can make one of these"
        + " open a domain. Written means that a program's own policy files have the key; mdefaults programs check asks the"
        + " programs. Root of this machine can show this report anything; signed checkpoints kept elsewhere limit that."
}

extension ReportSummary {
    /// What of attempts only senders say, as a clause; `nil` if nothing is.
    package var claim: String? { ReportSummary.claim(claimed) }

    /// The same of a number of attempts.
    static func claim(_ count: Int) -> String? {
        count > 0
            ? "\(count) more only by the word of senders: by the counts of records, and by records that were in spools"
            : nil
    }

    /// What of the attempts that were not stored only senders say, as a clause; `nil` if nothing is.
    package var claimOfDropped: String? { ReportSummary.claim(dropped: claimedDropped) }

    /// The same of a number of attempts.
    static func claim(dropped count: Int) -> String? {
        count > 0 ? "\(count) more were not stored, only by the word of senders" : nil
    }
}
