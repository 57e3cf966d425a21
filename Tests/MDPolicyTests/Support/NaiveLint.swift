import MDPropertyList

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Findings between files, from comparing every statement with every other, and nothing else.
struct NaiveLint {
    /// A finding: its file, place and code, and the other place that its sentence must name.
    struct Finding: Hashable, Comparable {
        /// `file@offset code`.
        let what: String
        /// The other place; empty if there is none.
        let names: String

        static func < (left: Finding, right: Finding) -> Bool {
            (left.what, left.names) < (right.what, right.names)
        }
    }

    /// Something that a file says of a key.
    private struct Said {
        /// The place of the file among the files.
        let index: Int
        /// The file.
        let file: LintFile
        /// The domain.
        let domain: Key
        /// The key.
        let key: Key
        /// Statements that are compared with each other have the same word.
        let kind: String
        /// The place of the statement.
        let position: Position
        /// The entry, if it is one.
        var entry: PolicyEntry?
        /// The constraint, if it is one.
        var constraint: Constraint?

        /// The place in words.
        var place: String { file.place(position) }

        /// Whether it is an absent entry.
        var isAbsent: Bool { entry?.level == .absent }

        /// Whether both are about one key.
        func isAbout(_ other: Said) -> Bool { domain == other.domain && key == other.key }

        /// Whether both say the same.
        func agrees(with other: Said) -> Bool {
            entry?.value?.value == other.entry?.value?.value && constraint == other.constraint
        }

        /// Whether it counts if both apply.
        func beats(_ other: Said) -> Bool {
            let (own, others) = (file.policy.enforced, other.file.policy.enforced)
            return own == others ? (own ? index < other.index : index > other.index) : own
        }
    }

    /// The findings.
    private(set) var findings: [Finding] = []
    /// All entries and constraints, in order.
    private let said: [Said]
    /// The files.
    private let files: [LintFile]

    /// Compares files in order of application.
    init(_ files: [LintFile]) {
        self.files = files
        said = files.enumerated().flatMap { index, file in
            file.policy.entries.map { entry in
                Said(
                    index: index, file: file, domain: entry.domain, key: entry.key,
                    kind: entry.level == .recommended ? "recommended" : entry.level == .setOnce ? "once" : "forced",
                    position: entry.origin.position, entry: entry)
            }
                + file.policy.constraints.map { rule in
                    Said(
                        index: index, file: file, domain: rule.domain, key: rule.key, kind: "constraint",
                        position: rule.origin.position, constraint: rule.constraint)
                }
        }
        for item in said { compare(item) }
        for file in files { findRules(of: file) }
        findSpellings()
    }

    /// Adds a finding.
    private mutating func find(_ code: LintCode, _ file: LintFile, _ position: Position, _ names: String = "") {
        findings.append(
            Finding(what: "\(file.shownPath)@\(position) \(position.offset) \(code.rawValue)", names: names))
    }

    /// Whether the forced entries of a key are joined.
    private func isJoined(_ item: Said) -> Bool {
        item.kind == "forced"
            && files.contains { file in
                file.policy.combine.contains {
                    $0.domain == item.domain && $0.key == item.key && $0.combine != .replace
                }
            }
    }

    /// The item that overrides an item for every target of it.
    private func killer(of item: Said) -> Said? {
        let rivals = said.filter { $0.isAbout(item) && $0.kind == item.kind }
        let winners = rivals.filter { $0.beats(item) && $0.file.target.covers(item.file.target) }
        let ending = winners.filter { !isJoined(item) || $0.file.policy.enforced && $0.index < item.index }
        return ending.first { one in ending.allSatisfy { !$0.beats(one) } }
    }

    /// Whether one of two contradicting items wins on purpose: enforced, for fewer subjects, or against no value.
    private func isMeant(_ one: Said, _ other: Said) -> Bool {
        let (winner, loser) = one.beats(other) ? (one, other) : (other, one)
        if loser.file.isTemporary, !winner.file.isTemporary { return false }
        return winner.file.policy.enforced || one.isAbsent || other.isAbsent
            || loser.file.target.covers(winner.file.target)
    }

