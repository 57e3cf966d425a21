import PropertyList

/// Compares targets without knowing who is in which group.
enum TargetOverlap {
    /// Whether somebody may be in both targets; false only where that is certain not to be.
    static func mayOverlap(_ left: Target?, _ right: Target?) -> Bool {
        guard let left, let right else { return true }
        let (one, two) = (left.include, right.include)
        if let users = names(one.users), let others = names(two.users), users.isDisjoint(with: others) { return false }
        if let hosts = one.hosts, let others = two.hosts, !hostsMayOverlap(hosts, others) { return false }
        return !excludes(left.except, two) && !excludes(right.except, one)
    }

    /// Whether one target certainly includes everybody that the other one does.
    static func covers(_ wide: Target?, _ narrow: Target?) -> Bool {
        guard let wide else { return true }
        let inner = narrow?.include ?? Target.Clauses()
        let except = narrow?.except ?? Target.Clauses()
        return includes(names(wide.include.users), names(inner.users))
            && includes(names(wide.include.groups), names(inner.groups))
            && includes(names(wide.include.tags), names(inner.tags))
            && includes(texts(wide.include.hosts), texts(inner.hosts))
            && (names(wide.except.users) ?? []).isSubset(of: names(except.users) ?? [])
            && (names(wide.except.groups) ?? []).isSubset(of: names(except.groups) ?? [])
            && (names(wide.except.tags) ?? []).isSubset(of: names(except.tags) ?? [])
            && (texts(wide.except.hosts) ?? []).isSubset(of: texts(except.hosts) ?? [])
    }

    /// Whether a clause, missing ones matching everybody, includes another one.
    private static func includes(_ wide: Set<Key>?, _ narrow: Set<Key>?) -> Bool {
        guard let wide else { return true }
        return narrow?.isSubset(of: wide) ?? false
    }

    /// Whether exceptions take out everybody whom some clauses include.
    private static func excludes(_ except: Target.Clauses, _ clauses: Target.Clauses) -> Bool {
        isSubset(names(clauses.users), names(except.users)) || isSubset(names(clauses.groups), names(except.groups))
            || isSubset(names(clauses.tags), names(except.tags))
            || isSubset(texts(clauses.hosts), texts(except.hosts))
    }

    /// Whether a clause is given and consists of excepted items only.
    private static func isSubset(_ clause: Set<Key>?, _ except: Set<Key>?) -> Bool {
        guard let clause, let except else { return false }
        return clause.isSubset(of: except)
    }

    /// Whether some name may match a pattern of each list.
    private static func hostsMayOverlap(_ left: [HostPattern], _ right: [HostPattern]) -> Bool {
        left.contains { one in
            right.contains { two in
                if one.isLiteral { return two.matches(one.text) }
                return two.isLiteral ? one.matches(two.text) : true
            }
        }
    }

    /// The names of a clause.
    private static func names(_ clause: [TargetName]?) -> Set<Key>? { clause.map { Set($0.map(\.name)) } }

    /// The patterns of a clause in lower case.
    private static func texts(_ clause: [HostPattern]?) -> Set<Key>? {
        clause.map { Set($0.map { Key(String(decoding: $0.text.utf8.map(ByteSet.lowercase), as: UTF8.self)) }) }
    }
}
