import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// Which people get the same of some policies, so that a comparison for a school asks once for each class, not for each
/// pupil.
///
/// People get the same where the same targets and waivers match them and values keep their variables. `${uid}` is another
/// number for each person: where a value has it, each person is asked for alone.
struct PolicyAudiences {
    /// What decides which files apply to a person.
    struct Audience: Hashable {
        /// Whether each target matches.
        let matches: [Bool]
        /// The facts about the person that are unknown.
        let unknown: Subject.Unknown
        /// Whether all groups of the person are known.
        let areGroupsKnown: Bool
    }

    /// The targets of all files, each with the ids that its names have.
    private var targets: [(target: Target, names: AccountIDs)] = []
    /// Whether each person has to be asked for alone.
    private var isPersonal = false
    /// Whether there are waivers, which never apply for the reason that a group is unknown.
    private var hasWaivers = false
    /// Whether a target or a waiver names groups; if not, the directory is not asked.
    private var areGroupsNamed = false

    init(of policies: [PolicySet]) {
        for set in policies {
            for policy in set.files.lazy.compactMap(\.policy) {
                isPersonal = isPersonal || policy.entries.contains(where: Self.isPersonal)
                if let target = policy.target {
                    areGroupsNamed = areGroupsNamed || target.include.groups != nil || target.except.groups != nil
                    targets.append((target, policy.isGrant ? set.names.freeing : set.names))
                }
                if policy.waivers.isEmpty { continue }
                hasWaivers = true
                // What frees is compared with certain ids only, and counts if its own file certainly applies.
                for clauses in policy.waivers.map(\.clauses) + [policy.target?.include].compactMap(\.self) {
                    targets.append((Target(include: clauses), set.names.freeing))
                    areGroupsNamed = areGroupsNamed || clauses.groups != nil
                    let names = (clauses.users ?? []) + (clauses.groups ?? [])
                    isPersonal = isPersonal || names.contains { $0.state?.isChanging ?? false }
                }
            }
        }
    }

    /// The audience of a person; `nil` if the person has to be asked for alone.
    func audience(of subject: Subject) -> Audience? {
        let areGroupsKnown = !areGroupsNamed || subject.areGroupsKnown
        if isPersonal || (hasWaivers && !areGroupsKnown) { return nil }
        return Audience(
            matches: targets.map { $0.target.mismatch(of: subject, names: $0.names, inWords: false) == nil },
            unknown: subject.unknown, areGroupsKnown: areGroupsKnown)
    }

    /// Whether the value of an entry has the number of a person in it.
    private static func isPersonal(_ entry: PolicyEntry) -> Bool {
        entry.hasVariables && entry.value.map { hasID($0.value) } ?? false
    }

    private static func hasID(_ value: Value) -> Bool {
        switch value {
        case .string(let text): (try? Template(text))?.contains { $0 == .uid } ?? false
        case .array(let elements): elements.contains(where: hasID)
        case .dictionary(let entries): entries.contains { hasID($0.value) }
        default: false
        }
    }
}