    /// Compares an item with all others of its key.
    private mutating func compare(_ item: Said) {
        if let winner = killer(of: item) {
            let isTemporary = item.file.isTemporary && !winner.file.isTemporary
            // What is meant, or changes nothing, is not a finding.
            let isMeant =
                winner.file.policy.enforced || winner.isAbsent || item.isAbsent || winner.agrees(with: item)
            if isMeant, !isTemporary { return }
            return find(isTemporary ? .temporaryLoses : .neverWins, item.file, item.position, winner.place)
        }
        let earlier = said.first {
            $0.isAbout(item) && $0.kind == item.kind && $0.index < item.index && !$0.agrees(with: item)
                && $0.file.target.mayOverlap(item.file.target) && killer(of: $0) == nil && !isMeant($0, item)
        }
        if let earlier, !isJoined(item) {
            let (winner, loser) = earlier.beats(item) ? (earlier, item) : (item, earlier)
            if loser.file.isTemporary, !winner.file.isTemporary {
                find(.temporaryLoses, loser.file, loser.position, winner.place)
            } else {
                find(.conflictingValues, item.file, item.position, earlier.place)
            }
        }
        let isWaived = files.contains { file in
            file.policy.waivers.contains { $0.domain == item.domain && $0.key == item.key }
        }
        guard item.kind != "forced", !isWaived else { return }
        let hider = said.last {
            $0.isAbout(item) && $0.kind == "forced" && $0.file.target.covers(item.file.target)
        }
        if let hider {
            let isMeant = hider.file.policy.enforced || hider.isAbsent || hider.agrees(with: item)
            if !isOutside(item.constraint, hider), !isMeant { find(.neverWins, item.file, item.position, hider.place) }
        } else if item.constraint?.onlyValue == nil {
            let seals = files.filter { $0.target.covers(item.file.target) }.flatMap { file in
                file.policy.seals.filter { $0.domain == item.domain }.map { file.place($0.origin.position) }
            }
            if let place = seals.last { find(.neverWins, item.file, item.position, place) }
        }
    }

    /// Whether a constraint, if there is one, is known not to allow a forced value.
    private func isOutside(_ constraint: Constraint?, _ item: Said) -> Bool {
        guard let constraint, let entry = item.entry, let value = entry.value?.value, !entry.hasVariables else {
            return false
        }
        return constraint.verdict(on: value) != .allowed
    }

    /// Compares the rules of a file with all that is said.
    private mutating func findRules(of file: LintFile) {
        for rule in file.policy.constraints {
            for item in said where item.domain == rule.domain && item.key == rule.key {
                guard let entry = item.entry, entry.level != .absent, let value = entry.value?.value,
                    !entry.hasVariables, rule.constraint.verdict(on: value) != .allowed,
                    file.target.mayOverlap(item.file.target)
                else { continue }
                find(.outsideConstraint, item.file, item.position, file.place(rule.origin.position))
            }
        }
        for waiver in file.policy.waivers { findWaiver(waiver, file) }
        for seal in file.policy.seals where seal.domain == "NSGlobalDomain" {
            find(.sealedGlobalDomain, file, seal.origin.position)
        }
        for (number, item) in file.policy.combine.enumerated() { findOperator(item, number, file) }
    }

    /// Compares a waiver with all that holds its key.
    private mutating func findWaiver(_ waiver: Waiver, _ file: LintFile) {
        var holders = said.filter {
            $0.domain == waiver.domain && $0.key == waiver.key && ["forced", "constraint"].contains($0.kind)
        }.map { (kind: $0.kind, file: $0.file, place: $0.place) }
        for other in files {
            holders += other.policy.seals.filter { $0.domain == waiver.domain }.map {
                ("sealed", other, other.place($0.origin.position))
            }
        }
        if holders.isEmpty { return find(.idleRule, file, waiver.origin.position) }
        let reach = LintTarget(Target(include: waiver.clauses, notAfter: waiver.until), calendars: [:])
        holders = holders.filter { holder in
            [file.target, reach].allSatisfy { holder.file.target.mayOverlap($0) }
        }
        let free = holders.filter { file.policy.enforced || !$0.file.policy.enforced }
        let freesForced = free.contains { $0.kind != "constraint" }
        let held = holders.filter {
            $0.file.policy.enforced && !file.policy.enforced && ($0.kind != "constraint" || !freesForced)
        }
        let whole = held.first { holder in [file.target, reach].contains { holder.file.target.covers($0) } }
        if let holder = whole ?? held.first {
            find(.waiverWithoutEffect, file, waiver.origin.position, holder.file.shownPath)
        }
        let taken = free.filter { $0.file.isTemporary && $0.file !== file }
        if whole == nil, let first = taken.first { find(.temporaryLifted, file, waiver.origin.position, first.place) }
    }

