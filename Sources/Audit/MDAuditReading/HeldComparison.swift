import MDAuditLog
import MDPlatform

/// Compares a log that matches its own checkpoint with those that somebody else holds.
struct HeldComparison {
    /// The checkpoints of others.
    private let held: [HeldCheckpoint]
    /// The log's own.
    private let own: Checkpoint
    /// What the log has; `nil` if it has no records.
    private let findings: LogFindings?

    /// Makes a value.
    init(_ held: [HeldCheckpoint], _ own: Checkpoint, _ findings: LogFindings?) {
        (self.held, self.own, self.findings) = (held, own, findings)
    }

    /// The result for the log, after every comparison.
    func applied(to result: LogVerification) -> LogVerification {
        var sentences: [String] = []
        for held in held {
            switch compare(held) {
            case .same(let sentence): if held.isNamed { sentences.append(sentence) }
            case .other(let status, let sentence, let firstBad):
                return LogVerification(
                    status: status, records: result.records, firstBad: firstBad, detail: sentence)
            }
        }
        guard !sentences.isEmpty else { return result }
        return LogVerification(
            status: result.status, records: result.records, claimed: result.claimed, firstBad: result.firstBad,
            detail: ([result.detail] + sentences).joined(separator: " "))
    }

    /// The result of one comparison.
    private enum Outcome {
        /// The log continues what the checkpoint covers.
        case same(String)
        /// It does not, or that is unknown.
        case other(LogVerification.Status, String, firstBad: Int?)
    }

    /// Compares the log with one checkpoint.
    private func compare(_ held: HeldCheckpoint) -> Outcome {
        let (other, holder) = (held.checkpoint, held.holder)
        guard other.origin == own.origin else {
            return .other(
                .truncated,
                "The log \(other.logID), of which \(holder) has a checkpoint of \(other.size) records, is not here: "
                    + "the log \(own.logID) is in its place.", firstBad: 1)
        }
        let lines = findings?.lines ?? 0
        if other.size > lines {
            return .other(
                .truncated,
                "The log holds \(lines) records, and the checkpoint of \(holder) covers \(other.size): the log was cut "
                    + "off or rolled back together with its own checkpoint.", firstBad: lines + 1)
        }
        if let findings, findings.isDeleted(other.size) {
            return .other(
                .unchecked,
                "The log matches its own checkpoint. That of \(holder) covers \(other.size) records and cannot be "
                    + "compared, because the records around that number were deleted.", firstBad: nil)
        }
        let root = findings?.roots[other.size] ?? (other.size == 0 ? MerkleTree().root : nil)
        guard root == other.root else {
            return .other(
                .altered,
                "The log matches its own checkpoint, but not that of \(holder): one of the first \(other.size) records "
                    + "was changed, and the checkpoint of the log with it.", firstBad: 1)
        }
        return .same("The first \(other.size) records are also those that the checkpoint of \(holder) covers.")
    }
}
