import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// Checks waivers against the entries that they lift.
struct LintWaivers {
    /// An entry, constraint or seal that a waiver may lift.
    private struct Holder {
        /// Its kind.
        let kind: WaiverObstacle.Kind
        let file: LintFile
        let position: Position

        /// The place for messages.
        var place: String { file.place(position) }
    }

    /// Other policy that controls keys.
    private let otherPolicy: LintOtherPolicy
    /// The users of the machine; `nil` if unknown.
    private let users: LintUsers?
    private(set) var findings: [Diagnostic] = []
    /// The entries and constraints of each key that a waiver names.
    private var holders: [Int: [Holder]] = [:]
    /// The seals of each domain.
    private var seals: [Key: [Holder]] = [:]

    /// Compares files, which are in order of application.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - names: the numbers of all their names.
    ///   - otherPolicy: other policy that controls keys.
    ///   - time: waivers that ended before this time are ignored; `nil` to check all.
    ///   - users: the users of the machine; `nil` if unknown.
    init(files: [LintFile], names: LintNames, otherPolicy: LintOtherPolicy, time: Timestamp?, users: LintUsers? = nil) {
        (self.otherPolicy, self.users) = (otherPolicy, users)
        for waiver in files.lazy.flatMap(\.policy.writtenWaivers) {
            if let number = names.number(waiver.domain, waiver.key) { holders[number] = [] }
        }
        if holders.isEmpty { return }
        gather(files, names)
        for file in files {
            for waiver in file.policy.writtenWaivers {
                let key = names.number(waiver.domain, waiver.key).flatMap { holders[$0] } ?? []
                let all = key + (seals[waiver.domain] ?? [])
                if all.isEmpty, otherPolicy.mayHold(waiver.domain, waiver.key) { continue }
                check(waiver, of: file, all, time)
            }
        }
    }

    /// Gathers the entries, constraints and seals that waivers name.
    private mutating func gather(_ files: [LintFile], _ names: LintNames) {
        var (entry, rule) = (0, 0)
        for file in files {
            let policy = file.policy
            for index in policy.entries.indices {
                let number = Int(names.entries[entry + index])
                guard holders[number] != nil else { continue }
                let item = policy.entries[index]
                if item.level == .forced || item.level == .absent {
                    holders[number]?.append(Holder(kind: .forces, file: file, position: item.origin.position))
                }
            }
            for (index, item) in policy.constraints.enumerated() {
                holders[Int(names.constraints[rule + index])]?.append(
                    Holder(kind: .constrains, file: file, position: item.origin.position))
            }
            for seal in policy.seals {
                seals[seal.domain, default: []].append(
                    Holder(kind: .seals, file: file, position: seal.origin.position))
            }
            (entry, rule) = (entry + policy.entries.count, rule + policy.constraints.count)
        }
    }

    /// Reports a waiver that lifts nothing, does not free its key, or lifts temporary policy.
    private mutating func check(_ waiver: Waiver, of file: LintFile, _ holders: [Holder], _ time: Timestamp?) {
        let position = waiver.origin.position
        let shown = Printable.escape(waiver.key.string)
        guard !holders.isEmpty else {
            findings.append(
                file.warning(
                    .idleRule, at: position,
                    "this waiver lifts nothing: \(otherPolicy.scope.noFile) forces, seals or constrains \"\(shown)\" of"
                        + " \(Printable.escape(waiver.domain.string))"))
            return
        }
        if let time, let until = waiver.until, until <= time { return }
        let reach = LintTarget(Target(include: waiver.clauses, notAfter: waiver.until), calendars: [:])
        let near = holders.filter { $0.file.target.mayOverlap(file.target) && $0.file.target.mayOverlap(reach) }
        let lifted = near.filter { LintWaivers.isLiftable($0, by: file) }
        let obstacles = near.filter { obstacle in
            guard !LintWaivers.isLiftable(obstacle, by: file) else { return false }
            // A forced key that is now only constrained counts as freed.
            return (obstacle.kind != .constrains || !lifted.contains { $0.kind != .constrains })
                && mayMeet(waiver, of: file, obstacle)
        }
        let whole = obstacles.first { $0.file.target.covers(file.target) || $0.file.target.covers(reach) }
        if let obstacle = whole ?? obstacles.first {
            let clause = WaiverObstacle(kind: obstacle.kind, origin: waiver.origin).clause
            let words = whole == nil ? "without effect where \(obstacle.place) applies as well" : "without effect"
            findings.append(
                file.warning(
                    .waiverWithoutEffect, at: position,
                    "this waiver of \"\(shown)\" is \(words): \(obstacle.file.shownPath), \(clause)"))
        }
        let taken = lifted.filter {
            $0.file.isTemporary && $0.file !== file && !$0.file.isOfExam(of: file) && mayMeet(waiver, of: file, $0)
        }
        guard let first = taken.first, whole == nil else { return }
        let more = taken.count > 1 ? " (and \(taken.count - 1) more)" : ""
        findings.append(
            file.warning(
                .temporaryLifted, at: position,
                "this waiver takes \"\(shown)\" of \(Printable.escape(waiver.domain.string)) out of"
                    + " \(first.place)\(more), which is temporary policy; for whom both are, the key is free all the same"
            ))
    }

