import Glibc
import Platform
import Policy

/// Who the caller is in a user namespace, where every id is what somebody chose.
extension PolicyMachine {
    /// The question who the caller is outside of the user namespace; `nil` where the kernel's ids say it.
    ///
    /// - Parameters:
    ///   - account: whom it is about.
    ///   - isCaller: whether that is the caller, as far as the namespace's ids say it.
    /// - Returns: the question.
    func identityQuestion(about account: Account, isCaller: Bool) -> IdentityQuestion? {
        guard root.isSystem, facts == nil, CurrentProcess.isInUserNamespace else { return nil }
        guard CurrentProcess.isPolicyOutside else {
            // A machine of its own, but the kernel may not tell all of the caller's ids.
            guard isCaller, CurrentProcess.hasUnknownIDs else { return nil }
            return IdentityQuestion { [root] in
                let own = OutsideIdentity(uid: getuid(), gid: getgid())
                guard own.uid != CurrentProcess.overflowUID, own.gid != CurrentProcess.overflowUID else { return nil }
                return IdentityQuestion.Answer(own, accounts: OutsideAccounts(root: root))
            }
        }
        return IdentityQuestion { [content, root] in
            guard let accounts = OutsideAccounts(root: root) else { return nil }
            guard isCaller else {
                return accounts.account(named: account.name).map { IdentityQuestion.Answer($0, accounts: accounts) }
            }
            // Ids of the first namespace are those of policy only where root's commands recorded it there. And an id that
            // the files do not know may be one that somebody gives himself, as subuid(5) and systemd(1) have it.
            guard content.hasRecord, let own = OutsideIdentity.own, accounts.account(uid: own.uid) != nil else {
                return nil
            }
            return IdentityQuestion.Answer(own, accounts: accounts)
        }
    }
}

extension IdentityQuestion.Answer {
    /// Puts together what is known of somebody outside of the namespace.
    ///
    /// The kernel tells the primary group; what else it holds is not told, and the account files have to.
    fileprivate init(_ own: OutsideIdentity, accounts: OutsideAccounts?) {
        self.init(uid: own.uid, gid: own.gid, account: accounts?.account(uid: own.uid), accounts: accounts)
    }

    /// Puts together what the files say of somebody.
    fileprivate init(_ account: Account, accounts: OutsideAccounts?) {
        self.init(uid: account.uid, gid: account.gid, account: account, accounts: accounts)
    }

    /// Adds the groups that the files list.
    ///
    /// They are never all: the kernel may know others of a process, and in a namespace one can leave those.
    private init(uid: UInt32, gid: UInt32, account: Account?, accounts: OutsideAccounts?) {
        let listed = account.flatMap { accounts?.groups(of: $0) } ?? []
        let ids = [gid] + listed.filter { $0 != gid }
        self.init(
            uid: uid, gid: gid, groups: GroupQuestion.Answer(ids: ids, isComplete: false),
            groupNames: accounts?.groupNames(ids) ?? [], account: account)
    }
}
