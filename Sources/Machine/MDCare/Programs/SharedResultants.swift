package import MDEngine
package import MDPlatform
package import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// What policy leaves for many users of a machine, resolved once for all users whom policy cannot tell apart.
///
/// Policy tells users apart by their names and groups in targets, exceptions and waivers, and by variables of values.
package struct SharedResultants {
    /// Users whom policy cannot tell apart.
    package struct Kind: Hashable {
        /// The user's id and name; `nil` if policy does not ask for them.
        fileprivate var user: Named?
        /// The groups of the user; none if policy does not ask for them.
        fileprivate var groups: [UInt32] = []
        /// Whether these are all of them.
        fileprivate var areGroupsKnown = true
        /// What is unknown about the user.
        fileprivate var unknown: Subject.Unknown = []
    }

    /// A user.
    fileprivate struct Named: Hashable {
        let uid: UInt32
        let name: Key
        let home: Key
    }

    /// The machine.
    private let machine: PolicyInForce
    /// The users whom targets name, by id and by name.
    private var (ids, names): (Set<UInt32>, Set<Key>) = ([], [])
    /// Whether targets name groups.
    private var areGroupsNamed = false
    /// Whether each user is to be looked at alone.
    private var isEachAlone = false
    /// Whether manifests say more of the keys.
    private let isDescribed: Bool
    /// What was resolved.
    private var known: [Kind: ResultantSet] = [:]

    /// Looks at what policy asks about users.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - isDescribed: whether what is left comes with what manifests say of keys.
    package init(_ machine: PolicyInForce, isDescribed: Bool) {
        (self.machine, self.isDescribed) = (machine, isDescribed)
        // The identity of a user has other sources there.
        isEachAlone = machine.facts != nil || !machine.knowledge.isDecisive || machine.isForeign
        for file in machine.policies.files {
            guard let policy = file.policy else { continue }
            if policy.entries.contains(where: \.hasVariables) { isEachAlone = true }
            if let target = policy.target {
                add(target.include)
                add(target.except)
            }
            for waiver in policy.waivers { add(waiver.clauses) }
        }
    }

    /// Notes the users that clauses name.
    private mutating func add(_ clauses: Target.Clauses) {
        if clauses.groups != nil { areGroupsNamed = true }
        for user in clauses.users ?? [] {
            names.insert(user.name)
            for state in [user.state, machine.policies.names.user(user.name)] {
                ids.formUnion(state?.ids ?? [])
            }
        }
    }

    /// The kind of a user.
    func kind(of account: Account) -> Kind {
        let named = Named(uid: account.uid, name: Key(account.name), home: Key(account.home))
        let isCaller = machine.root.isSystem && account.uid == CurrentProcess.uid
        var kind = Kind()
        if isEachAlone || isCaller || ids.contains(account.uid) || names.contains(named.name) { kind.user = named }
        let subject = machine.subject(for: account)
        kind.unknown = subject.unknown
        if areGroupsNamed {
            // The primary group counts too.
            kind.groups = Set(subject.groups + [account.gid]).sorted()
            kind.areGroupsKnown = subject.areGroupsKnown
        }
        return kind
    }

    /// What policy leaves for a user.
    package mutating func resultant(for account: Account) -> (kind: Kind, resultant: ResultantSet) {
        let kind = kind(of: account)
        if let resultant = known[kind] { return (kind, resultant) }
        let resultant = isDescribed ? machine.describedResultant(for: account) : machine.resultant(for: account)
        known[kind] = resultant
        return (kind, resultant)
    }
}
