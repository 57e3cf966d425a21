package import Platform
import Policy

/// Which user is meant, if the ids and names of a user namespace are not those of the machine whose policy is in force.
extension PolicyMachine {
    /// Whether this process runs in a user namespace of somebody else than root, so that its user is unknown.
    package var isForeign: Bool { root.isSystem && facts == nil && CurrentProcess.isInForeignNamespace }

    /// A user of the user database, who is not the caller for having the same id.
    func marked(_ account: Account) -> Account {
        var account = account
        account.isNamed = isForeign
        return account
    }

    /// The name of the user policy is resolved for, as an answer to a question about a user has it; `nil` if it is unknown.
    package func name(of account: Account) -> String? { isUnknown(account) ? nil : account.name }

    /// The same for people, safe to print.
    package func shownName(of account: Account) -> String {
        name(of: account).map { Printable.escape($0) } ?? "an unknown user"
    }

    /// Whether it is unknown who a user is: the caller in such a namespace.
    func isUnknown(_ account: Account) -> Bool { isForeign && !account.isNamed }
}
