import MDCare
import MDEngine
import MDPolicyCore
import MDPolicyModel
package import MDPropertyList

/// A required or constrained key over all users of a machine, or a control over all keys that it is about.
package struct RuleSummary: Sendable {
    /// The domain; empty for a control.
    package let domain: Key
    /// The key, or the control.
    package let key: Key
    /// What the key is called; empty if policy does not say.
    package var title = ""
    /// The controls that ask for the key.
    package var controls: [String] = []
    /// Its requirements, one for each user.
    package var requirements = RequirementCounts()
    /// The users who have stored another value beneath.
    package var hidden = 0
    /// The different keys; 1 for a key.
    package var keys = 1

    init(domain: Key, key: Key) {
        (self.domain, self.key) = (domain, key)
    }

    /// What is known of it for all users together: what is not met counts before what is unknown.
    package var state: RequirementState { requirements.state }

    /// Adds a key to a control.
    private mutating func add(_ rule: RuleSummary) {
        requirements.add(rule.requirements)
        hidden += rule.hidden
        keys += 1
    }

    /// The numbers of rules together.
    static func total(of rules: [RuleSummary]) -> RuleSummary {
        var total = RuleSummary(domain: Key(""), key: Key(""))
        total.keys = 0
        for rule in rules { total.add(rule) }
        return total
    }

    /// The numbers of rules by control, in byte order; a rule without controls is in none.
    package static func controls(of rules: [RuleSummary]) -> [RuleSummary] {
        var controls: [Key: RuleSummary] = [:]
        for rule in rules {
            for name in Set(rule.controls.map { Key($0) }) {
                var control = controls[name] ?? RuleSummary(domain: Key(""), key: name)
                if controls[name] == nil { control.keys = 0 }
                control.add(rule)
                controls[name] = control
            }
        }
        return controls.keys.sorted().compactMap { controls[$0] }
    }
}

extension ComplianceReport {
    /// A domain and a key in it.
    private struct Place: Hashable {
        let domain: Key
        let key: Key
    }

    /// The required keys over all users, by domain and key in byte order.
    ///
    /// Complexity: O(users × keys).
    static func rules(of users: [UserCompliance]) -> [RuleSummary] {
        var places: [Place: Int] = [:]
        var rules: [RuleSummary] = []
        /// The index of the rule of a key.
        func index(_ domain: Key, _ key: Key) -> Int {
            let place = Place(domain: domain, key: key)
            if let index = places[place] { return index }
            places[place] = rules.count
            rules.append(RuleSummary(domain: domain, key: key))
            return rules.count - 1
        }
        var last: [Int] = []
        // What many users share is looked at once.
        var shares: [Int: Int] = [:]
        for user in users { if let share = user.share { shares[share, default: 0] += 1 } }
        for user in users {
            let count = user.share.map { shares.removeValue(forKey: $0) ?? 0 } ?? 1
            if count == 0 { continue }
            var own: [Int] = []
            for key in user.keys where key.isRequirement {
                // Users mostly have the same keys in the same order.
                let entry = key.entry
                let guess = own.count < last.count ? last[own.count] : nil
                let place =
                    guess.flatMap { rules[$0].key == entry.key && rules[$0].domain == entry.domain ? $0 : nil }
                    ?? index(entry.domain, entry.key)
                own.append(place)
                rules[place].add(key.reason, entry.metadata, count)
                if key.isHiding { rules[place].hidden += count }
            }
            last = own
            for constraint in user.constraints {
                let place = index(constraint.entry.domain, constraint.entry.key)
                rules[place].add(constraint.reason, constraint.constraint.metadata, count)
            }
            for waiver in user.waived.map(\.waiver) {
                let place = index(waiver.domain, waiver.key)
                rules[place].add(.waived, user.metadata[waiver.domain]?[waiver.key] ?? KeyMetadata(), count)
            }
        }
        return rules.sorted { $0.domain == $1.domain ? $0.key < $1.key : $0.domain < $1.domain }
    }
}

extension RuleSummary {
    /// Adds the requirements of so many users.
    fileprivate mutating func add(_ reason: RequirementReason, _ metadata: KeyMetadata, _ count: Int) {
        if title.isEmpty { title = metadata.title }
        if controls.isEmpty { controls = metadata.controls }
        requirements.add(reason.state, count)
    }
}
