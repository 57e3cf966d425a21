package import MDPlatform
package import MDPolicyModel
import MDPropertyList
import MDTools

/// The names of people as the machine and its directory have them now.
package struct DelegateNames {
    package let account: (UInt32) throws(SystemError) -> Account?
    package let accountNamed: (String) throws(SystemError) -> Account?
    package let groupID: (String) throws(SystemError) -> UInt32?
    /// The groups of a user that the machine's own files say.
    package let ownGroups: (Account) -> [UInt32]
    /// All groups of a user.
    package let groups: (Account) throws(SystemError) -> [UInt32]
    /// The ids that were recorded.
    package let recorded: AccountIDs

    package init(
        account: @escaping (UInt32) throws(SystemError) -> Account?,
        accountNamed: @escaping (String) throws(SystemError) -> Account?,
        groupID: @escaping (String) throws(SystemError) -> UInt32?, ownGroups: @escaping (Account) -> [UInt32],
        groups: @escaping (Account) throws(SystemError) -> [UInt32], recorded: AccountIDs
    ) {
        (self.account, self.accountNamed, self.groupID) = (account, accountNamed, groupID)
        (self.ownGroups, self.groups, self.recorded) = (ownGroups, groups, recorded)
    }

    /// Those of this machine; nothing is known beyond a moment, so that a request ends in time.
    ///
    /// - Parameters:
    ///   - recorded: the ids that were recorded.
    ///   - deadline: the moment, in monotonic microseconds.
    /// - Returns: the names.
    package static func system(recorded: AccountIDs, until deadline: Int64) -> DelegateNames {
        let accounts = AccountDatabase(root: .system)
        func timely() throws(SystemError) {
            if Clock.monotonicMicroseconds() < deadline { return }
            // ETIMEDOUT
            throw SystemError(operation: "ask", path: "the name services", code: 110)
        }
        return DelegateNames(
            account: { uid throws(SystemError) in
                try timely()
                return try accounts.lookUpAccount(uid: uid)
            },
            accountNamed: { name throws(SystemError) in
                try timely()
                return try accounts.lookUpAccount(named: name)
            },
            groupID: { name throws(SystemError) in
                try timely()
                return try accounts.lookUpGroup(named: name)?.gid
            }, ownGroups: { accounts.groups(of: $0) },
            groups: { account throws(SystemError) in
                try timely()
                return try accounts.lookUpGroups(of: account)
            }, recorded: recorded)
    }
}

