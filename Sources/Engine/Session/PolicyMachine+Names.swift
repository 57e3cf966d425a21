package import Platform
import Policy

/// Who is meant, where ids and names of a user namespace are not those of the machine whose policy is in force.
extension PolicyMachine {
    /// Whether this process runs in a user namespace, and policy is that of the machine outside of it.
    package var isOutside: Bool { root.isSystem && facts == nil && CurrentProcess.isPolicyOutside }

    /// A user of the user database, who is not the caller for having the same id.
    func marked(_ account: Account) -> Account {
        var account = account
        account.isNamed = isOutside
        return account
    }

    /// Who policy is resolved for, as an answer to a question about a user names them; `nil` where nobody can tell.
    ///
    /// In a user namespace the caller has the ids that somebody chose, and policy is for whoever that is outside.
    package func name(of account: Account) -> String? {
        guard isOutside, !account.isNamed, account.uid == CurrentProcess.uid else { return account.name }
        return identityQuestion(about: account, isCaller: true)?.answer.map { $0.account?.name ?? "uid \($0.uid)" }
    }

    /// The same for people, safe to print.
    package func shownName(of account: Account) -> String {
        let name = name(of: account).map { Printable.escape($0) } ?? "somebody whom nobody can tell"
        guard isOutside, !account.isNamed, name != Printable.escape(account.name) else { return name }
        let own = account.uid == CurrentProcess.overflowUID ? "nobody known" : Printable.escape(account.name)
        return "\(name) (\(own) in this user namespace)"
    }
}
