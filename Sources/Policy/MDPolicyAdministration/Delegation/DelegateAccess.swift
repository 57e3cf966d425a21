package import MDPlatform
package import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Who may connect to the socket of root's part: the ids of the names in `delegates.json`, as they were recorded.
///
/// It only keeps others away; each request is judged by itself.
package enum DelegateAccess {
    /// The list for a machine: what was recorded, so that the socket's unit needs no directory.
    package static func list(of root: Root) -> AccessList {
        let ids = ids(of: Delegates(of: root), root)
        return AccessList(
            .connect, users: Set(ids.users.values.compactMap(\.freedID).filter { $0 != 0 }),
            groups: Set(ids.groups.values.compactMap(\.freedID)))
    }

    /// The ids of delegates as they were recorded.
    package static func ids(of delegates: Delegates, _ root: Root) -> AccountIDs {
        let accounts = AccountDatabase(root: root)
        guard root.isSystem else { return NameResolver.authoritative(delegates.names, accounts) }
        return NameResolver.recorded(
            delegates.names, table: PolicyRecordInspection(root: root).record.names, accounts: accounts)
    }

    /// Lets only delegates connect; nothing to do without a socket.
    package static func renew(_ root: Root) throws(SystemError) {
        guard root.isSystem, root.mayExist(DelegateRequest.socket) else { return }
        let list = list(of: root)
        if !root.hasAccess(list, to: DelegateRequest.socket) { try root.setAccess(to: DelegateRequest.socket, list) }
    }
}