/// Decides whether a delegate may do what he or she asks for.
///
/// A name that the directory does not answer for matches no person, nor does one whose id changes.
package struct DelegateJudge {
    /// Why a request is refused, as a sentence.
    package struct Refusal: Error, Hashable {
        /// How close a delegation came to covering the request; the closest is what people are told.
        enum Stage: Int, Hashable {
            /// None is for this person, or for this set or key.
            case other
            /// One is, but not so long or not for those people.
            case limit
            /// Unknown now.
            case unknown
        }

        package let reason: String
        let stage: Stage

        init(_ reason: String, _ stage: Stage = .other) { (self.reason, self.stage) = (reason, stage) }

        /// Whether it is refused because the answer is unknown now.
        package var isUnknown: Bool { stage == .unknown }
    }

    /// The delegate.
    package let person: Account
    private let delegates: Delegates
    private let names: DelegateNames

    /// Finds out who asks.
    ///
    /// - Parameters:
    ///   - uid: the kernel's word for the peer.
    ///   - delegates: who may do what.
    ///   - names: the names now.
    /// - Throws: if the id has no account, or that is unknown.
    package init(_ uid: UInt32, _ delegates: Delegates, _ names: DelegateNames) throws(Refusal) {
        guard uid != 0 else { throw Refusal("root needs no delegation.") }
        (self.delegates, self.names) = (delegates, names)
        let account: Account?
        do throws(SystemError) {
            account = try names.account(uid)
        } catch {
            throw DelegateJudge.unknown("who uid \(uid) is", error)
        }
        guard let account else { throw Refusal("The name services do not know the uid \(uid).") }
        person = account
        // Temporary policy has its starter's name, which must be this person's alone.
        guard try self.account(account.name)?.uid == uid else {
            throw Refusal("The name \(Printable.escape(account.name)) of uid \(uid) is another account's too.")
        }
    }

    private static func unknown(_ what: String, _ error: SystemError) -> Refusal {
        Refusal("Nobody knows now \(what): \(error).", .unknown)
    }

    // MARK: Requests

    /// Refuses a request that no delegation covers.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - now: the time.
    /// - Throws: why it is refused. Stopping is not judged here: a delegate stops what he or she started.
    package func require(_ request: DelegateRequest, at now: Timestamp) throws(Refusal) {
        var refusal: Refusal?
        for entry in delegates.entries {
            do throws(Refusal) {
                guard try includes(person, in: entry.delegates) else { continue }
                try require(request, of: entry, at: now)
                return
            } catch {
                if error.stage.rawValue > refusal?.stage.rawValue ?? -1 { refusal = error }
            }
        }
        throw refusal ?? Refusal("\(shown) is no delegate on this machine.")
    }

    /// Refuses a request that one entry does not cover.
    private func require(
        _ request: DelegateRequest, of entry: Delegates.Entry, at now: Timestamp
    ) throws(Refusal) {
        switch request.action {
        case .startExam(let set):
            guard entry.sets.contains(Key(set)) else {
                let sets = entry.sets.map { Printable.escape($0.string) }.joined(separator: ", ")
                let has = sets.isEmpty ? "no set" : "\(sets)"
                throw Refusal("\(shown) may not start the exam \(Printable.escape(set)): the delegation has \(has).")
            }
            try requireEnd(request, entry, now)
            try requireAudience(request, entry)
        case .grant(let user, let domain, let key):
            let what = Printable.escape("\(domain.string) \(key.string)")
            guard entry.keys[domain]?.contains(key) ?? false else {
                throw Refusal("\(shown) may not grant \(what): no delegation has this key.")
            }
            try requireEnd(request, entry, now)
            guard let account = try account(user) else {
                throw Refusal("There is no user \(Printable.escape(user)).", .limit)
            }
            guard account.uid != person.uid else {
                throw Refusal(
                    "\(shown) may not grant \(what) to \(shown): nobody frees keys of his or her own.", .limit)
            }
            try requireCovered(account, entry)
        case .stopExam, .revoke: return
        }
    }

    private func requireEnd(_ request: DelegateRequest, _ entry: Delegates.Entry, _ now: Timestamp) throws(Refusal) {
        // A duration counts from the command line, and is rounded up to whole seconds.
        let most = Int64(entry.hours) * 3_600_000_000 + 5_000_000
        guard let end = request.until, end.microseconds > now.microseconds else {
            throw Refusal("The end is over.", .limit)
        }
        if end.microseconds - now.microseconds <= most { return }
        throw Refusal("The end is too far ahead: the delegation gives \(Plural.count(entry.hours, "hour")).", .limit)
    }

    /// Refuses people that sit an exam although an entry is not for them.
    ///
    /// Without a word about who sits it, an exam is for whom its files say, which may be everybody.
    private func requireAudience(_ request: DelegateRequest, _ entry: Delegates.Entry) throws(Refusal) {
        if entry.whom.everybody { return }
        if request.isForEverybody || (request.groups.isEmpty && request.users.isEmpty) {
            throw Refusal(
                "\(shown) may not start it for everybody: say who sits it, with --group or --users.", .limit)
        }
        for group in request.groups where !entry.whom.groups.contains(Key(group)) {
            throw Refusal("\(shown) may not start it for the group \(Printable.escape(group)).", .limit)
        }
        for user in request.users {
            guard let account = try account(user) else {
                throw Refusal("There is no user \(Printable.escape(user)).", .limit)
            }
            try requireCovered(account, entry)
        }
    }

    private func requireCovered(_ account: Account, _ entry: Delegates.Entry) throws(Refusal) {
        if entry.whom.everybody { return }
        if try includes(account, in: entry.whom) { return }
        throw Refusal("\(shown) may not do it for \(Printable.escape(account.name)).", .limit)
    }

    // MARK: People

    /// Whether the person is a delegate of an entry; `nil` if that is unknown now.
    package func isDelegate(of entry: Delegates.Entry) -> Bool? { try? includes(person, in: entry.delegates) }

    private var shown: String { Printable.escape(person.name) }

    private func account(_ name: String) throws(Refusal) -> Account? {
        do throws(SystemError) {
            return try names.accountNamed(name)
        } catch {
            throw DelegateJudge.unknown("who \(Printable.escape(name)) is", error)
        }
    }

    /// Whether an account is among some people.
    private func includes(_ account: Account, in people: Delegates.People) throws(Refusal) -> Bool {
        var unknown: Refusal?
        for name in people.users {
            do throws(Refusal) {
                guard let id = try self.account(name.string)?.uid, id == account.uid else { continue }
                if isStill(names.recorded.user(name), id) { return true }
            } catch {
                unknown = error
            }
        }
        var all: [UInt32]?
        for name in people.groups {
            do throws(SystemError) {
                guard let id = try names.groupID(name.string), isStill(names.recorded.group(name), id) else { continue }
                // The machine's own files say it without the directory.
                if names.ownGroups(account).contains(id) { return true }
                if all == nil { all = try names.groups(account) }
                if all?.contains(id) ?? false { return true }
            } catch {
                let name = Printable.escape(account.name)
                unknown = DelegateJudge.unknown("which groups \(name) is in", error)
            }
        }
        if let unknown { throw unknown }
        return false
    }

    /// Whether a name has the id that was recorded, if one was.
    private func isStill(_ state: AccountIDs.State, _ id: UInt32) -> Bool {
        state == .unknown || state.freedID == id
    }
}
