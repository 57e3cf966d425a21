package import MDPlatform
package import MDPolicyModel
import MDPropertyList

/// The ids of names after a recording command asked for them.
///
/// A name of a directory counts with the id of the answer, whatever its spelling there. What is unknown changes nothing: a
/// name that had an id leaves only if every service says that it does not exist, and the one that had it finds another
/// name, in all runs of 24 hours; a name with another id than before counts with both for as long.
package struct NameRenewal {
    /// How long an answer must stay the same to take away what was in force, in microseconds.
    private static let patience: Int64 = 24 * 3_600 * 1_000_000

    /// The lookups for one kind of name in the machine's own files.
    package struct Files {
        /// The id of a name.
        let id: (Key) -> UInt32?
        /// The name of an id.
        let name: (UInt32) -> Key?

        /// The ids of a name that the files do not give to another one.
        func left(of state: AccountIDs.State, for name: Key) -> [UInt32] {
            state.ids.filter { id in self.name(id).map { $0 == name } ?? true }
        }
    }

    /// The ids.
    package private(set) var ids = AccountIDs()
    /// What else is known of the names.
    package private(set) var ledger = NameLedger()

    private let earlier: NameLedger
    private let now: Timestamp
    /// Whether what the services say now counts at once.
    private let isAtOnce: Bool
    /// The services that found a name in this run.
    private let finding: Set<String>
    /// The services that were asked.
    private let asked: Set<String>

    /// Decides about names.
    ///
    /// - Parameters:
    ///   - names: the names of policy.
    ///   - recorded: the ids that were recorded.
    ///   - earlier: what else was known of the names.
    ///   - users: the machine's own users.
    ///   - groups: its own groups.
    ///   - replies: what the services reply; those of names in the files are not used.
    ///   - now: the time.
    ///   - isAtOnce: whether answers count at once, because an administrator says so.
    package init(
        _ names: NameResolver.Names, recorded: AccountIDs, ledger earlier: NameLedger, users: Files, groups: Files,
        replies: [NameLedger.Name: NameReplies], now: Timestamp, isAtOnce: Bool = false
    ) {
        (self.earlier, self.now, self.isAtOnce) = (earlier, now, isAtOnce)
        let all = replies.values.flatMap(\.replies)
        asked = Set(all.map(\.service))
        finding = Set(replies.values.compactMap { $0.found?.service })
        for name in names.users {
            ids.users[name] = state(.init(.user, name), recorded.user(name), users, replies)
        }
        for name in names.groups {
            ids.groups[name] = state(.init(.group, name), recorded.group(name), groups, replies)
        }
        for service in asked.subtracting(finding) where !service.isEmpty {
            let answers = all.filter { $0.service == service }.map(\.answer)
            guard !answers.contains(.none) else { continue }
            self.ledger.services[Key(service)] = since(earlier.services[Key(service)])
        }
    }

    /// A time that was noted before and has come, else now.
    private func since(_ noted: Timestamp?) -> Timestamp { noted.map { min($0, now) } ?? now }

    /// Whether something is so for long enough.
    private func isOver(_ since: Timestamp) -> Bool {
        isAtOnce || now.microseconds - since.microseconds >= NameRenewal.patience
    }

    /// Decides about one name.
    private mutating func state(
        _ name: NameLedger.Name, _ recorded: AccountIDs.State, _ files: Files, _ replies: [NameLedger.Name: NameReplies]
    ) -> AccountIDs.State {
        if let id = files.id(name.name) { return .id(id) }
        var entry = earlier.entries[name] ?? NameLedger.Entry()
        // An id that the machine now gives to somebody else is not the name's any more.
        let known = files.left(of: recorded, for: name.name)
        if let found = replies[name]?.found, let (id, spelling) = NameRenewal.identity(found.answer) {
            entry.service = found.service.isEmpty ? entry.service : found.service
            entry.spelling = Key(spelling) == name.name ? nil : spelling
            (entry.missing, entry.silent) = (nil, nil)
            let state = changed(id, known, &entry)
            ledger.entries[name] = entry
            return state
        }
        if known.isEmpty { return .unknown }
        let isDenied = replies[name].map { replies in
            replies.silent.isEmpty && !replies.replies.contains { $0.service.isEmpty }
        }
        if isDenied == true, isAtOnce || isBelieved(entry) {
            let since = since(entry.missing)
            if isOver(since) { return .unknown }
            (entry.missing, entry.silent) = (since, nil)
        } else {
            (entry.missing, entry.silent) = (nil, since(entry.silent))
        }
        ledger.entries[name] = entry
        return AccountIDs.State(known)
    }

    /// Decides about a name that was found, and has some ids so far.
    private func changed(_ id: UInt32, _ known: [UInt32], _ entry: inout NameLedger.Entry) -> AccountIDs.State {
        guard let first = known.first, first != id else {
            entry.changed = nil
            return .id(id)
        }
        let since = known.count > 1 && known[1] == id ? since(entry.changed) : now
        if isOver(since) {
            entry.changed = nil
            return .id(id)
        }
        entry.changed = since
        return .changing(first, id)
    }

    /// Whether it is believed that a name does not exist: the service that had it finds another one.
    private func isBelieved(_ entry: NameLedger.Entry) -> Bool {
        if let service = entry.service { return finding.contains(service) }
        return !asked.isEmpty && asked.isSubset(of: finding)
    }

    /// The id and the spelling in an answer.
    private static func identity(_ answer: NameReplies.Answer) -> (UInt32, String)? {
        switch answer {
        case .user(let account): (account.uid, account.name)
        case .group(let id, let name): (id, name)
        case .members, .groups, .none, .silent: nil
        }
    }
}
