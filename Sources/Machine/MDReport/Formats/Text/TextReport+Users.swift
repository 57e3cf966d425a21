import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDCare
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList
import MDTools

extension TextReport {
    /// Adds what is forced for all users, then each user; users with the same entries share a table.
    mutating func usersAndKeys() {
        let groups = UserGroup.groups(of: report.users)
        let shared = shared(by: groups)
        if !shared.isEmpty {
            let title = "Everybody: \(Plural.count(shared.count, "forced key")), the same for all"
            heading("\(title) \(report.users.count) users")
            table(shared.sorted { UserGroup.precedes($0, $1) }, of: report.users)
        }
        for group in groups { self.group(group, shared: shared) }
        if !report.otherAttempts.isEmpty {
            heading("Attempts by others, whom the list of users lacks")
            attempts(report.otherAttempts, naming: true)
        }
    }

    /// The entries that all users have with the same value; none if all users share one table.
    private func shared(by groups: [UserGroup]) -> Set<UserGroup.Identity> {
        guard groups.count > 1 else { return [] }
        var result = Set(groups.first?.keys.map { UserGroup.Identity($0.entry) } ?? [])
        for group in groups { result.formIntersection(group.keys.map { UserGroup.Identity($0.entry) }) }
        var first: [UserGroup.Identity: Key] = [:]
        for user in report.users {
            for key in user.keys {
                let identity = UserGroup.Identity(key.entry)
                guard result.contains(identity) else { continue }
                let value = Key(ReportValue.line(key))
                if first.updateValue(value, forKey: identity) ?? value != value { result.remove(identity) }
            }
        }
        return result
    }

    /// Adds a group of users: their table, then the stored values and attempts of each.
    private mutating func group(_ group: UserGroup, shared: Set<UserGroup.Identity>) {
        let names = group.users.map { Printable.escape($0.account.name) }
        let each = names.count > 1 ? " each" : ""
        let full = names.count == 1 ? fullName(of: group.users[0]).map { " (\($0))" } ?? "" : ""
        line()
        let title =
            "\(names.joined(separator: ", "))\(full): \(Plural.count(group.keys.count, "forced key"))\(each)"
        let start = lines.count
        paragraph(title, first: "", indent: 0)
        let width = lines[start...].map(\.count).max() ?? 0
        line(String(repeating: "-", count: min(width, TextReport.width)))
        if names.count > 1 {
            let width = names.map(\.count).max() ?? 0
            for (user, name) in zip(group.users, names) {
                paragraph(
                    [fullName(of: user), facts(of: user)].compactMap(\.self).joined(separator: ": "),
                    first: "  \(TextReport.pad(name, width))  ")
            }
        }
        let own = group.keys.map { UserGroup.Identity($0.entry) }.filter { !shared.contains($0) }
        let isKnown = group.users.allSatisfy(\.knowledge.isDecisive)
        if !isKnown { line("  What is forced cannot be told; see \"Complete\" above.") }
        if group.keys.isEmpty {
            if isKnown { line("  Nothing is forced.") }
        } else if own.isEmpty {
            line("  The keys of everybody, and no others.")
        } else {
            if !shared.isEmpty { line("  The keys of everybody, and:") }
            table(own, of: group.users)
        }
        constraints(of: group.users)
        for user in group.users { details(of: user) }
    }

    /// The full name of the person, unless it is empty or equals the user name.
    private func fullName(of user: UserCompliance) -> String? {
        let account = user.account
        if account.fullName.isEmpty || Key(account.fullName) == Key(account.name) { return nil }
        return Printable.escape(account.fullName)
    }

    /// The number of hidden values and attempts, in words.
    private func facts(of user: UserCompliance) -> String {
        var facts: [String] = []
        let hidden = user.keys.count { $0.isHiding }
        if hidden > 0 { facts.append(Plural.count(hidden, "hidden value")) }
        let attempts = user.attempts.reduce(AttemptCount()) { $0 + $1.attempts }.seen
        if attempts > 0 { facts.append(Plural.count(attempts, "override attempt")) }
        if !user.isHomeRead { facts.append("stored values not known") }
        return facts.isEmpty ? "nothing hidden, no attempts on record" : facts.joined(separator: ", ")
    }

    /// Adds forced keys by domain: key, file and line, value; a line for each user if the values differ.
    ///
    /// Complexity: O(users × keys).
    private mutating func table(_ identities: [UserGroup.Identity], of users: [UserCompliance]) {
        let entries = users.map { user in
            Dictionary(user.keys.map { (UserGroup.Identity($0.entry), $0) }, uniquingKeysWith: { one, _ in one })
        }
        let keyWidth = min(identities.map { TextReport.name($0.key).count }.max() ?? 0, 24)
        let placeWidth = min(identities.map { place(of: $0.origin).count }.max() ?? 0, 28)
        var domain: Key?
        for identity in identities {
            if identity.domain != domain {
                line("  \(Printable.escape(identity.domain.string))")
                domain = identity.domain
            }
            let mark = identity.isRecordedCopy ? "  (last good copy)" : ""
            let name = TextReport.pad(TextReport.name(identity.key), keyWidth)
            let start = "    \(name)  \(TextReport.pad(place(of: identity.origin), placeWidth))"
            let values = zip(users, entries).compactMap { user, entries in
                entries[identity].map { key in (user: user.account.name, text: ReportValue.line(key)) }
            }
            guard let first = values.first else { continue }
            if !values.allSatisfy({ Key($0.text) == Key(first.text) }) {
                line("    \(name)  \(place(of: identity.origin))\(mark)")
                let width = values.map { Printable.escape($0.user).count }.max() ?? 0
                for value in values {
                    line("        \(TextReport.pad(Printable.escape(value.user), width))  \(value.text)")
                }
            } else if start.count + 2 + first.text.count + mark.count <= TextReport.width {
                line("\(start)  \(first.text)\(mark)")
            } else {
                line("    \(name)  \(place(of: identity.origin))\(mark)")
                line("        \(first.text)")
            }
            if let key = entries.lazy.compactMap({ $0[identity] }).first { metadata(key.entry.metadata) }
        }
    }

