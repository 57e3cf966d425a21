import MDCare
import MDEngine
import MDPolicyCore
import MDPolicyModel
package import MDPropertyList

/// A required key over all users of a machine, or a control over all keys that it is about.
package struct RuleSummary: Sendable {
    /// The domain; empty for a control.
    package let domain: Key
    /// The key, or the control.
    package let key: Key
    /// What the key is called; empty if policy does not say.
    package var title = ""
    /// The controls that ask for the key.
    package var controls: [String] = []
    /// The users for whom it is required, those with a waiver too.
    package var users = 0
    /// The users for whom it is in force and a program is known to obey.
    package var covered = 0
    /// The users for whom it is forced as the policy files say now.
    package var inForce = 0
    /// The users for whom nothing is known to enforce it.
    package var notCovered = 0
    /// The users for whom that is unknown.
    package var unknown = 0
    /// The users for whom a waiver lifts it.
    package var waived = 0
    /// The users who have stored another value beneath.
    package var hidden = 0
    /// The different keys; 1 for a key.
    package var keys = 1

    init(domain: Key, key: Key) {
        (self.domain, self.key) = (domain, key)
    }

    /// Whether it holds for every user, or a waiver lifts it.
    package var isMet: Bool { covered + waived >= users }

    /// Adds a key to a control.
    private mutating func add(_ rule: RuleSummary) {
        users += rule.users
        covered += rule.covered
        inForce += rule.inForce
        notCovered += rule.notCovered
        unknown += rule.unknown
        waived += rule.waived
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
        // Keys that many users share are looked at once.
        var shares: [Int: Int] = [:]
        for user in users { if let share = user.share { shares[share, default: 0] += 1 } }
        for user in users {
            let count = user.share.map { shares.removeValue(forKey: $0) ?? 0 } ?? 1
            var own: [Int] = []
            for (number, key) in (count > 0 ? user.keys : []).enumerated() {
                // Users mostly have the same keys in the same order.
                let entry = key.entry
                let guess = number < last.count ? last[number] : nil
                let place =
                    guess.flatMap { rules[$0].key == entry.key && rules[$0].domain == entry.domain ? $0 : nil }
                    ?? index(entry.domain, entry.key)
                own.append(place)
                rules[place].add(key, of: count)
            }
            if count > 0 { last = own }
            for waiver in user.waivers where waiver.state == .inForce {
                let place = index(waiver.waiver.domain, waiver.waiver.key)
                rules[place].users += 1
                rules[place].waived += 1
            }
        }
        return rules.sorted { $0.domain == $1.domain ? $0.key < $1.key : $0.domain < $1.domain }
    }
}

extension RuleSummary {
    /// Adds a key of so many users.
    fileprivate mutating func add(_ key: KeyCompliance, of count: Int) {
        let metadata = key.entry.metadata
        if title.isEmpty { title = metadata.title }
        if controls.isEmpty { controls = metadata.controls }
        users += count
        if key.isCovered { covered += count }
        if key.isInForce { inForce += count }
        if key.isHiding { hidden += count }
        if key.state == .notMet {
            notCovered += count
        } else if !key.isCovered {
            unknown += count
        }
    }
}
