import Platform
import PropertyList

extension Target {
    /// Why the target does not match a subject, in words; `nil` where it matches.
    ///
    /// Where nobody reads the words, `inWords` spares making them, and the answer is empty instead.
    func mismatch(of subject: Subject, names: NameTable, inWords: Bool = true) -> String? {
        userMismatch(subject, names, inWords) ?? groupMismatch(subject, names, inWords)
            ?? hostMismatch(subject, inWords) ?? tagMismatch(subject, inWords)
            ?? exception(for: subject, names, inWords)
    }

    /// Whether the machine's tags decide whether the target matches.
    var asksForTags: Bool { include.tags != nil || except.tags != nil }

    /// Whether the moment decides whether the target matches.
    var dependsOnTime: Bool { schedule != nil || notBefore != nil || notAfter != nil }

    /// Whether it depends on the user, and not only on machine and time, whether the target matches.
    var dependsOnUser: Bool { include.dependsOnUser || except.dependsOnUser }

    /// Whether all that decides whether the target matches a subject is known, its time aside.
    ///
    /// If not all groups are known, a target counts as matching, so that no user escapes it. A waiver must not be won that way.
    func isCertain(for subject: Subject, names: NameTable) -> Bool {
        include.isCertain(for: subject, names: names) && (except.groups == nil || subject.areGroupsKnown)
    }

    /// Why the clause `Users` does not match.
    private func userMismatch(_ subject: Subject, _ names: NameTable, _ inWords: Bool) -> String? {
        guard let users = include.users, !subject.unknown.contains(.identity) else { return nil }
        let own = [subject.uid]
        if users.contains(where: { Target.matches($0.state ?? names.user($0.name), own) }) { return nil }
        guard inWords else { return "" }
        return "applies to \(Target.list("user", users, subject)); this is \(Printable.escape(subject.userName))"
    }

    /// Why the clause `Groups` does not match.
    private func groupMismatch(_ subject: Subject, _ names: NameTable, _ inWords: Bool) -> String? {
        guard let groups = include.groups, !subject.unknown.contains(.identity) else { return nil }
        let own = [subject.gid] + subject.groups
        if groups.contains(where: { Target.matches($0.state ?? names.group($0.name), own) }) { return nil }
        if !subject.areGroupsKnown { return nil }
        guard inWords else { return "" }
        let user = Printable.escape(subject.userName)
        return "applies to \(Target.list("group", groups, subject)); \(user) is in \(Target.groupList(of: subject))"
    }

    /// Why the clause `Hosts` does not match.
    private func hostMismatch(_ subject: Subject, _ inWords: Bool) -> String? {
        guard let hosts = include.hosts else { return nil }
        if hosts.contains(where: { $0.matches(subject.host) }) { return nil }
        guard inWords else { return "" }
        let host = Printable.escape(subject.host.short)
        guard let first = hosts.first, hosts.count == 1 else {
            let patterns = Target.joined(hosts.map(\.text), subject)
            return "none of the host patterns \(patterns) matches \(host)"
        }
        let pattern = Printable.escape(first.text)
        if first.isLiteral { return "applies to host \(pattern); this is \(host)" }
        return "host glob \(pattern) does not match \(host)"
    }

    /// Why the clause `Tags` does not match.
    private func tagMismatch(_ subject: Subject, _ inWords: Bool) -> String? {
        guard let tags = include.tags else { return nil }
        if tags.contains(where: { subject.tags.contains($0.name) }) { return nil }
        guard inWords else { return "" }
        let own = subject.tags.sorted().map { Printable.escape($0.string) }.joined(separator: ", ")
        return "applies to \(Target.list("tag", tags, subject)); this machine has \(own.isEmpty ? "no tags" : own)"
    }

    /// Which exception takes the subject out.
    private func exception(for subject: Subject, _ names: NameTable, _ inWords: Bool) -> String? {
        /// The user's name in a sentence.
        func user() -> String { Printable.escape(subject.userName) }
        if !subject.unknown.contains(.identity) {
            if (except.users ?? []).contains(where: {
                Target.matches($0.state ?? names.user($0.name), [subject.uid])
            }) {
                return inWords ? "does not apply to user \(user())" : ""
            }
            // Asking for the groups may take time.
            let own = except.groups == nil ? [] : [subject.gid] + subject.groups
            if let group = except.groups?.first(where: {
                Target.matches($0.state ?? names.group($0.name), own)
            }) {
                guard inWords else { return "" }
                return "does not apply to group \(Printable.escape(group.name.string)); \(user()) is in it"
            }
        }
        if let host = except.hosts?.first(where: { $0.matches(subject.host) }) {
            guard inWords else { return "" }
            let name = Printable.escape(subject.host.short)
            return "does not apply to host \(Printable.escape(host.text)); this is \(name)"
        }
        if let tag = except.tags?.first(where: { subject.tags.contains($0.name) }) {
            guard inWords else { return "" }
            return "does not apply to tag \(Printable.escape(tag.name.string)), which this machine has"
        }
        return nil
    }

    /// Whether one of some ids is that of a name.
    private static func matches(_ state: NameTable.State, _ ids: [UInt32]) -> Bool {
        switch state {
        case .id(let id): ids.contains(id)
        case .unknown: false
        }
    }

    /// `user alice`, or `users alice, bob`.
    private static func list(_ noun: String, _ names: [TargetName], _ subject: Subject) -> String {
        "\(noun)\(names.count == 1 ? "" : "s") \(joined(names.map(\.name.string), subject))"
    }

    /// Names with commas between them; of a long list, where that is asked for, the first ones and how many more there are.
    private static func joined(_ names: [String], _ subject: Subject) -> String {
        let limit = subject.longestList ?? names.count
        // A single name takes no more room than its number.
        let shown = names.count > limit + 1 ? names.prefix(limit) : names[...]
        let text = shown.map { Printable.escape($0) }.joined(separator: ", ")
        return shown.count == names.count ? text : "\(text) and \(names.count - shown.count) more"
    }

    /// The subject's groups, by name where they are known.
    private static func groupList(of subject: Subject) -> String {
        let names = subject.groupNames.map { Printable.escape($0) }
        if !names.isEmpty { return names.joined(separator: ", ") }
        let ids = ([subject.gid] + subject.groups.filter { $0 != subject.gid }).map { "gid \($0)" }
        return ids.joined(separator: ", ")
    }
}

extension Target.Clauses {
    /// Whether a clause is about users or groups.
    var dependsOnUser: Bool { users != nil || groups != nil }

    /// Whether every clause that was given is known to match a subject.
    func isCertain(for subject: Subject, names: NameTable) -> Bool {
        /// Whether the id of one of some names is among some ids.
        func contains(_ ids: [UInt32], _ items: [TargetName], _ state: (Key) -> NameTable.State) -> Bool {
            items.contains { item in
                guard case .id(let id) = item.state ?? state(item.name) else { return false }
                return ids.contains(id)
            }
        }
        if dependsOnUser, subject.unknown.contains(.identity) { return false }
        if let users, !contains([subject.uid], users, names.user) { return false }
        if let groups, !contains([subject.gid] + subject.groups, groups, names.group) { return false }
        if let hosts, !hosts.contains(where: { $0.matches(subject.host) }) { return false }
        if let tags, !tags.contains(where: { subject.tags.contains($0.name) }) { return false }
        return true
    }
}

extension HostPattern {
    /// Whether the pattern matches the short or the full name of a host.
    func matches(_ host: HostName) -> Bool {
        matches(host.short) || matches(host.full)
    }
}