    /// The key of a forced entry; that of a seal covers all keys that are not listed.
    private static func name(_ key: Key) -> String {
        key.string.isEmpty ? "(any other key)" : Printable.escape(key.string)
    }

    /// Adds the title and the controls of a key, if policy has them.
    private mutating func metadata(_ metadata: KeyMetadata) {
        let controls = metadata.controls.isEmpty ? "" : "(\(metadata.controls.joined(separator: ", ")))"
        let title = metadata.title.isEmpty ? metadata.description : metadata.title
        let text = [title, controls].filter { !$0.isEmpty }.joined(separator: " ")
        if !text.isEmpty { paragraph(Printable.escape(text), first: "        ") }
    }

    /// The short name of an origin's file, and the line; in a binary file the offset.
    func place(of origin: Origin) -> String {
        let file = fileName(origin.file)
        return origin.position.isBinary ? "\(file), \(origin.position)" : "\(file):\(origin.position.line)"
    }

    /// Adds the constraints of users, once if all have the same and the same is known of them.
    private mutating func constraints(of users: [UserCompliance]) {
        let all = users.map { $0.constraints.map(\.requirement) }
        let words = all.map { $0.map { Key("\($0.domain) \($0.key) \($0.words)") } }
        let isShared = words.allSatisfy { $0 == words.first }
        for (user, own) in zip(users, all).prefix(isShared ? 1 : users.count) where !own.isEmpty {
            line()
            line("  Constraints\(users.count == 1 || isShared ? "" : " of \(Printable.escape(user.account.name))")")
            for item in own {
                line("    \(Printable.escape(item.domain.string)) \(Printable.escape(item.key.string))")
                paragraph(
                    "\(item.state.rawValue): \(Printable.escape(item.words)), by \(place(of: item.origin))",
                    first: "        ")
            }
        }
    }

    /// Adds the stored values, waivers and attempts of a user.
    private mutating func details(of user: UserCompliance) {
        let name = Printable.escape(user.account.name)
        if !user.isHomeRead {
            line()
            paragraph("What \(name) has stored is not known; see \"Complete\" above.", first: "  ")
        }
        let stored = user.keys.filter { !$0.stored.isEmpty }
        if !stored.isEmpty {
            line()
            line("  Stored by \(name) beneath forced keys, without effect")
        }
        for key in stored {
            for value in key.stored { self.stored(value, beneath: key) }
        }
        outside(of: user)
        waivers(of: user)
        if !user.attempts.isEmpty {
            line()
            line("  Override attempts of \(name) on record")
            attempts(user.attempts, naming: false)
        }
    }

    /// Adds a stored value of a forced key.
    private mutating func stored(_ stored: HiddenValue, beneath own: KeyCompliance) {
        let entry = own.entry
        let domain = Printable.escape(stored.domain.string)
        let remark = [
            stored.isThisHost ? "for this host only" : nil, stored.isEqual ? "equals the forced value" : nil,
        ].compactMap(\.self).joined(separator: ", ")
        let key = "    \(domain) \(Printable.escape(entry.key.string))"
        let value =
            ReportValue.line(stored.value, isSensitive: own.isSensitive) + (remark.isEmpty ? "" : "  (\(remark))")
        if key.count + 3 + value.count <= TextReport.width {
            line("\(key) = \(value)")
        } else {
            line("\(key) =")
            line("        \(value)")
        }
        line("        in \(Printable.escape(report.root.display(stored.file)))")
    }
}

/// Users with the same forced entries of the same files; only values with variables may differ.
struct UserGroup {
    /// The identity of a forced entry, which users can have in common.
    struct Identity: Hashable {
        /// The domain.
        let domain: Key
        /// The key.
        let key: Key
        /// The origin of the entry.
        let origin: Origin
        /// Whether the entry comes from a recorded copy.
        let isRecordedCopy: Bool

        /// Identifies an entry.
        init(_ entry: ResolvedEntry) {
            domain = entry.domain
            key = entry.key
            origin = entry.origin
            isRecordedCopy = entry.isRecordedCopy
        }
    }

    /// The users, in the order of the account database; never empty.
    private(set) var users: [UserCompliance]

    /// The forced keys of the group's first user.
    var keys: [KeyCompliance] { users.first?.keys ?? [] }

    /// Groups users by their entries, in the order of the first user of each group.
    ///
    /// Complexity: O(users × keys).
    static func groups(of users: [UserCompliance]) -> [UserGroup] {
        var groups: [UserGroup] = []
        var places: [[Identity]: Int] = [:]
        var shares: [Int: Int] = [:]
        for user in users {
            if let place = user.share.flatMap({ shares[$0] }) {
                groups[place].users.append(user)
                continue
            }
            let identity = user.keys.map { Identity($0.entry) }
            let place = places[identity] ?? groups.count
            if place < groups.count {
                groups[place].users.append(user)
            } else {
                places[identity] = place
                groups.append(UserGroup(users: [user]))
            }
            if let share = user.share { shares[share] = place }
        }
        return groups
    }

    /// Whether an entry comes before another in a report: by domain and key in byte order.
    static func precedes(_ left: Identity, _ right: Identity) -> Bool {
        left.domain == right.domain ? left.key < right.key : left.domain < right.domain
    }
}
