import MDAuditClient
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyCore
import MDPropertyList

/// What the audit log of a host says of its fleet's policy: what was taken, and what was refused.
struct SnapshotRecorder {
    private let root: Root
    private let fleet: String
    private let reporter: AuditReporter
    /// The time of records; `nil` for that of the clock.
    let time: Timestamp?

    init(root: Root, fleet: String, now: Timestamp) {
        (self.root, self.fleet) = (root, fleet)
        // A folder may have a clock that was given.
        time = root.isSystem ? nil : now
        reporter = AuditReporter(root: root, stateDirectory: nil)
    }

    /// Records that a snapshot is about to be installed.
    ///
    /// - Returns: whether the record is in the log.
    func begin(_ number: SnapshotNumber, signer: String, _ digest: Digest) -> Bool {
        store(.policy, "snapshot \(number) \(place), signed by \(signer), begins", SnapshotState.snapshot, digest)
    }

    /// Records that a root document is taken.
    ///
    /// - Returns: whether the record is in the log.
    func take(root epoch: Int, _ digest: Digest) -> Bool {
        store(.policy, "root document \(epoch) \(place), is taken", SnapshotState.root, digest)
    }

    /// Records in the log of a centre that a snapshot was published.
    ///
    /// - Returns: whether the record is in the log.
    func publish(_ snapshot: Snapshot, signer: String, _ digest: Digest) -> Bool {
        let why = snapshot.reason.map { ": \($0)" } ?? ""
        return store(
            .policy, "snapshot \(snapshot.number) \(place) published, signed by \(signer)\(why)", CentreFolder.snapshot,
            digest)
    }

    /// Records that something of the centre was not taken.
    ///
    /// - Returns: whether the record is in the log.
    func refuse(_ refusal: HostStatus.Refusal, _ digest: Digest) -> Bool {
        let line = refusal.line.map { ":\($0)" } ?? ""
        return store(.damaged, "not taken from fleet \(fleet): \(refusal.file)\(line): \(refusal.reason)", nil, digest)
    }

    private var place: String { "of fleet \(fleet)" }

    private func store(_ kind: RecordKind, _ note: String, _ file: String?, _ digest: Digest) -> Bool {
        var record = AuditRecord(kind: kind, src: .client, note: note)
        record.time = time
        record.stamp(with: nil)
        record.policy = PolicyReference(file: file, sha256: digest)
        if case .stored = reporter.report([record]).first { return true }
        return false
    }

    /// The highest numbers that the log has, with the digests of their documents.
    struct Highest {
        var root: (epoch: Int, digest: Digest)?
        var snapshot: (number: SnapshotNumber, digest: Digest)?
    }

    /// Reads the highest numbers of the fleet in the log.
    ///
    /// Complexity: the whole log is read.
    ///
    /// - Throws: if there is a log, and it cannot be read.
    func highest() throws(AuditError) -> Highest {
        var highest = Highest()
        try AuditLog(root: root).forEachEntry(
            matching: AuditQuery(kind: .policy), hiding: ManifestSecrets()
        ) { record, _ in
            // What a user kept in a spool is only the user's word.
            guard record.src == .client, record.uid == root.owner, let note = record.note,
                let digest = record.policy?.sha256, let file = record.policy?.file
            else { return }
            if Key(file) == Key(SnapshotState.snapshot), let word = word(of: note, behind: "snapshot "),
                let number = SnapshotNumber(word)
            {
                if highest.snapshot.map({ $0.number <= number }) ?? true { highest.snapshot = (number, digest) }
            } else if Key(file) == Key(SnapshotState.root), let word = word(of: note, behind: "root document "),
                let epoch = RecordBatch.number(word.utf8)
            {
                if highest.root.map({ $0.epoch <= epoch }) ?? true { highest.root = (epoch, digest) }
            }
        }
        return highest
    }

    /// The word of a note about this fleet that follows a beginning.
    private func word(of note: String, behind beginning: String) -> String? {
        guard note.utf8.starts(with: beginning.utf8) else { return nil }
        let rest = note.utf8.dropFirst(beginning.utf8.count)
        let word = rest.prefix { $0 != 0x20 }
        guard rest.dropFirst(word.count).starts(with: " \(place),".utf8) else { return nil }
        return String(Substring(word))
    }
}
