import Glibc
import MDPropertyList

/// What policy says, one question at a time, from the words of the design alone: at most sixty-five lines of code.
struct NaiveResolver {
    /// The files, in order of application.
    let files: [NaiveFile]
    /// The user, host and time.
    let who: NaiveSubject

    /// Which of the clauses given match.
    func clauses(_ clauses: NaiveClauses) -> [Bool] {
        let users = clauses.users.map { $0.contains(who.user) }
        let groups = clauses.groups.map { !who.groups.isDisjoint(with: $0) }
        let hosts = clauses.hosts.map { $0.contains { glob in who.hosts.contains { fnmatch(glob, $0, 0) == 0 } } }
        return [users, groups, hosts, clauses.tags.map { !who.tags.isDisjoint(with: $0) }].compactMap(\.self)
    }
    /// Whether a target matches, now.
    func matches(_ target: NaiveTarget) -> Bool {
        clauses(target.include).allSatisfy(\.self) && !clauses(target.except).contains(true)
            && target.notBefore <= who.now && who.now < target.notAfter
    }
    /// Whether a file or a waiver applies to the subject now; one with users or groups never applies to an unknown
    /// user.
    func applies(_ target: NaiveTarget) -> Bool { (who.isKnown || !target.asksForUser) && matches(target) }
    /// Whether a file removes its keys' values, because it has users or groups and the user is unknown.
    func isUndecided(_ target: NaiveTarget) -> Bool {
        !who.isKnown && target.asksForUser && matches(target.withoutUser)
    }
    /// The statements about a key in files without a waiver, up to the first enforced one: the last one wins.
    func said<Item>(_ at: NaivePlace, _ item: (NaiveFile) -> Item?) -> [(file: NaiveFile, item: Item)] {
        let waiving = files.filter { [$0.target, $0.waivers[at] ?? .nobody].allSatisfy(applies) }
        let said = files.filter { file in
            applies(file.target)
                && !waiving.contains {
                    ($0.name == file.name || $0.enforced || !file.enforced) && (file.isMade || !$0.isMade)
                }
        }.compactMap { file in item(file).map { (file: file, item: $0) } }
        return Array(said.prefix((said.firstIndex(where: \.file.enforced) ?? said.count) + 1))
    }
    /// Whether a key is forced, its value (none: it is absent) and the files that this comes from.
    func forced(_ at: NaivePlace) -> (value: Value?, files: Set<String>)? {
        let unknown = files.filter { file in
            isUndecided(file.target)
                && (file.forced[at] != nil || file.constraints[at] != nil || file.seals.contains(at.domain))
        }
        if let file = unknown.first(where: \.enforced) ?? unknown.last { return (nil, [file.name]) }
        let said = said(at) { $0.forced[at] }
        guard let last = said.last else {
            let rule = self.said(at) { $0.constraints[at] }.last.flatMap { $0.item.leaves.count == 1 ? $0 : nil }
            let seal = self.said(at) { $0.seals.contains(at.domain) ? true : nil }.last
            return rule.map { ($0.item.leaves[0], [$0.file.name]) } ?? seal.map { (nil, [$0.file.name]) }
        }
        let end = last.file.enforced ? last.file.name : "~"
        let heard = files.filter { applies($0.target) && $0.name <= end }
        let all = Set(heard.compactMap { $0.combine[at] })
        func fits(_ item: Value?) -> Bool { all.count == 1 && join(item, item, all.first) != nil }
        let run = said.reversed().prefix(while: { $0.item != nil }).filter { fits($0.item) }
        let top = last.file.enforced && !fits(last.item) ? last : run.first ?? last
        var (value, names) = (top.item, Set([top.file.name]))
        for (file, item) in run where fits(top.item) {
            if let joined = join(item, value, all.first) { (value, names) = (joined, names.union([file.name])) }
        }
        return (value, names)
    }
    /// A weaker value combined with a stronger one, if the operator combines their types.
    func join(_ weak: Value?, _ strong: Value?, _ word: String?) -> Value? {
        switch (word, weak, strong) {
        case ("union", .array(let a), .array(let b)): .array((a + b).reduce([]) { $0.contains($1) ? $0 : $0 + [$1] })
        case ("merge", .dictionary(let a), .dictionary(let b)): .dictionary(a.merging(b) { join($0, $1, word) ?? $1 })
        case ("and", .boolean(let a), .boolean(let b)): .boolean(a && b)
        case ("or", .boolean(let a), .boolean(let b)): .boolean(a || b)
        case ("min", let a?, let b?): a.number < b.number ? a : b.number <= a.number ? b : nil
        case ("max", let a?, let b?): a.number > b.number ? a : b.number >= a.number ? b : nil
        default: nil
        }
    }
}
