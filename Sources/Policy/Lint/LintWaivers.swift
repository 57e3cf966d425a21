import Platform
import PropertyList

/// What is wrong between waivers and what they are to lift.
struct LintWaivers {
    /// Something that a waiver may lift.
    private struct Holder {
        /// What it does.
        let kind: WaiverObstacle.Kind
        /// Its file.
        let file: LintFile
        /// Where it stands.
        let position: Position

        /// The place as people are shown it.
        var place: String { file.place(position) }
    }

    /// What holds keys beside the files.
    private let standing: LintStanding
    /// Who there is; `nil` where nobody knows.
    private let users: LintUsers?
    /// What was found.
    private(set) var findings: [Diagnostic] = []
    /// What holds each key that a waiver is about.
    private var holders: [Int: [Holder]] = [:]
    /// What seals each domain.
    private var seals: [Key: [Holder]] = [:]

    /// Compares files, which stand in order of application.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - names: the numbers of all names in them.
    ///   - standing: what holds keys beside them.
    ///   - time: waivers that have ended by then lift nothing and are passed over; `nil` for none.
    ///   - users: who there is; `nil` where nobody knows.
    init(files: [LintFile], names: LintNames, standing: LintStanding, time: Timestamp?, users: LintUsers? = nil) {
        (self.standing, self.users) = (standing, users)
        for waiver in files.lazy.flatMap(\.policy.waivers) {
            if let number = names.number(waiver.domain, waiver.key) { holders[number] = [] }
        }
        if holders.isEmpty { return }
        gather(files, names)
        for file in files {
            for waiver in file.policy.waivers {
                let key = names.number(waiver.domain, waiver.key).flatMap { holders[$0] } ?? []
                let all = key + (seals[waiver.domain] ?? [])
                if all.isEmpty, standing.mayHold(waiver.domain, waiver.key) { continue }
                check(waiver, of: file, all, time)
            }
        }
    }

    /// Gathers what waivers are about.
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

    /// Reports a waiver that has nothing to lift, that cannot free its key, or that takes a key out of temporary policy.
    private mutating func check(_ waiver: Waiver, of file: LintFile, _ holders: [Holder], _ time: Timestamp?) {
        let position = waiver.origin.position
        let shown = Printable.escape(waiver.key.string)
        guard !holders.isEmpty else {
            findings.append(
                file.warning(
                    .idleRule, at: position,
                    "this waiver lifts nothing: \(standing.scope.nobody) forces, seals or constrains \"\(shown)\" of"
                        + " \(Printable.escape(waiver.domain.string))"))
            return
        }
        if let time, let until = waiver.until, until <= time { return }
        let reach = LintTarget(Target(include: waiver.clauses, notAfter: waiver.until), calendars: [:])
        let near = holders.filter { $0.file.target.mayOverlap(file.target) && $0.file.target.mayOverlap(reach) }
        let lifted = near.filter { LintWaivers.isLiftable($0, by: file) }
        let obstacles = near.filter { obstacle in
            guard !LintWaivers.isLiftable(obstacle, by: file) else { return false }
            // A key that was forced and has a choice now is freer than it was.
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

    /// Whether somebody may be among those of a waiver and in the target of what holds its key; false only where that is
    /// known of everybody here.
    private func mayMeet(_ waiver: Waiver, of file: LintFile, _ holder: Holder) -> Bool {
        let targets = [Target(include: waiver.clauses)] + [file, holder.file].compactMap(\.policy.target)
        return switch users?.absence(from: targets) {
        case nil, .ownFiles: true
        case .named, .listed: false
        }
    }

    /// Whether the waivers of a file lift what another file says, or the same.
    private static func isLiftable(_ holder: Holder, by file: LintFile) -> Bool {
        !holder.file.policy.enforced || file.policy.enforced
    }
}
