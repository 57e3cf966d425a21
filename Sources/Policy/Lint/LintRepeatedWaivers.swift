import Platform
import PropertyList

/// Waivers that change nothing, because another one lifts the same key for the same people, at least as long.
struct LintRepeatedWaivers {
    /// A waiver, and for whom and how long it is.
    private struct Item {
        /// The waiver.
        let waiver: Waiver
        /// Its file.
        let file: LintFile
        /// Whom it names, and when it ends.
        let reach: LintTarget

        /// Makes a waiver ready.
        init(_ waiver: Waiver, _ file: LintFile) {
            (self.waiver, self.file) = (waiver, file)
            reach = LintTarget(Target(include: waiver.clauses, notAfter: waiver.until), calendars: [:])
        }

        /// Whether it certainly lifts whatever another one of the same key lifts.
        func covers(_ other: Item) -> Bool {
            // One of an Enforced file lifts what Enforced files hold as well.
            guard file.policy.enforced || !other.file.policy.enforced else { return false }
            return (reach.covers(other.reach) || reach.covers(other.file.target))
                && (file.target.covers(other.file.target) || file.target.covers(other.reach))
        }
    }

    /// What was found.
    private(set) var findings: [Diagnostic] = []

    /// The most pairs that are compared: some ten milliseconds' work.
    private static let workLimit = 20_000

    /// Compares the waivers of files that have not ended at a time.
    init(files: [LintFile], time: Timestamp) {
        var items: [LintName: [Item]] = [:]
        for file in files {
            for waiver in file.policy.waivers where waiver.until.map({ $0 > time }) ?? true {
                items[LintName(domain: waiver.domain, key: waiver.key), default: []].append(Item(waiver, file))
            }
        }
        var work = 0
        for same in items.values where same.count > 1 {
            for (index, item) in same.enumerated() {
                work += same.count
                if work > LintRepeatedWaivers.workLimit { return }
                // Of two that lift the same, the later one is named.
                let other = same.enumerated().first { place, other in
                    place != index && other.covers(item) && (place < index || !item.covers(other))
                }
                if let other = other?.element { report(item, other) }
            }
        }
    }

    /// Reports a waiver that another one makes needless.
    private mutating func report(_ item: Item, _ other: Item) {
        let place = other.file.place(other.waiver.origin.position)
        findings.append(
            item.file.warning(
                .waiverWithoutEffect, at: item.waiver.origin.position,
                "this waiver of \"\(Printable.escape(item.waiver.key.string))\" changes nothing: \(place) lifts the key for"
                    + " the same people, at least as long"))
    }
}
