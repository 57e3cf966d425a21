package import Audit
package import Engine
package import Platform
package import Policy

/// Compares the marks of all users with what root has seen of them before.
///
/// A mark that was there and is gone, or is changed, goes into the audit log; what is there now is kept for the next time,
/// where only root writes. Nothing is done, and nothing written, by others than root or the owner of a folder, or where
/// policy sets nothing once and never did.
package struct SetOnceLook: Sendable {
    /// Records of marks that are gone or changed and that are in the log.
    package private(set) var recorded: [AuditRecord] = []
    /// Records of marks that are gone or changed and that could not be stored; they come again.
    package private(set) var unrecorded: [AuditRecord] = []
    /// What could not be told, as whole sentences.
    package private(set) var limits: [String] = []
    /// The users whose marks were looked for by a child that died or did not answer, and why it did not.
    package private(set) var unanswered: [(account: Account, reason: String)] = []

    /// How long another process is waited for, in seconds.
    private static let lockSeconds = 1.0

    /// Looks at the users of a machine.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - isRecording: whether what is seen is recorded, as `policy apply` does, or only said.
    ///   - end: when all homes have to be looked into, in monotonic microseconds.
    package init(of machine: PolicyMachine, isRecording: Bool, until end: Int64 = HomeAccess.end()) {
        let root = machine.root
        guard machine.facts == nil, SetOnceLook.mayMatter(machine.policies, root: root) else { return }
        if isRecording { record(machine, until: end) } else { compare(machine, until: end) }
    }

    /// Compares the marks with what was seen before, and writes nothing.
    private mutating func compare(_ machine: PolicyMachine, until end: Int64) {
        guard var register = try? SetOnceRegister(root: machine.root) else { return }
        compare(machine.people, of: machine, &register, nil, until: end)
    }

    /// Compares the marks of some users, whose homes are read in children.
    private mutating func compare(
        _ people: [Account], of machine: PolicyMachine, _ register: inout SetOnceRegister, _ reporter: AuditReporter?,
        until end: Int64
    ) {
        let asked = people.compactMap { account -> (session: UserSession, marks: [SetOnceMark])? in
            let session = UserSession(machine: machine, account: account)
            let old = register.marks[SetOnceRegister.Owner(account)]?.map(\.mark) ?? []
            let marks = old + session.resultant.lastingMarks.filter { !old.contains($0) }
            return marks.isEmpty ? nil : (session, marks)
        }
        for (item, states) in zip(asked, HomeAccess.states(of: asked, until: end)) {
            compare(item.marks, states, of: item.session.account, &register, reporter)
        }
    }

    /// Compares the marks with what was seen before, under the lock, and records what is seen now.
    private mutating func record(_ machine: PolicyMachine, until end: Int64) {
        let root = machine.root
        guard (try? root.createDirectory("/var/lib/managed-defaults", mode: 0o755)) != nil,
            let lock = try? root.lock(SetOnceRegister.path + ".lock", seconds: SetOnceLook.lockSeconds)
        else {
            limits.append("The marks of what was set once were not compared: their register could not be locked.")
            return
        }
        defer { withExtendedLifetime(lock) {} }
        var register = SetOnceRegister()
        var isWritten = false
        do throws(TableError) {
            register = try SetOnceRegister(root: root)
        } catch {
            isWritten = true
            limits.append(
                "What was seen of the marks of what was set once is lost, and begins anew: "
                    + "\(Printable.escape(error.description)).")
        }
        let before = register
        let reporter = AuditReporter(root: root, stateDirectory: nil)
        let people = machine.people
        compare(people, of: machine, &register, reporter, until: end)
        // Who has no entry any more has no marks to lose; a list that could not be read names nobody.
        if machine.accounts.problems.isEmpty { register.keep(Set(people.map(SetOnceRegister.Owner.init))) }
        guard isWritten || register != before else { return }
        do throws(SystemError) {
            try register.write(root: root)
        } catch {
            limits.append("What was seen of the marks of what was set once could not be kept: \(error).")
        }
    }

    /// Whether there is anything to compare, and this process may keep what it sees.
    package static func mayMatter(_ policies: PolicySet, root: Root) -> Bool {
        guard CurrentProcess.euid == root.owner, !(root.isSystem && CurrentProcess.isInForeignNamespace) else {
            return false
        }
        if (try? root.status(SetOnceRegister.path, followingLinks: false)) != nil { return true }
        return policies.files.contains { $0.policy?.entries.contains { $0.level == .setOnce } ?? false }
    }

    /// Every record of a mark that is gone or changed.
    package var lost: [AuditRecord] { recorded + unrecorded }

    /// What a record says of a mark that is gone or changed, as a clause; `nil` for any other record.
    package static func clause(of record: AuditRecord) -> String? {
        guard let (mark, isChanged) = record.lostMark else { return nil }
        let time = record.time.map { ", found at \($0.rfc3339)" } ?? ""
        return "the mark of \(mark.domain) \(mark.key), set once by \(mark.policy), \(mark.occasion), was there and is "
            + "\(isChanged ? "changed" : "gone")\(time): whoever removes it gets the value once more"
    }

    /// Compares the marks of one user.
    private mutating func compare(
        _ asked: [SetOnceMark], _ answer: Result<[MarkState]?, SystemError>, of account: Account,
        _ register: inout SetOnceRegister, _ reporter: AuditReporter?
    ) {
        let owner = SetOnceRegister.Owner(account)
        let known = register.marks[owner] ?? []
        if case .failure(let error) = answer, !error.isPermission { unanswered.append((account, error.text)) }
        guard case .success(let states?) = answer else {
            // Who never had a mark has none to lose.
            if !known.isEmpty {
                limits.append(
                    "Whether the marks of what was set once for \(Printable.escape(account.name)) are still there is not known."
                )
            }
            return
        }
        var kept: [SetOnceRegister.Seen] = []
        for (index, (mark, state)) in zip(asked, states).enumerated() {
            let seen = index < known.count ? known[index] : nil
            var now: SetOnceRegister.Seen?
            if case .present(let words) = state {
                now = SetOnceRegister.Seen(mark, words: words)
                // A register without digests tells nothing of words.
                if seen?.words.map({ $0 == words }) ?? true {
                    kept += now.map { [$0] } ?? []
                    continue
                }
            }
            guard let seen else { continue }
            let record = AuditRecord(lost: mark, isChanged: state != .gone, of: account)
            let isStored = if case .stored? = reporter?.report(record) { true } else { false }
            if isStored { recorded.append(record) } else { unrecorded.append(record) }
            // What is there now is looked for from now on; what nobody could record comes again.
            if let keep = isStored ? now : seen { kept.append(keep) }
        }
        register.set(kept, of: owner)
    }
}
