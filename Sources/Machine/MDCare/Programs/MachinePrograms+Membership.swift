import MDEngine
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPrograms
import MDPropertyList

/// Users that no account file and no record lists, in programs that tell them apart by their groups.
extension MachinePrograms {
    /// The policy files that say something to such a program.
    private var membershipFiles: [PolicyFileState] {
        let programs = ProgramCatalog.all.filter(\.tellsGroupsApart)
        return machine.policies.files.filter { state in
            state.policy?.domains.contains { domain in programs.contains { $0.takes(domain) } } ?? false
        }
    }

    /// Whether policy has something for some users only that such a program is told.
    var isTellingUsersApart: Bool { membershipFiles.contains { $0.policy?.isForSomeUsers ?? false } }

    /// What holds for such users; `nil` if policy says nothing to such a program.
    var membership: ProgramsPlan.Membership? {
        let files = membershipFiles
        if files.isEmpty { return nil }
        var named: [Key: AccountIDs.State] = [:]
        for policy in files.lazy.compactMap(\.policy) {
            let clauses = [policy.target?.include, policy.target?.except] + policy.waivers.map(\.clauses)
            for group in clauses.lazy.compactMap({ $0?.groups }).joined() {
                named[group.name] = group.state ?? machine.policies.names.group(group.name)
            }
        }
        let ledger = NameLedger(root: machine.root).entries
        let groups = named.filter { !$0.value.ids.isEmpty }.sorted { $0.key < $1.key }.map { name, state in
            (
                words: [name.string] + [ledger[NameLedger.Name(.group, name)]?.spelling].compactMap { $0 }
                    + state.ids.map(String.init), ids: state.ids
            )
        }
        let names = machine.policies.names
        func resultants(_ choices: [[UInt32]]) -> [ResultantSet] {
            choices.map { ids in
                resultant(groups: ids) {
                    PolicySet(
                        files: files, names: names, tags: $0.tags, hostName: $0.hostName, knowledge: $0.knowledge)
                }
            }
        }
        guard groups.count <= ProgramsPlan.Membership.groupLimit else {
            let ids = groups.map(\.ids)
            return ProgramsPlan.Membership(groups: [], resultants: resultants([[], ids.flatMap { $0 }] + ids))
        }
        let resultants = resultants(
            (0..<(1 << groups.count)).map { mask in
                groups.indices.filter { mask >> $0 & 1 == 1 }.flatMap { groups[$0].ids }
            })
        return ProgramsPlan.Membership(groups: groups.map(\.words), resultants: resultants)
    }
}