    /// Whether a user may be in the target of a waiver and of a holder of its key; false only if no user of the machine
    /// is.
    private func mayMeet(_ waiver: Waiver, of file: LintFile, _ holder: Holder) -> Bool {
        let targets = [Target(include: waiver.clauses)] + [file, holder.file].compactMap(\.policy.target)
        return switch users?.absence(from: targets) {
        case nil, .ownFiles: true
        case .named, .listed: false
        }
    }

    /// Whether the waivers of a file lift the entries of the holder's file.
    private static func isLiftable(_ holder: Holder, by file: LintFile) -> Bool {
        !holder.file.policy.enforced || file.policy.enforced
    }
}

/// Finds redundant waivers: another one lifts the same key for the same users, at least as long.
struct LintRepeatedWaivers {
    /// A waiver, prepared for comparison.
    private struct Item {
        /// The waiver.
        let waiver: Waiver
        let file: LintFile
        /// Its clauses and its end.
        let reach: LintTarget

        init(_ waiver: Waiver, _ file: LintFile) {
            (self.waiver, self.file) = (waiver, file)
            reach = LintTarget(Target(include: waiver.clauses, notAfter: waiver.until), calendars: [:])
        }

        /// Whether it certainly lifts everything that another waiver of the same key lifts.
        func covers(_ other: Item) -> Bool {
            // A waiver in an Enforced file also lifts entries of Enforced files.
            guard file.policy.enforced || !other.file.policy.enforced else { return false }
            return (reach.covers(other.reach) || reach.covers(other.file.target))
                && (file.target.covers(other.file.target) || file.target.covers(other.reach))
        }
    }

    private(set) var findings: [Diagnostic] = []

    /// The most pairs that are compared, which takes some ten milliseconds.
    private static let workLimit = 20_000

    /// Compares the waivers that have not ended at a time.
    init(files: [LintFile], time: Timestamp) {
        var items: [LintName: [Item]] = [:]
        for file in files {
            for waiver in file.policy.writtenWaivers where waiver.until.map({ $0 > time }) ?? true {
                items[LintName(domain: waiver.domain, key: waiver.key), default: []].append(Item(waiver, file))
            }
        }
        var work = 0
        for same in items.values where same.count > 1 {
            for (index, item) in same.enumerated() {
                work += same.count
                if work > LintRepeatedWaivers.workLimit { return }
                // Of two equal waivers, the later one is reported.
                let other = same.enumerated().first { place, other in
                    place != index && other.covers(item) && (place < index || !item.covers(other))
                }
                if let other = other?.element { report(item, other) }
            }
        }
    }

    /// Reports a redundant waiver.
    private mutating func report(_ item: Item, _ other: Item) {
        let place = other.file.place(other.waiver.origin.position)
        findings.append(
            item.file.warning(
                .waiverWithoutEffect, at: item.waiver.origin.position,
                "this waiver of \"\(Printable.escape(item.waiver.key.string))\" changes nothing: \(place) lifts the key for"
                    + " the same people, at least as long"))
    }
}

/// Finds entries that a waiver of their own file lifts for every user of the file's target.
struct LintWaivedEntries {
    private(set) var findings: [Diagnostic] = []

    /// Checks the waivers without clauses that have not ended at a time.
    init(files: [LintFile], time: Timestamp) {
        for file in files {
            let policy = file.policy
            for waiver in policy.writtenWaivers
            where waiver.clauses.isEmpty && waiver.until.map({ $0 > time }) ?? true {
                let name = (waiver.domain, waiver.key)
                let entry = policy.entries.first {
                    ($0.level == .forced || $0.level == .absent) && ($0.domain, $0.key) == name
                }
                let rule = policy.constraints.first { ($0.domain, $0.key) == name }
                guard let origin = entry?.origin ?? rule?.origin else { continue }
                let noun = entry == nil ? "constraint" : "entry"
                let end = waiver.until.map { " before \(LintTime.words($0))" } ?? ""
                findings.append(
                    file.warning(
                        .neverWins, at: origin.position,
                        "this \(noun) of \"\(Printable.escape(waiver.key.string))\" never wins\(end): the waiver at"
                            + " \(waiver.origin.position) names nobody, so it lifts the key for everybody this file applies"
                            + " to"))
            }
        }
    }
}
