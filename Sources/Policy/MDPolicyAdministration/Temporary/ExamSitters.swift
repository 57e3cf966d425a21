import MDPolicyFormats
package import MDPolicyModel
package import MDPropertyList

/// Who sits an exam, as its start says: these users or groups in the place of those in the targets of the set's files.
///
/// What else a target says (Hosts, Tags, Schedule, Except) stays.
package enum ExamSitters: Hashable, Sendable {
    case everybody
    case users([Key])
    case groups([Key])

    /// The fields of a file with another target.
    func targeting(_ fields: [(field: PolicyField, value: Value)]) -> [(field: PolicyField, value: Value)] {
        var target: [Key: Value] = [:]
        if case .dictionary(let written)? = fields.first(where: { $0.field == .target })?.value { target = written }
        let (users, groups) = (Key(TargetField.users.rawValue), Key(TargetField.groups.rawValue))
        (target[users], target[groups]) = (nil, nil)
        switch self {
        case .everybody: break
        case .users(let names): target[users] = .array(names.map { .string($0.string) })
        case .groups(let names): target[groups] = .array(names.map { .string($0.string) })
        }
        let others = fields.filter { $0.field != .target }
        if target.isEmpty { return others }
        return others + [(.target, .dictionary(target))]
    }

    /// The files of a set that are for all who sit the exam, so that its start may say who that is; the others are for a
    /// part of them.
    ///
    /// These are the files without users and groups or, if each file has some, those with all that are named.
    ///
    /// - Returns: their indexes; `nil` if that is unknown.
    package static func general(_ policies: [PolicyFile]) -> Set<Int>? {
        if policies.count == 1 { return [0] }
        let open = policies.indices.filter { index in
            let people = policies[index].target?.include
            return people?.users == nil && people?.groups == nil
        }
        if !open.isEmpty { return Set(open) }
        /// The names of a file, each with its kind.
        func names(_ policy: PolicyFile) -> Set<[Key]> {
            let people = policy.target?.include
            return Set(
                (people?.users ?? []).map { ["user", $0.name] } + (people?.groups ?? []).map { ["group", $0.name] })
        }
        let all = policies.reduce(into: Set<[Key]>()) { $0.formUnion(names($1)) }
        // Where both clauses are given, both must match.
        let whole = policies.indices.filter { index in
            let people = policies[index].target?.include
            return names(policies[index]) == all && (people?.users == nil || people?.groups == nil)
        }
        return whole.isEmpty ? nil : Set(whole)
    }
}
