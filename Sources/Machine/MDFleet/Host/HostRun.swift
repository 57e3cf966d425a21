import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDCare
package import MDEngine
package import MDPlatform

/// One turn of a host: it asks what the centre has, sends what is missing, and ends.
package struct HostRun {
    /// What a turn did.
    package struct Outcome: Hashable, Sendable {
        /// Sentences about what was sent.
        package var done: [String] = []
        /// What an administrator has to look at, as sentences; empty if nothing.
        package var problems: [String] = []
    }

    /// A status is due after this time, in microseconds.
    private static let statusInterval: Int64 = 5 * 60_000_000
    /// The centre's refusal is asked about again after this time.
    private static let refusalInterval: Int64 = 3_600_000_000
    /// A batch is sent again after this time if hosts cannot see whether it waits.
    private static let batchInterval: Int64 = 10 * 60_000_000

    let root: Root
    let configuration: FleetConfiguration
    let transport: any CentreTransport
    /// The time by the host's clock.
    let now: Timestamp
    /// The version of the program.
    let version: String
    /// Reads the policy of the machine.
    let policy: () -> PolicyInForce

    private(set) var state: FleetState
    /// What became of the snapshots of the fleet's policy.
    private var snapshot = SnapshotOutcome()
    var outcome = Outcome()

    /// Prepares a turn; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - root: the machine.
    ///   - configuration: what it knows of its fleet.
    ///   - transport: the way to the centre.
    ///   - now: the time.
    ///   - version: the version of the program.
    ///   - policy: reads the policy of the machine.
    package init(
        _ root: Root, _ configuration: FleetConfiguration, over transport: any CentreTransport, now: Timestamp,
        version: String, policy: @escaping () -> PolicyInForce
    ) {
        (self.root, self.configuration, self.transport) = (root, configuration, transport)
        (self.now, self.version, self.policy) = (now, version, policy)
        state = FleetState(of: root)
    }

    /// Runs the turn.
    ///
    /// - Returns: what was done. What could not be done is tried again by the next turn.
    /// - Throws: if nothing could be done, because the centre does not answer or a file cannot be read or written.
    package mutating func run() throws(FleetFault) -> Outcome {
        do throws(FleetFault) {
            try turn()
        } catch {
            keepAnswer("\(error)")
            throw error
        }
        keepAnswer(outcome.problems.first)
        return outcome
    }

    private mutating func turn() throws(FleetFault) {
        let before = state
        let machine = FleetMachine(of: root)
        guard isEnrolled(machine) else { return try announceCopy(machine) }
        let acknowledgement = try transport.read("ack/\(configuration.host)", limit: Acknowledgement.limit)
        try beginAfterReset(acknowledgement)
        takeSnapshot()
        let seen = fingerprint(acknowledgement)
        if state.seen == seen, !isDue(state.statusTime, HostRun.statusInterval) { return }
        state.seen = nil
        do throws(FleetFault) {
            try sendRecords(acknowledgement)
        } catch {
            outcome.problems.append("No records were sent: \(error).")
        }
        let policy = policy()
        try sendReport(policy)
        try sendStatus(machine, policy)
        // What changed meanwhile is seen by the next turn.
        if outcome.problems.isEmpty { state.seen = seen }
        if state != before { try state.write(to: root) }
    }

    /// Keeps for `doctor` what became of the turn; not each time that all is well.
    private func keepAnswer(_ problem: String?) {
        let last = FleetAnswer(of: root)
        guard problem != nil || last?.problem != nil || state.statusTime == now || last == nil else { return }
        let answer = FleetAnswer(time: now, centre: transport.name, waiting: state.waiting, problem: problem)
        // What doctor cannot read it misses, and says so.
        try? answer.write(to: root)
    }

    // MARK: The machine

    /// Whether this is the machine that was enrolled; the first one that runs is, if nothing else was said.
    private mutating func isEnrolled(_ machine: FleetMachine) -> Bool {
        let known = state.machine.flatMap { FleetMachine($0) }
        if let enrolled = (configuration.machine.flatMap { FleetMachine($0) } ?? known) {
            if machine.differs(from: enrolled) { return false }
        }
        // What is remembered of another machine came with its disk.
        if let known, machine.differs(from: known) { state = FleetState() }
        state.machine = machine.completed(by: known ?? machine).text
        return true
    }

    /// Says that this machine is a copy, and nothing else.
    private mutating func announceCopy(_ machine: FleetMachine) throws(FleetFault) {
        outcome.problems.append(
            "This machine is a copy of \(configuration.host): it was not enrolled itself, and sends only that.")
        var status = HostStatus(host: configuration.host, time: now, machine: machine.text, version: version)
        status.copyOf = configuration.host
        try transport.put(status.bytes, as: SpoolName(configuration.host, .status))
    }

    /// Begins another log after each boot of a machine that is set back then.
    ///
    /// It names the log that the centre has, which may be gone from the disk.
    private mutating func beginAfterReset(_ acknowledgement: [UInt8]?) throws(FleetFault) {
        guard configuration.resetsAtBoot, let boot = Machine.bootID(root: root), state.begun != boot,
            let log = acknowledgement.flatMap({ Acknowledgement($0) })?.log ?? Checkpoint.newest(of: root)?.logID
        else { return }
        try begin(.resetAtBoot, after: log, in: boot)
    }

    /// Begins another log.
    private mutating func begin(
        _ succession: LogSuccession, after log: String, in boot: String
    ) throws(FleetFault) {
        do throws(AuditError) {
            let result = try AuditLog(root: root).beginAgain(succession, after: log)
            if let alarm = result.alarm { outcome.problems.append(alarm) }
            // The new log says what became of the one whose checkpoint root keeps.
            if root.mayExist(KeptCheckpoint.path), let alarm = try KeptCheckpoint.renew(root) {
                outcome.problems.append(alarm)
            }
        } catch {
            throw FleetFault("the audit log could not be begun again: \(error)")
        }
        state.begun = boot
        // At once, because a log is begun once in each boot.
        try state.write(to: root)
    }

    /// Takes what the centre published, where fleet.json names a root key.
    private mutating func takeSnapshot() {
        guard configuration.rootKey != nil else { return }
        snapshot = SnapshotInstaller(root: root, configuration: configuration, now: now).run(transport)
        outcome.problems += snapshot.problems
        if snapshot.isInstalled, let number = snapshot.number {
            outcome.done.append("Installed snapshot \(number) of fleet \(configuration.fleet).")
        }
    }

    // MARK: Records

    /// Sends what the centre does not have.
    private mutating func sendRecords(_ bytes: [UInt8]?) throws(FleetFault) {
        let answer = try HostRun.answer(bytes, of: transport)
        guard var newest = Checkpoint.newest(of: root) else {
            (state.waiting, state.waitingSince, state.refused) = (0, nil, nil)
            return
        }
        // Of another log the centre gets the first record first: it says why it was begun.
        var position = HostRun.position(answer, in: newest)
        // An answer that was believed when a batch was sent needs no proof while that waits.
        let isKnown = try isWaiting(after: position)
        var sender: LogSender?
        if !isKnown, let answer = position, try isSetBack(answer, newest, &sender) {
            guard let boot = Machine.bootID(root: root), state.begun != boot else {
                throw FleetFault(
                    "the centre has \(answer.size) records of the log \(answer.log), which are not those of this machine, "
                        + "and another log was already begun since the boot")
            }
            try begin(.setBack, after: newest.logID, in: boot)
            (newest, sender) = (Checkpoint.newest(of: root) ?? newest, nil)
            position = HostRun.position(answer, in: newest)
        }
        noteRefusal(position)
        let held = min(position?.size ?? 0, newest.size)
        state.waiting = newest.size - held
        if state.waiting == 0 { (state.waitingSince, state.sent) = (nil, nil) }
        if state.waiting == 0 || isKnown { return }
        var open: LogSender
        if let sender { open = sender } else { open = try LogSender(root) }
        let batch = try open.pack(after: held, signer: try signer())
        try transport.put(batch.bytes, as: SpoolName(configuration.host, .batch))
        state.sent = FleetState.Batch(log: batch.log, first: batch.first, last: batch.last, time: now)
        state.waitingSince = batch.since ?? state.waitingSince
        outcome.done.append("Sent records \(batch.first) to \(batch.last) of the log \(batch.log).")
    }

    /// What the centre says that it has; `nil` if it has nothing.
    private static func answer(
        _ bytes: [UInt8]?, of transport: any CentreTransport
    ) throws(FleetFault) -> Acknowledgement? {
        guard let bytes else { return nil }
        guard let answer = Acknowledgement(bytes) else {
            throw FleetFault("what \(transport.name) says that it has is no acknowledgement")
        }
        return answer
    }

    /// An answer about this log; `nil` for one about another.
    private static func position(_ answer: Acknowledgement?, in newest: Checkpoint) -> Acknowledgement? {
        answer.flatMap { $0.log.utf8.elementsEqual(newest.logID.utf8) ? $0 : nil }
    }

    /// Notes whether the centre refuses the log.
    private mutating func noteRefusal(_ position: Acknowledgement?) {
        state.refused = nil
        guard case .refused(let word) = position?.answer else { return }
        state.refused = word
        outcome.problems.append(
            "The centre takes no records of this machine (\(word.rawValue)) until an administrator has looked there: mdefaults "
                + "fleet accept \(configuration.host).")
    }

    /// The key that signs checkpoints; `nil` if the machine has none.
    private func signer() throws(FleetFault) -> CheckpointSigner? {
        do throws(CheckpointSigningError) {
            return try CheckpointSigner(of: root)
        } catch {
            throw FleetFault("\(error)")
        }
    }

    /// Whether the centre has records of this log that the log lacks, or others.
    private func isSetBack(
        _ answer: Acknowledgement, _ newest: Checkpoint, _ sender: inout LogSender?
    ) throws(FleetFault) -> Bool {
        if answer.size > newest.size { return true }
        guard case .held(let digest) = answer.answer, answer.size > 0 else { return false }
        if answer.size == newest.size { return digest != newest.root }
        var open = try LogSender(root)
        defer { sender = open }
        return try open.has(answer.size, digest) == false
    }

    /// Whether a batch that follows a position waits at the centre; one that is refused is sent again each hour.
    private func isWaiting(after position: Acknowledgement?) throws(FleetFault) -> Bool {
        let held = position?.size ?? 0
        guard let sent = state.sent, let newest = Checkpoint.newest(of: root),
            sent.log.utf8.elementsEqual(newest.logID.utf8),
            sent.first <= held + 1, sent.last > held, sent.last <= newest.size
        else { return false }
        if case .refused = position?.answer { return !isDue(sent.time, HostRun.refusalInterval) }
        let isThere = try transport.isWaiting(SpoolName(configuration.host, .batch))
        return isThere ?? !isDue(sent.time, HostRun.batchInterval)
    }

    // MARK: Status

    /// Sends the sign of life if it says something new, or is due.
    private mutating func sendStatus(_ machine: FleetMachine, _ policy: PolicyInForce) throws(FleetFault) {
        var status = HostStatus(host: configuration.host, time: now, machine: machine.text, version: version)
        status.describe(policy)
        status.describe(state, snapshot)
        if snapshot.number != nil { status.ownFiles = SnapshotState.ownFiles(of: policy.policies, root) }
        if let newest = Checkpoint.newest(of: root) {
            (status.log, status.size, status.root) = (newest.logID, newest.size, newest.root)
        }
        let digest = status.digest
        guard state.status != digest || isDue(state.statusTime, HostRun.statusInterval) else { return }
        try transport.put(status.bytes, as: SpoolName(configuration.host, .status))
        (state.status, state.statusTime) = (digest, now)
        outcome.done.append("Sent the status.")
    }

    // MARK: Report

    /// Makes a report at most each hour, and sends it if its content changed.
    private mutating func sendReport(_ policy: PolicyInForce) throws(FleetFault) {
        // The result of the policy before says nothing of what was just installed.
        guard snapshot.isInstalled || isDue(state.reportTime, HostReport.interval) else { return }
        let report = HostReport(of: policy, now: now, version: version)
        state.verdict = report.verdict
        state.reportTime = now
        guard state.report != report.content else { return }
        let bytes = try Gzip.pack(report.bytes)
        guard bytes.count <= SpoolName.Kind.report.limit else {
            outcome.problems.append(
                "The report was not sent: packed it has \(bytes.count) bytes, more than the centre takes.")
            return
        }
        try transport.put(bytes, as: SpoolName(configuration.host, .report))
        state.report = report.content
        outcome.done.append("Sent the report.")
    }

    // MARK: Times

    /// Whether an interval has passed; a clock that was set back counts as passed.
    private func isDue(_ last: Timestamp?, _ interval: Int64) -> Bool {
        guard let last, last <= now else { return true }
        return now.microseconds - last.microseconds >= interval
    }

    /// A digest of all that a turn looks at which is cheap to look at.
    private func fingerprint(_ acknowledgement: [UInt8]?) -> String {
        var hash = SHA256()
        let checkpoint = try? root.read(LogFiles.current.checkpoint, limit: Checkpoint.longestText).bytes
        for bytes in [acknowledgement ?? [], checkpoint ?? []] {
            hash.update(Array("\(bytes.count) ".utf8))
            hash.update(bytes)
        }
        hash.update(Array("\(snapshot.isStale) \(snapshot.problems.joined(separator: " ")) ".utf8))
        for path in HostRun.watched {
            let status = try? root.status(path, followingLinks: true)
            let words = [status?.inode ?? 0, UInt64(bitPattern: status?.changed ?? 0)]
            hash.update(Array(words.map { "\($0)" }.joined(separator: " ").utf8))
        }
        return hash.finish().hex
    }

    /// What changes when policy, exams, tags or the fleet of the machine do.
    private static let watched = [
        FleetConfiguration.path, "/etc/managed-defaults/policies.d", "/run/managed-defaults/policies.d",
        "/etc/managed-defaults/tags", "/var/lib/managed-defaults/policy.record",
    ]
}
