/// Something of a policy file that applies: an entry, a constraint, a waiver.
struct Candidate<Item> {
    /// What the file says.
    let item: Item
    /// The file.
    let file: StandingFile

    /// Whether a waiver of another file, or of the same, lifts this.
    ///
    /// A waiver lifts what its own file says, what all files say that are not `Enforced`, and what any file says if its
    /// own is `Enforced`. With its own file in one of the other two, two cases are left.
    func isLifted(by waiver: Candidate<Waiver>) -> Bool {
        !file.isEnforced || waiver.file.isEnforced
    }
}

extension Array {
    /// The candidates without those of grants of which nobody can tell whose they are, as long as there are others.
    func withoutDoubtfulGrants<Item>() -> [Candidate<Item>] where Element == Candidate<Item> {
        guard contains(where: \.file.isDoubtfulGrant) else { return self }
        let others = filter { !$0.file.isDoubtfulGrant }
        return others.isEmpty ? self : others
    }

    /// The candidates, which stand in order of application, the strongest first: those of enforced files in order, then
    /// the others backwards, and last those of files that give way.
    func ranked<Item>() -> [Candidate<Item>] where Element == Candidate<Item> {
        if count < 2 { return self }
        let free = filter { !$0.file.isEnforced }.reversed()
        return filter(\.file.isEnforced) + free.filter { !$0.file.givesWay } + free.filter(\.file.givesWay)
    }
}
