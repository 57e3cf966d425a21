import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

/// Finds conflicts between the entries, and between the constraints, of several files for one key.
struct LintEntries {
    /// The kinds of entry that are compared with each other.
    private enum Kind: CaseIterable {
        /// Forced and absent entries.
        case forced
        /// Recommended entries.
        case recommended
        /// Entries that are set once.
        case setOnce
        /// Constraints.
        case constraint

        /// The effect of such an entry, as a verb.
        var verb: String {
            switch self {
            case .forced: "force"
            case .recommended: "recommend"
            case .setOnce: "set once"
            case .constraint: "allow"
            }
        }
    }

    private struct Item {
        let file: LintFile
        /// The index of the file.
        let index: Int
        let position: Position
        /// The content; two items conflict if it differs.
        let content: Content
        /// Whether its value depends on the user.
        var hasVariables = false
        /// The common setting that became this for a program, if one did.
        var setting: Key?

        /// Whether the same is found of the common domain: both are what one setting became.
        func isShared(with other: Item) -> Bool { setting != nil && setting == other.setting }

        /// What it says, for messages that name the loser and the winner.
        var words: String {
            switch content {
            case .value(let value?): value.lintText
            case .value(nil): "no value"
            case .constraint(let rule): Printable.escape(rule.words)
            }
        }

        /// Whether it has no value on purpose.
        var isAbsent: Bool { content == .value(nil) }

        /// The place of the entry for messages.
        var place: String { file.place(position) }

        /// Whether a constraint certainly forbids its value.
        func isOutside(of rule: Constraint) -> Bool {
            guard case .value(let value?) = content, !hasVariables else { return false }
            return rule.verdict(on: value) != .allowed
        }

        /// Whether it wins against another one if both apply.
        func isStronger(than other: Item) -> Bool {
            switch (file.policy.enforced, other.file.policy.enforced) {
            case (true, false): true
            case (false, true): false
            case (true, true): index < other.index
            case (false, false): index > other.index
            }
        }
    }

    /// The content of an entry.
    private enum Content: Equatable {
        /// A value, or none.
        case value(Value?)
        /// A constraint.
        case constraint(Constraint)
    }

    private(set) var findings: [Diagnostic] = []
    /// The entries and constraints that never have an effect.
    private(set) var losers: [(file: LintFile, position: Position)] = []
    /// The sensitive keys, whose values messages leave out.
    private var sensitive: Set<LintName> = []
    private let manifests: ManifestSet

    /// Compares the entries of files, which are in order of application.
    init(files: [LintFile], names: LintNames, manifests: ManifestSet = ManifestSet()) {
        self.manifests = manifests
        for item in files.lazy.flatMap(\.policy.metadata) where item.metadata.isSensitive {
            sensitive.insert(LintName(domain: item.domain, key: item.key))
        }
        let seals = LintEntries.seals(files)
        let (places, items) = LintEntries.compared(files, names, sealed: seals)
        guard !items.isEmpty else { return }
        var joined: Set<Int> = []
        var waived: Set<Int> = []
        for file in files {
            for entry in file.policy.combine where entry.combine != .replace {
                if let number = names.number(entry.domain, entry.key) { joined.insert(number) }
            }
            for waiver in file.policy.waivers {
                if let number = names.number(waiver.domain, waiver.key) { waived.insert(number) }
            }
        }
        for (number, range) in places {
            let name = names.numbers.names[number]
            let domain = names.numbers.domains[name.domain]
            let key = LintName(domain: domain, key: name.key)
            let sealing = seals[domain] ?? []
            let all = items[range].map { LintEntries.item($0, files) }
            let forced = all.filter { $0.kind == .forced }.map(\.item)
            for kind in Kind.allCases {
                let items = kind == .forced ? forced : all.filter { $0.kind == kind }.map(\.item)
                if items.isEmpty { continue }
                let isJoined = kind == .forced && joined.contains(number)
                let dead = findDead(items, key, kind, isJoined: isJoined)
                if !isJoined { findConflicts(items, key, kind, dead) }
                guard kind != .forced, !waived.contains(number), !(forced.isEmpty && sealing.isEmpty) else { continue }
                for (index, item) in items.enumerated() where !dead.contains(index) {
                    findHidden(item, key, kind, behind: forced, sealing)
                }
            }
        }
    }

    /// The index of an entry or a constraint in its file.
    private struct Reference {
        /// The index of the file.
        var file: Int32 = 0
        /// The index in the file's entries, followed by its constraints.
        var index: Int32 = 0
    }

