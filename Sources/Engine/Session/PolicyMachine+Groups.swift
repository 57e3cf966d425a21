package import Platform
import Policy

/// The groups of users other than the caller, of whom the kernel does not tell them: the directory service is asked.
extension PolicyMachine {
    /// The question about a user's groups, which policy asks where a file names groups; `nil` where they are known.
    ///
    /// Beneath a folder and of another host the files are all there is, and the kernel tells those of the caller: a child
    /// that has taken on a user's ids holds to what was asked before.
    func question(about account: Account, isCaller: Bool) -> GroupQuestion? {
        guard root.isSystem, facts == nil else { return nil }
        if isCaller, content.directorySoFar?.hasAsked(about: account) != true { return nil }
        return GroupQuestion(
            ask: { [content] in content.directory.decidingGroups(of: account) },
            name: { [content] ids in ids.compactMap { content.directory.name(of: $0) } })
    }

    /// The ids of a user's groups, for a child that takes them on.
    ///
    /// Without an answer of the directory service the child has fewer rights, never more.
    package func rights(of account: Account) -> [UInt32] {
        root.isSystem && facts == nil ? content.directory.groups(of: account).ids : accounts.groups(of: account)
    }

    /// The ids of a user's groups, as far as they were asked for, for a child that only reads what is the user's own.
    package func rightsSoFar(of account: Account) -> [UInt32] {
        content.directorySoFar?.groupsSoFar(of: account) ?? content.groups(of: account)
    }

    /// The name of a group, the directory service's where that is asked; `nil` where it has none.
    func groupName(_ gid: UInt32) -> String? {
        root.isSystem && facts == nil ? content.directory.name(of: gid) : accounts.groupName(gid)
    }

    /// Whose groups are not known as a whole, though policy names groups, and what follows; `nil` where there is nobody.
    package var unknownGroups: String? {
        guard let gap = content.directorySoFar?.gap else { return nil }
        let names = gap.users.prefix(PolicyMachine.namedUsers).map { Printable.escape($0) }
        let more = gap.users.count - names.count
        let users = names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        let reason = Printable.escape(gap.failure.description)
        return "The directory service does not tell the groups of \(users): \(reason). "
            + "Policy that names groups counts as policy for \(gap.users.count == 1 ? "this user" : "these users")."
    }

    /// Why facts about users would not be whole, as a sentence; `nil` where all that was asked for is known.
    package var missingFacts: String? {
        content.directorySoFar?.incompleteness.map {
            "The directory service does not tell every group: \(Printable.escape($0.description))."
        }
    }

    /// The most users who are named.
    private static let namedUsers = 8
}
