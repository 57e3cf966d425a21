package import MDEngine
package import MDPlatform
package import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

/// The people of directories whom policy files may be about: those whom the files name, the members of groups that they
/// name, and everybody in the register of people.
///
/// Nothing lists a directory. Who is in no group that is named, and was never here, is not among them.
package struct DirectoryPeople: Sendable {
    /// The people, by uid.
    package private(set) var accounts: [Account] = []
    /// What is unknown, as sentences.
    package private(set) var limits: [String] = []

    /// The most people.
    package static let capacity = 1_000

    /// Finds them; beneath a folder, or on another host, only those of the register.
    ///
    /// - Parameters:
    ///   - files: the policy files.
    ///   - machine: the machine.
    package init(of files: [PolicyFile], on machine: PolicyInForce) {
        guard machine.facts == nil else { return }
        let (database, wanted) = (machine.accounts, NameResolver.Names(files))
        let asked = wanted.groups.sorted().map(\.string).filter { database.groupID(named: $0) == nil }
        var names = wanted.users
        for (group, members) in zip(asked, database.lookUpMembers(of: asked)) {
            switch members {
            case .success(let members): names.formUnion((members ?? []).map { Key($0) })
            case .failure(let error):
                limits.append(
                    "Who is in \(Printable.escape(group)) is not known, so only those of it who were seen here are"
                        + " counted: \(Printable.escape(error.description)).")
            }
        }
        let seen = machine.registered
        var found = Dictionary(seen.map { ($0.uid, $0) }) { first, _ in first }
        let strangers = names.map(\.string).filter { database.account(named: $0) == nil }.sorted()
        let looked = Array(strangers.prefix(DirectoryPeople.capacity))
        let registered = Set(seen.map { Key($0.name) })
        var missing = strangers.count - looked.count
        for (name, answer) in zip(looked, database.lookUpAccounts(named: looked)) {
            switch answer {
            case .success(let account): if let account { found[account.uid] = account }
            case .failure: if !registered.contains(Key(name)) { missing += 1 }
            }
        }
        let known = found.values.filter { database.account(uid: $0.uid) == nil }.sorted { $0.uid < $1.uid }
        accounts = Array(known.prefix(DirectoryPeople.capacity))
        let more = missing + known.count - accounts.count
        if more > 0 {
            limits.append(
                "\(Plural.count(more, "person")) of the directory \(more == 1 ? "was" : "were") not looked at.")
        }
        machine.askGroups(of: accounts)
    }
}
