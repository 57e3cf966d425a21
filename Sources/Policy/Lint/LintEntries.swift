import Platform
import PropertyList

/// What is wrong between the entries, and between the constraints, that several files have for one key.
struct LintEntries {
    /// The kinds of entry that are weighed against each other.
    private enum Kind: Hashable {
        /// Forced and absent entries.
        case forced
        /// Recommended entries.
        case recommended
        /// Entries that are set once.
        case setOnce
        /// Constraints.
        case constraint

        /// What such an entry does, as a verb.
        var verb: String {
            switch self {
            case .forced: "force"
            case .recommended: "recommend"
            case .setOnce: "set once"
            case .constraint: "allow"
            }
        }
    }

    /// An entry and its file.
    private struct Item {
        /// The file.
        let file: LintFile
        /// Its place among the files.
        let index: Int
        /// The place of the entry in its file.
        let position: Position
        /// What it says; two items differ where this differs.
        let content: Content

        /// The place of the entry as people are shown it.
        var place: String { file.place(position) }

        /// Whether it comes before another one where both apply.
        func isStronger(than other: Item) -> Bool {
            switch (file.policy.enforced, other.file.policy.enforced) {
            case (true, false): true
            case (false, true): false
            case (true, true): index < other.index
            case (false, false): index > other.index
            }
        }
    }

    /// What an entry says.
    private enum Content: Equatable {
        /// This value, or none.
        case value(Value?)
        /// This constraint.
        case constraint(Constraint)
    }

    /// A key and the kind of its entries.
    private struct Name: Hashable {
        /// The domain and the key.
        let name: LintName
        /// The kind.
        let kind: Kind
    }

    /// What was found.
    private(set) var findings: [Diagnostic] = []

    /// Compares the entries of files, which stand in order of application.
    init(files: [LintFile]) {
        var groups: [Name: [Item]] = [:]
        var joined: Set<LintName> = []
        var waived: Set<LintName> = []
        for (index, file) in files.enumerated() {
            for entry in file.policy.entries {
                let kind: Kind
                switch entry.level {
                case .forced, .absent: kind = .forced
                case .recommended: kind = .recommended
                case .setOnce: kind = .setOnce
                }
                let name = Name(name: LintName(domain: entry.domain, key: entry.key), kind: kind)
                let content = Content.value(entry.value?.value)
                groups[name, default: []].append(
                    Item(file: file, index: index, position: entry.origin.position, content: content))
            }
            for entry in file.policy.constraints {
                let name = Name(name: LintName(domain: entry.domain, key: entry.key), kind: .constraint)
                groups[name, default: []].append(
                    Item(
                        file: file, index: index, position: entry.origin.position,
                        content: .constraint(entry.constraint)))
            }
            for entry in file.policy.combine where entry.combine != .replace {
                joined.insert(LintName(domain: entry.domain, key: entry.key))
            }
            for waiver in file.policy.waivers { waived.insert(LintName(domain: waiver.domain, key: waiver.key)) }
        }
        for (name, items) in groups {
            // Entries that are joined all take part.
            let isJoined = name.kind == .forced && joined.contains(name.name)
            let dead = isJoined ? [] : findDead(items, name)
            if !isJoined { findConflicts(items, name, dead) }
            guard name.kind == .recommended || name.kind == .setOnce, !waived.contains(name.name),
                let forced = groups[Name(name: name.name, kind: .forced)]
            else { continue }
            for (index, item) in items.enumerated() where !dead.contains(index) {
                findHidden(item, name, behind: forced)
            }
        }
    }

    /// Reports the entries that never win against one of their own kind.
    private mutating func findDead(_ items: [Item], _ name: Name) -> Set<Int> {
        guard items.count > 1 else { return [] }
        let ranked = items.sorted { $0.isStronger(than: $1) }
        var dead: Set<Int> = []
        for (index, item) in items.enumerated() {
            let winner = ranked.first { $0.isStronger(than: item) && $0.file.target.covers(item.file.target) }
            guard let winner else { continue }
            dead.insert(index)
            let shown = Printable.escape(name.name.key.string)
            let why = winner.file.policy.enforced ? "is enforced" : "is later"
            let noun = name.kind == .constraint ? "this constraint" : "this entry"
            let advice = item.file.isTemporary && !winner.file.isTemporary ? Self.advice : ""
            findings.append(
                item.file.warning(
                    advice.isEmpty ? .neverWins : .temporaryLoses, at: item.position,
                    "\(noun) of \"\(shown)\" never wins: \(winner.place) \(why), and its target includes everybody"
                        + " this file applies to\(advice)"))
        }
        return dead
    }

    /// Reports the entries that contradict one of their own kind; each once, whatever the number of the others.
    private mutating func findConflicts(_ items: [Item], _ name: Name, _ dead: Set<Int>) {
        guard items.count > 1 else { return }
        for (later, second) in items.enumerated() where !dead.contains(later) {
            let others = items[..<later].enumerated().filter { earlier, first in
                !dead.contains(earlier) && first.index != second.index && first.content != second.content
                    && first.file.target.mayOverlap(second.file.target)
            }
            guard let first = others.first?.element else { continue }
            let isFirst = first.isStronger(than: second)
            let (winner, loser) = isFirst ? (first, second) : (second, first)
            let isLost = loser.file.isTemporary && !winner.file.isTemporary
            let (here, there) = isLost ? (loser, winner) : (second, first)
            let shown = Printable.escape(name.name.key.string)
            let more = others.count > 1 ? " (and \(others.count - 1) more)" : ""
            findings.append(
                here.file.warning(
                    isLost ? .temporaryLoses : .conflictingValues, at: here.position,
                    "this file and \(there.place)\(more) \(name.kind.verb) different values of \"\(shown)\" for targets"
                        + " that may overlap; where they do, \(winner.file.shownPath) wins\(isLost ? Self.advice : "")")
            )
        }
    }

    /// Reports a recommended value, or one that is set once, that nobody ever sees.
    private mutating func findHidden(_ item: Item, _ name: Name, behind forced: [Item]) {
        guard let winner = forced.last(where: { $0.file.target.covers(item.file.target) }) else { return }
        let noun = name.kind == .setOnce ? "this value that is set once" : "this recommended value"
        findings.append(
            item.file.warning(
                .neverWins, at: item.position,
                "\(noun) of \"\(Printable.escape(name.name.key.string))\" is never seen: \(winner.place) forces the key"
                    + " for everybody this file applies to"))
    }

    /// What to do about temporary policy that loses.
    private static let advice =
        "; temporary policy wins where it has Enforced and a name that comes first, such as 00-…"
}
