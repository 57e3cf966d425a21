import PropertyList

/// What policy may say of somebody of whom nobody knows who it is: every choice of the files that may be meant, each asked of the naive
/// resolver.
final class NaiveDoubt {
    /// Every possibility; the first one is that all files are meant.
    let possible: [NaiveResolver]
    /// The files of which nobody knows whether they are meant.
    let hidden: Set<String>
    /// What lookups were found to come to.
    private var known: [NaivePlace: [Outcome]] = [:]
    /// The most such files, for each of which there are twice as many possibilities.
    static let limit = 5

    /// Thinks of every possibility.
    init(_ resolver: NaiveResolver) {
        let hidden = resolver.files.filter { file in
            !resolver.who.isKnown
                && [
                    file.target.include.users, file.target.include.groups, file.target.except.users,
                    file.target.except.groups,
                ].contains { $0 != nil }
        }.map(\.name)
        self.hidden = Set(hidden)
        // There are too many of more, and nobody asks.
        possible =
            hidden.count > NaiveDoubt.limit
            ? []
            : (0..<1 << hidden.count).reversed().map { choice in
                let meant = Set(hidden.indices.filter { choice >> $0 & 1 == 1 }.map { hidden[$0] })
                let files = resolver.files.filter { !hidden.contains($0.name) || meant.contains($0.name) }
                return NaiveResolver(files: files.map { meant.contains($0.name) ? $0.meant : $0 }, who: resolver.who)
            }
    }

    /// What a lookup of a key comes to: one of each possibility.
    func outcomes(_ place: NaivePlace) -> [Outcome] {
        if let outcomes = known[place] { return outcomes }
        let outcomes: [Outcome] = NaiveDoubt.different(
            possible.map { naive -> Outcome in
                if let forced = naive.forced(place) { return .forced(forced.value) }
                return naive.said(place) { $0.constraints[place] }.last.map { Outcome.constrained($0.item.fields) }
                    ?? .free
            })
        known[place] = outcomes
        return outcomes
    }

    /// What is offered of a key: one of each possibility.
    func offered(_ item: (NaiveFile) -> Value?) -> [Value?] {
        NaiveDoubt.different(possible.map { naive in naive.said(.nowhere, item).last?.item })
    }

    /// What a lookup comes to.
    enum Outcome: Equatable {
        /// A forced value, or none.
        case forced(Value?)
        /// A choice.
        case constrained([Key: Value])
        /// Whatever the user likes.
        case free
    }

    /// Some things, each of them once.
    private static func different<Item: Equatable>(_ items: [Item]) -> [Item] {
        items.reduce(into: []) { items, item in if !items.contains(item) { items.append(item) } }
    }

    /// Whether a file has a part in how a key is joined, and nobody knows whether it is meant.
    func joins(_ place: NaivePlace) -> Bool {
        possible[0].files.contains { hidden.contains($0.name) && $0.combine[place] != nil }
    }
}

extension NaiveFile {
    /// The file as one that is meant for whoever asks, of which nothing lifts anything.
    fileprivate var meant: NaiveFile {
        var target = target
        (target.include.users, target.include.groups) = (nil, nil)
        (target.except.users, target.except.groups) = (nil, nil)
        return NaiveFile(
            name: name, enforced: enforced, target: target, forced: forced, recommended: recommended,
            setOnce: setOnce, constraints: constraints, combine: combine, seals: seals, waivers: [:])
    }
}