    private typealias Sealing = (file: LintFile, position: Position)

    /// The seals of each domain, in order of application.
    private static func seals(_ files: [LintFile]) -> [Key: [Sealing]] {
        var seals: [Key: [Sealing]] = [:]
        for file in files {
            for seal in file.policy.seals { seals[seal.domain, default: []].append((file, seal.origin.position)) }
        }
        return seals
    }

    /// The entries and constraints of the names that have several, or whose domain is sealed, grouped by name, in order
    /// of application.
    ///
    /// - Returns: the names with the ranges of their items, and the items.
    private static func compared(
        _ files: [LintFile], _ names: LintNames, sealed: [Key: [Sealing]]
    ) -> (places: [(number: Int, range: Range<Int>)], items: [Reference]) {
        var places: [(number: Int, range: Range<Int>)] = []
        /// The index for the next item of each name; negative for a name without comparison.
        var next = [Int32](repeating: -1, count: names.counts.count)
        var end = 0
        let domains = names.numbers.domains
        let isSealed = sealed.isEmpty ? [] : domains.map { sealed[$0] != nil }
        for (number, count) in names.counts.enumerated()
        where count > 1 || count == 1 && !isSealed.isEmpty && isSealed[names.numbers.names[number].domain] {
            places.append((number, end..<end + Int(count)))
            next[number] = Int32(truncatingIfNeeded: end)
            end += Int(count)
        }
        var items = [Reference](repeating: Reference(), count: end)
        if end == 0 { return ([], []) }
        /// Appends an item of a file to the items of its name.
        func put(_ number: Int32, _ file: Int, _ index: Int) {
            let place = Int(next[Int(number)])
            guard place >= 0 else { return }
            next[Int(number)] += 1
            items[place] = Reference(file: Int32(truncatingIfNeeded: file), index: Int32(truncatingIfNeeded: index))
        }
        var (entry, rule) = (0, 0)
        for (file, policy) in files.lazy.map(\.policy).enumerated() {
            let count = policy.entries.count
            for index in 0..<count { put(names.entries[entry + index], file, index) }
            for index in policy.constraints.indices { put(names.constraints[rule + index], file, count + index) }
            (entry, rule) = (entry + count, rule + policy.constraints.count)
        }
        return (places, items)
    }

    private static func item(_ reference: Reference, _ files: [LintFile]) -> (kind: Kind, item: Item) {
        let (number, index) = (Int(reference.file), Int(reference.index))
        let file = files[number]
        let entries = file.policy.entries
        guard index < entries.count else {
            let rule = file.policy.constraints[index - entries.count]
            let content = Content.constraint(rule.constraint)
            return (.constraint, Item(file: file, index: number, position: rule.origin.position, content: content))
        }
        let entry = entries[index]
        let kind: Kind
        switch entry.level {
        case .forced, .absent: kind = .forced
        case .recommended: kind = .recommended
        case .setOnce: kind = .setOnce
        }
        let content = Content.value(entry.value?.value)
        return (
            kind,
            Item(
                file: file, index: number, position: entry.origin.position, content: content,
                hasVariables: entry.hasVariables, setting: entry.origin.source.setting)
        )
    }

    /// Reports the entries that never win against one of their own kind, where that changes what holds.
    ///
    /// Combined entries all have an effect, up to the first enforced one. An enforced file is there to win, and an absent
    /// entry to take a value away.
    private mutating func findDead(_ items: [Item], _ key: LintName, _ kind: Kind, isJoined: Bool) -> Set<Int> {
        guard items.count > 1 else { return [] }
        let ranked = items.sorted { $0.isStronger(than: $1) }
        var dead: Set<Int> = []
        for (index, item) in items.enumerated() {
            let winner = ranked.first { other in
                other.isStronger(than: item) && other.file.target.covers(item.file.target)
                    && (!isJoined || other.file.policy.enforced && other.index < item.index)
            }
            guard let winner else { continue }
            dead.insert(index)
            losers.append((item.file, item.position))
            let isLost = item.file.isTemporary && !winner.file.isTemporary
            let isMeant =
                winner.content == item.content || winner.file.policy.enforced || winner.isAbsent || item.isAbsent
            if isMeant && !isLost || winner.isShared(with: item) { continue }
            let why = winner.file.policy.enforced ? "is enforced" : "is later"
            findings.append(
                item.file.warning(
                    isLost ? .temporaryLoses : .neverWins, at: item.position,
                    "\(name(key))\(said(item, key)) never \(kind == .constraint ? "counts" : "wins"): \(winner.place)"
                        + "\(said(winner, key)) \(why), and its target includes everybody this file applies to"
                        + "\(isLost ? Self.advice : "")"))
        }
        return dead
    }

