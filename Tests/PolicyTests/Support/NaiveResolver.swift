import Glibc
import PropertyList

/// What policy says, one question at a time, from the words of the design alone: at most fifty lines of code.
struct NaiveResolver {
    /// The files, in order of application.
    let files: [NaiveFile]
    /// For whom, where and when.
    let who: NaiveSubject

    /// Which of the clauses given match; where it is not known who somebody is, what the caller says.
    func clauses(_ clauses: NaiveClauses, unknown: Bool) -> [Bool] {
        let users = clauses.users.map { who.isKnown ? $0.contains(who.user) : unknown }
        let groups = clauses.groups.map { who.isKnown ? !who.groups.isDisjoint(with: $0) : unknown }
        let hosts = clauses.hosts.map { $0.contains { glob in who.hosts.contains { fnmatch(glob, $0, 0) == 0 } } }
        return [users, groups, hosts, clauses.tags.map { !who.tags.isDisjoint(with: $0) }].compactMap(\.self)
    }
    /// Whether a file or a waiver is for the subject, now; with `surely`, beyond doubt.
    func applies(_ target: NaiveTarget, surely: Bool = false) -> Bool {
        clauses(target.include, unknown: !surely).allSatisfy(\.self) && target.notBefore <= who.now
            && !clauses(target.except, unknown: surely).contains(true) && who.now < target.notAfter
    }
    /// What wins over what: what is enforced, what is meant for the subject, what is so only as nobody can tell.
    func rank(_ file: NaiveFile) -> Int { file.enforced ? 2 : applies(file.target, surely: true) ? 1 : 0 }
    /// What files that no waiver keeps silent say of a key, up to the first that is enforced: the last one wins.
    func said<Item>(_ at: NaivePlace, _ item: (NaiveFile) -> Item?) -> [(file: NaiveFile, item: Item)] {
        let waiving = files.filter { [$0.target, $0.waivers[at] ?? .nobody].allSatisfy { applies($0, surely: true) } }
        let said = files.filter { file in
            applies(file.target) && !waiving.contains { $0.name == file.name || $0.enforced || !file.enforced }
        }.compactMap { file in item(file).map { (file: file, item: $0) } }
        let sure = said.contains { rank($0.file) > 0 } ? said.filter { rank($0.file) > 0 } : said
        return Array(sure.prefix((sure.firstIndex(where: \.file.enforced) ?? sure.count) + 1))
    }
    /// Whether a key is forced, its value (none: it is absent) and the files that this comes from.
    func forced(_ at: NaivePlace) -> (value: Value?, files: Set<String>)? {
        let said = said(at) { $0.forced[at] }
        guard let last = said.last else {
            let rule = self.said(at) { $0.constraints[at] }.last.flatMap { $0.item.leaves.count == 1 ? $0 : nil }
            let seal = self.said(at) { $0.seals.contains(at.domain) ? true : nil }.last
            return rule.map { ($0.item.leaves[0], [$0.file.name]) } ?? seal.map { (nil, [$0.file.name]) }
        }
        let end = last.file.enforced ? last.file.name : "~"
        let heard = files.filter { applies($0.target) && rank($0) >= min(1, rank(last.file)) && $0.name <= end }
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
    /// A weaker value joined with a stronger one, where the operator joins their types.
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
