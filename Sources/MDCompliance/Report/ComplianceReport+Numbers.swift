import MDAuditClient
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
        let covered = users.reduce(0) { $0 + $1.keys.count { $0.isCovered } }
        let required = summary.keys + summary.waived
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
        for user in users {
            var domains: Set<Key> = []
            for key in user.keys where key.coverage == .none {
                keys[key.entry.domain, default: []].insert(key.entry.key)
                domains.insert(key.entry.domain)
            }
            for domain in domains { people[domain, default: 0] += 1 }
        }
        return keys.keys.sorted().map {
            UncoveredDomain(domain: $0, keys: keys[$0]?.count ?? 0, users: people[$0] ?? 0)
        }
    }

    /// The attempts of one user.
    package struct AttemptCount: Sendable {
        package let user: String
        package let attempts: Int
        /// The different keys.
        package let keys: Int
    }

    /// The attempts by user, the most first.
    package var attemptCounts: [AttemptCount] {
        struct Place: Hashable {
            let domain: Key?
            let key: Key?
        }
        var counts: [Key: (attempts: Int, keys: Set<Place>)] = [:]
        for record in attempts {
            let name = record.user ?? record.uid.map { "uid \($0)" } ?? "unknown"
            var item = counts[Key(name)] ?? (0, [])
            // The log may have been altered, so a count may have any value.
            item.attempts = item.attempts.addingReportingOverflow(max(record.count ?? 1, 1)).partialValue
            item.keys.insert(Place(domain: record.domain, key: record.key))
            counts[Key(name)] = item
        }
        return counts.map { AttemptCount(user: $0.key.string, attempts: $0.value.attempts, keys: $0.value.keys.count) }
            .sorted { $0.attempts == $1.attempts ? Key($0.user) < Key($1.user) : $0.attempts > $1.attempts }
    }

    /// What a record of a change says: the change, the file, and who made it.
    func words(of change: AuditRecord) -> String {
        let file = change.policy?.file.map { " \(root.display($0))" } ?? ""
        let who = (change.user ?? change.uid.map { "uid \($0)" }).map { ", by \($0)" } ?? ""
        return "\(change.note ?? "changed")\(file)\(who)"
    }

    /// What no report can say, for its reader.
    package static let limitsOfMethod =
        "In force as written is the word of the engine that programs ask. Enforcement by the library is cooperative: a"
        + " program that does not ask it is not stopped; what it stores under a forced key is found and counted. Observed"
        + " means that a program of the user opened the domain since the machine was started, not that each of its"
        + " windows obeys. Written means that a program's own policy files have the key; mdefaults programs check asks the"
        + " programs. Root of this machine can show this report anything; signed checkpoints kept elsewhere limit that."
}
