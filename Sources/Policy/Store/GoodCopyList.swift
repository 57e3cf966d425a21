/// The good copies of one policy file; nearly always there is one.
struct GoodCopyList: Sendable {
    /// The copy with the highest number.
    let newest: GoodCopy
    /// The others, the newest first.
    let older: [GoodCopy]

    /// Makes a list of one copy, or of more whose order is known.
    init(_ newest: GoodCopy, older: [GoodCopy] = []) {
        self.newest = newest
        self.older = older
    }

    /// All copies, the newest first.
    var all: [GoodCopy] { [newest] + older }

    /// The list with one more copy.
    func adding(_ copy: GoodCopy) -> GoodCopyList {
        let sorted = (all + [copy]).sorted { $0.number > $1.number }
        return GoodCopyList(sorted[0], older: Array(sorted.dropFirst()))
    }
}
