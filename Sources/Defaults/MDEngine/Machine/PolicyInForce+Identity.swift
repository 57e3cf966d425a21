import MDAuditClient
package import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList

/// Which user is meant, if the ids and names of a user namespace are not those of the machine whose policy is in force.
extension PolicyInForce {
    /// Whether this process runs in a user namespace that does not belong to root, so that its user is unknown.
    package var isForeign: Bool { root.isSystem && facts == nil && UserNamespace.isForeign }

    /// Why a program in a sandbox may be without policy that is in force outside of it, as a sentence; `nil` if it sees
    /// policy, or runs in no sandbox.
    package var absence: String? {
        guard isForeign, !root.mayExist(StorePath.home) else { return nil }
        return
            "This program runs in a sandbox that does not show \(StorePath.home), so it has no policy, and whether the"
            + " machine has any is unknown here."
    }

    /// Whether the files for all users can be read here: a sandbox that shows the policy record may show no others.
    var hasSharedDefaults: Bool {
        isManaged && (!isForeign || root.mayExist(SharedDefaults.directory))
    }

    /// Marks a user of the account database as other than the caller, even if the ids are equal.
    func marked(_ account: Account) -> Account {
        var account = account
        account.isNamed = isForeign
        return account
    }

    /// The name of the user policy is resolved for, as an answer to a question about a user has it; `nil` if it is
    /// unknown.
    package func name(of account: Account) -> String? {
        guard isForeign, !account.isNamed else { return account.name }
        return stampedCaller.map { $0.name ?? String($0.uid) }
    }

    /// The same for people, safe to print.
    package func shownName(of account: Account) -> String {
        name(of: account).map { Printable.escape($0) } ?? "an unknown user"
    }

    /// Whether the identity of a user is unknown: the caller in such a namespace, if the audit service does not say.
    func isUnknown(_ account: Account) -> Bool { isForeign && !account.isNamed && stampedCaller == nil }

    /// The identity of the caller, as the kernel stamped its connection to the audit service; `nil` without an answer.
    private var stampedCaller: ServiceIdentity? { stamp.identity(of: root) }

    /// What policy asks about the caller in such a namespace, if the audit service identifies it.
    func stampedSubject() -> Subject? {
        guard let caller = stampedCaller else { return nil }
        var unknown: Subject.Unknown = []
        if caller.name == nil { unknown.insert(.name) }
        if caller.home == nil { unknown.insert(.home) }
        return Subject(
            userName: caller.name ?? String(caller.uid), uid: caller.uid, gid: caller.gid, groups: caller.groups,
            home: caller.home ?? "", host: host, moment: moment, unknown: unknown)
    }
}

/// The identity of the caller outside of its user namespace, as far as the audit service says.
///
/// The service is asked once in a process; without an answer, once for each moment. Waits 2 s at most.
final class CallerStamp: Sendable {
    /// The answers, by the ids that the caller has inside.
    private static let known = Guarded<[UInt32: ServiceIdentity]>(resettable: [:])
    /// Whether the service had no answer.
    private let isMissing = Guarded(false)

    /// Asks the service of a machine.
    func identity(of root: Root) -> ServiceIdentity? {
        isMissing.withLock { isMissing in
            if isMissing { return nil }
            let uid = CurrentProcess.uid
            if let known = CallerStamp.known.withLock({ $0[uid] }) { return known }
            let answer = ServiceQuestion.identity(of: root)
            if let answer { CallerStamp.known.withLock { $0[uid] = answer } }
            isMissing = answer == nil
            return answer
        }
    }
}