    /// A key with its domain, for messages.
    private func name(_ key: LintName) -> String {
        "\"\(Printable.escape(key.key.string))\" of \(Printable.escape(key.domain.string))"
    }

    /// What an entry says, in parentheses; empty for a sensitive key.
    private func said(_ item: Item, _ key: LintName) -> String {
        let isHidden = sensitive.contains(key) || manifests.isSensitive(domain: key.domain, key: key.key)
        return isHidden ? "" : " (\(item.words))"
    }

    /// Whether an entry wins against another one because its author wants it to: its file is enforced, its target is
    /// part of the other's target, or one of the two takes a value away.
    private static func isMeant(_ winner: Item, over loser: Item) -> Bool {
        winner.file.policy.enforced || winner.isAbsent || loser.isAbsent || loser.file.target.covers(winner.file.target)
    }

    /// Reports the entries that contradict one of their own kind, each once.
    private mutating func findConflicts(_ items: [Item], _ key: LintName, _ kind: Kind, _ dead: Set<Int>) {
        guard items.count > 1 else { return }
        for (later, second) in items.enumerated() where !dead.contains(later) {
            let others = items[..<later].enumerated().filter { earlier, first in
                let isFirst = first.isStronger(than: second)
                let (winner, loser) = isFirst ? (first, second) : (second, first)
                let isLost = loser.file.isTemporary && !winner.file.isTemporary
                return !dead.contains(earlier) && first.index != second.index && first.content != second.content
                    && !first.isShared(with: second)
                    && first.file.target.mayOverlap(second.file.target)
                    && (isLost || !LintEntries.isMeant(winner, over: loser))
            }
            guard let first = others.first?.element else { continue }
            let isFirst = first.isStronger(than: second)
            let (winner, loser) = isFirst ? (first, second) : (second, first)
            let isLost = loser.file.isTemporary && !winner.file.isTemporary
            let (here, there) = isLost ? (loser, winner) : (second, first)
            let more = others.count > 1 ? " (and \(others.count - 1) more)" : ""
            findings.append(
                here.file.warning(
                    isLost ? .temporaryLoses : .conflictingValues, at: here.position,
                    "this file\(said(here, key)) and \(there.place)\(said(there, key))\(more) \(kind.verb) different"
                        + " values of \(name(key)) for targets that may overlap; where they do,"
                        + " \(winner.file.shownPath) wins\(isLost ? Self.advice : "")")
            )
        }
    }

    /// Reports recommended and set-once values that are always hidden, and constraints that never have an effect.
    ///
    /// A forced value that equals what it hides takes nothing away, and an enforced file is there to win.
    private mutating func findHidden(
        _ item: Item, _ key: LintName, _ kind: Kind, behind forced: [Item], _ seals: [Sealing]
    ) {
        let noun =
            switch kind {
            case .setOnce: "the value that is set once for"
            case .constraint: "the constraint of"
            case .recommended, .forced: "the recommended value of"
            }
        let obstacle: String
        var isMeant = false
        if let winner = forced.last(where: { $0.file.target.covers(item.file.target) }) {
            // The conflict is reported at the value.
            if case .constraint(let rule) = item.content, winner.isOutside(of: rule) { return }
            isMeant =
                winner.content == item.content || winner.file.policy.enforced || winner.isAbsent
                || winner.isShared(with: item)
            obstacle = "\(winner.place) forces the key\(said(winner, key))"
        } else if let seal = seals.last(where: { $0.file.target.covers(item.file.target) }) {
            // A constraint that allows one value acts as a forced entry, which a sealed domain may have.
            if case .constraint(let rule) = item.content, rule.onlyValue != nil { return }
            obstacle = "\(seal.file.place(seal.position)) seals the domain"
        } else {
            return
        }
        losers.append((item.file, item.position))
        if isMeant { return }
        findings.append(
            item.file.warning(
                .neverWins, at: item.position,
                "\(noun) \(name(key))\(said(item, key)) \(kind == .constraint ? "never counts" : "is never seen"):"
                    + " \(obstacle) for everybody this file applies to"))
    }

    /// The advice for temporary policy that has no effect.
    private static let advice =
        "; temporary policy wins where it has Enforced and a name that comes first, such as 00-…"
}
