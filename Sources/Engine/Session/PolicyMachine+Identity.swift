import Glibc
import Platform
import Policy

/// Who the caller is in a user namespace, where every id is what somebody chose.
extension PolicyMachine {
    /// The question who the caller is outside of the user namespace; `nil` where the kernel's ids say it.
    func identityQuestion(isCaller: Bool) -> IdentityQuestion? {
        guard root.isSystem, facts == nil, CurrentProcess.isInUserNamespace else { return nil }
        let isOutside = CurrentProcess.isPolicyOutside
        // A machine of its own, which knows all of the caller's ids.
        if !isOutside, !isCaller || !CurrentProcess.hasUnknownIDs { return nil }
        return IdentityQuestion { [content, root] in
            guard isCaller, let own = OutsideIdentity.own else { return nil }
            // Ids of the first namespace are those of policy only where root's commands recorded it there, or where the
            // namespace has the same ones.
            guard isOutside ? content.hasRecord : own.uid == getuid() && own.gid == getgid() else { return nil }
            let accounts = OutsideAccounts(root: root)
            // Whoever has one of the ids that a user may give himself is that user, or another one's.
            if accounts?.account(uid: own.uid) == nil, accounts?.mayBeSubordinate(own.uid) ?? true { return nil }
            return IdentityQuestion.Answer(own, accounts: accounts)
        }
    }
}

extension IdentityQuestion.Answer {
    /// Puts together what is known of somebody outside of the namespace.
    ///
    /// The kernel tells the primary group; what else it holds is not told, and the account files have to.
    fileprivate init(_ own: OutsideIdentity, accounts: OutsideAccounts?) {
        let account = accounts?.account(uid: own.uid)
        let listed = account.flatMap { accounts?.groups(of: $0) } ?? []
        let ids = [own.gid] + listed.filter { $0 != own.gid }
        // Somebody in more groups than the files list is in some that only the kernel knows.
        let isComplete = account != nil && accounts?.areAll == true && CurrentProcess.groups.count <= ids.count
        self.init(
            uid: own.uid, gid: own.gid, groups: GroupQuestion.Answer(ids: ids, isComplete: isComplete),
            groupNames: accounts?.groupNames(ids) ?? [], account: account)
    }
}
