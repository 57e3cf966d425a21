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
    /// The candidates, given in order of application, the strongest first: those of enforced files in order, then the
    /// others backwards.
    func ranked<Item>() -> [Candidate<Item>] where Element == Candidate<Item> {
        if count < 2 { return self }
        return filter(\.file.isEnforced) + filter { !$0.file.isEnforced }.reversed()
    }
}
