package import MDPlatform
package import MDPolicyModel
package import MDPropertyList

extension Target {
    /// Why the target does not match a subject, in words; `nil` if it matches.
    ///
    /// Without `inWords`, the words are not composed and the answer is empty instead.
    package func mismatch(of subject: Subject, names: AccountIDs, inWords: Bool = true) -> String? {
        userMismatch(subject, names, inWords) ?? groupMismatch(subject, names, inWords)
            ?? hostMismatch(subject, inWords) ?? tagMismatch(subject, inWords)
            ?? exception(for: subject, names, inWords)
    }

    /// Whether the match depends on the machine's tags.
    package var dependsOnTags: Bool { include.tags != nil || except.tags != nil }

    /// Whether the match depends on the time.
    var dependsOnTime: Bool { schedule != nil || notBefore != nil || notAfter != nil }

    /// Whether the match depends on the user, not only on machine and time.
    var dependsOnUser: Bool { include.dependsOnUser || except.dependsOnUser }

    /// Whether everything that the match depends on is known, except the time.
    ///
    /// If not all groups are known, a target counts as matching, so that no user escapes it. A waiver must not apply
    /// for that reason.
    func isCertain(for subject: Subject, names: AccountIDs) -> Bool {
        include.isCertain(for: subject, names: names) && (except.groups == nil || subject.areGroupsKnown)
    }

    /// Why the clause `Users` does not match.
    private func userMismatch(_ subject: Subject, _ names: AccountIDs, _ inWords: Bool) -> String? {
        guard let users = include.users, !subject.unknown.contains(.identity) else { return nil }
        let own = [subject.uid]
        if users.contains(where: { Target.matches($0.state ?? names.user($0.name), own) }) { return nil }
        guard inWords else { return "" }
        return "applies to \(Target.list("user", users, subject)); this is \(Printable.escape(subject.userName))"
    }

    /// Why the clause `Groups` does not match.
    private func groupMismatch(_ subject: Subject, _ names: AccountIDs, _ inWords: Bool) -> String? {
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

    /// The exception that excludes the subject.
    private func exception(for subject: Subject, _ names: AccountIDs, _ inWords: Bool) -> String? {
        /// The user's name in a sentence.
        func user() -> String { Printable.escape(subject.userName) }
        if !subject.unknown.contains(.identity) {
            if (except.users ?? []).contains(where: {
                Target.matches(($0.state ?? names.user($0.name)).freeing, [subject.uid])
            }) {
                return inWords ? "does not apply to user \(user())" : ""
            }
            // Reading the groups may take time.
            let own = except.groups == nil ? [] : [subject.gid] + subject.groups
            if let group = except.groups?.first(where: {
                Target.matches(($0.state ?? names.group($0.name)).freeing, own)
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

    /// Whether one of some ids belongs to a name.
    private static func matches(_ state: AccountIDs.State, _ ids: [UInt32]) -> Bool {
        state.ids.contains { ids.contains($0) }
    }

    /// `user alice`, or `users alice, bob`.
    private static func list(_ noun: String, _ names: [TargetName], _ subject: Subject) -> String {
        "\(noun)\(names.count == 1 ? "" : "s") \(joined(names.map(\.name.string), subject))"
    }

    /// Names with commas between them; of a list beyond the subject's limit, the first ones and the number of the
    /// others.
    private static func joined(_ names: [String], _ subject: Subject) -> String {
        // A name that gets another id is in a compiled table once with each.
        let names = names.indices.filter { $0 == 0 || names[$0] != names[$0 - 1] }.map { names[$0] }
        let limit = subject.longestList ?? names.count
        // The number of the others would be as long as a single name.
        let shown = names.count > limit + 1 ? names.prefix(limit) : names[...]
        let text = shown.map { Printable.escape($0) }.joined(separator: ", ")
        return shown.count == names.count ? text : "\(text) and \(names.count - shown.count) more"
    }

    /// The subject's groups, by name if it is known.
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

    /// Clauses that match no user.
    static let nobody = Target.Clauses(users: [])

    /// Whether a name in them gets another id.
    func areChanging(_ names: AccountIDs) -> Bool {
        (users ?? []).contains { names.user($0.name).isChanging }
            || (groups ?? []).contains { names.group($0.name).isChanging }
    }

    /// Whether every clause that was given certainly matches a subject.
    func isCertain(for subject: Subject, names: AccountIDs) -> Bool {
        /// Whether the id of any of some names is among some ids.
        func contains(_ ids: [UInt32], _ items: [TargetName], _ state: (Key) -> AccountIDs.State) -> Bool {
            items.contains { item in
                (item.state ?? state(item.name)).freedID.map { ids.contains($0) } ?? false
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
    package func matches(_ host: HostName) -> Bool {
        matches(host.short) || matches(host.full)
    }
}

extension Target {
    /// The beginning of the reason why a target that is over does not apply.
    package static let endedWords = "applied until"

    /// Whether the target's time has come: `NotBefore`, `NotAfter` and the schedule.
    ///
    /// - Parameters:
    ///   - moment: the time; with ``Moment/isClockBehind``, `NotBefore` counts as reached.
    ///   - calendars: the windows of the calendars in force, by name.
    ///   - inWords: whether the reason is wanted; else it is empty.
    /// - Returns: the answer, the time until which it holds, and the unknown calendars and zones.
    package func time(
        at moment: Moment, calendars: [Key: [Window]], inWords: Bool = true
    ) -> TimeVerdict {
        let now = moment.time
        let timetable = schedule.map { ResolvedSchedule($0, calendars: calendars, zones: moment.zones) }
        let problems = timetable?.problems ?? []
        if let notAfter, now >= notAfter {
            let reason = inWords ? "\(Target.endedWords) \(TimeWords.moment(notAfter, moment))" : ""
            return TimeVerdict(isOpen: false, reason: reason, problems: problems)
        }
        let begin = notBefore.flatMap { now < $0 && !moment.isClockBehind ? $0 : nil }
        var next: Timestamp?
        if let begin {
            next = timetable.map { $0.isOpen(at: begin) ? begin : $0.nextChange(after: begin) } ?? begin
        } else {
            next = timetable?.nextChange(after: now)
        }
        let isOpen = begin == nil && (timetable?.isOpen(at: now) ?? true)
        if let notAfter {
            // A window that begins at the end does not open; an open one closes there at last.
            let isInTime = next.map { $0 < notAfter } ?? false
            if !isInTime { next = isOpen ? notAfter : nil }
        }
        if isOpen {
            let isCertain = problems.isEmpty || (timetable?.isCertainlyOpen(at: now) ?? true)
            let certainty = problems.isEmpty ? nil : timetable?.nextCertainChange(after: now)
            return TimeVerdict(
                isOpen: true, nextChange: next, isCertain: isCertain, nextCertainty: certainty, problems: problems)
        }
        guard inWords else { return TimeVerdict(isOpen: false, reason: "", nextChange: next, problems: problems) }
        let reason: String
        if let begin {
            reason = "applies from \(TimeWords.moment(begin, moment)) on"
        } else {
            reason = TimeWords.closed(timetable?.slots ?? [], next: next, moment)
        }
        return TimeVerdict(isOpen: false, reason: reason, nextChange: next, problems: problems)
    }
}