    /// Compares an operator with those before it and with the forced entries of its key.
    private mutating func findOperator(_ item: CombineEntry, _ number: Int, _ file: LintFile) {
        let own = files.firstIndex { $0 === file } ?? 0
        let earlier = files[...own].enumerated().flatMap { index, other in
            other.policy.combine.prefix(index == own ? number : .max).filter {
                $0.domain == item.domain && $0.key == item.key
            }.map { (file: other, item: $0) }
        }
        let ends = said.filter {
            $0.domain == item.domain && $0.key == item.key && $0.kind == "forced" && $0.file.policy.enforced
                && $0.index < own
        }
        if let other = earlier.first(where: { one in
            one.item.combine != item.combine && one.file.target.mayOverlap(file.target)
                && !ends.contains { $0.file.target.covers(file.target) || $0.file.target.covers(one.file.target) }
        }) {
            return find(
                .combineDisagrees, file, item.origin.position, other.file.place(other.item.origin.position))
        }
        let forced = said.filter { $0.domain == item.domain && $0.key == item.key && $0.entry?.level == .forced }
        if forced.isEmpty { find(.idleRule, file, item.origin.position) }
        if let end = ends.first(where: { $0.file.target.covers(file.target) }) {
            find(.idleRule, file, item.origin.position, end.place)
        }
        let types: [CombineOperator: [String]] = [
            .union: ["array"], .merge: ["dictionary"], .and: ["boolean"], .or: ["boolean"],
            .min: ["integer", "float"], .max: ["integer", "float"],
        ]
        for one in forced where earlier.isEmpty && file.target.mayOverlap(one.file.target) {
            guard let type = one.entry?.value?.typeName, types[item.combine]?.contains(type) == false else { continue }
            find(.cannotCombine, one.file, one.position, file.place(item.origin.position))
        }
    }

    /// Finds names that differ from an earlier one by case or normalization only.
    private mutating func findSpellings() {
        var names: [(file: LintFile, domain: Key, key: Key?, position: Position)] = []
        for file in files {
            let policy = file.policy
            names += policy.entries.map { (file, $0.domain, $0.key, $0.origin.position) }
            names += policy.seals.map { (file, $0.domain, nil, $0.origin.position) }
            names += policy.constraints.map { (file, $0.domain, $0.key, $0.origin.position) }
            names += policy.combine.map { (file, $0.domain, $0.key, $0.origin.position) }
            names += policy.waivers.map { (file, $0.domain, $0.key, $0.origin.position) }
            names += policy.metadata.map { (file, $0.domain, $0.key, $0.origin.position) }
        }
        for (index, name) in names.enumerated() {
            let before = names[..<index]
            if let first = before.first(where: { fold($0.domain) == fold(name.domain) }), first.domain != name.domain,
                !before.contains(where: { $0.domain == name.domain })
            {
                find(.similarKeys, name.file, name.position, first.file.place(first.position))
            }
            guard let key = name.key else { continue }
            let first = before.first { fold($0.domain) == fold(name.domain) && $0.key.map(fold) == fold(key) }
            if let first, first.key != key,
                !before.contains(where: { $0.domain == name.domain && $0.key == key })
            {
                find(.similarKeys, name.file, name.position, first.file.place(first.position))
            }
        }
    }

    /// A name in lower case, compared as `String` compares.
    private func fold(_ key: Key) -> String { key.string.lowercased() }
}
