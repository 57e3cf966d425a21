import MDAuditClient
import MDPlatform

/// The result of checking a log against its checkpoint.
package struct LogVerification: Hashable, Sendable {
    /// The state of a log.
    package enum Status: String, Sendable, CaseIterable {
        /// Every record that the checkpoint covers is as it was stored.
        case intact
        /// A record was changed, removed, inserted or moved, or the checkpoint was changed.
        case altered
        /// Records at the end are missing.
        case truncated
        /// Intact, but the log itself says that something could not be recorded.
        case gaps
        /// The log or its checkpoint could not be read.
        case unchecked
    }

    /// The state of the log.
    package let status: Status
    /// The number of whole records in the log.
    package let records: Int
    /// The place of the first record that is not as it was stored, or the first place that it can have; `nil` if there is
    /// none, or its place is unknown.
    package let firstBad: Int?
    /// What was found and what is proven, in sentences.
    package let detail: String
    /// Whether the log is unchecked because this process may not read it.
    package let isForbidden: Bool

    /// Makes a result.
    package init(
        status: Status, records: Int, firstBad: Int? = nil, detail: String, isForbidden: Bool = false
    ) {
        self.isForbidden = isForbidden
        self.status = status
        self.records = records
        self.firstBad = firstBad
        self.detail = detail
    }
}

/// Words the result of a pass over a log.
struct VerificationText {
    /// The pass.
    let scan: LogScan
    /// The newest checkpoint.
    let checkpoint: Checkpoint
    /// The earlier checkpoints.
    let history: CheckpointHistory

    /// The result for a log that matches its checkpoints.
    var sound: LogVerification {
        let covered = max(checkpoint.size, history.entries.last?.size ?? 0)
        var sentences = [
            covered == 0
                ? "The checkpoint covers no records."
                : "Records 1 to \(covered) are exactly those that the checkpoint of log \(checkpoint.logID) covers."
        ]
        if scan.lines > covered {
            sentences.append("\(scan.lines - covered) later records are not covered by a checkpoint yet.")
        }
        if scan.tornBytes > 0 {
            sentences.append(
                "\(scan.tornBytes) bytes at the end are no whole record, as a crash or a writer at work leaves them.")
        }
        if !history.exists {
            sentences.append("The history of checkpoints is missing, so only the checkpoint itself vouches for them.")
        } else if history.damagedLines > 0 {
            sentences.append("Of the history of checkpoints \(history.damagedLines) lines are damaged; none is needed.")
        }
        guard !scan.gaps.isEmpty else {
            return LogVerification(status: .intact, records: scan.lines, detail: sentences.joined(separator: " "))
        }
        let kinds = scan.gaps.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) of kind \($0.key)" }
        sentences.append(
            "The log itself declares that something is missing or was mended, in \(kinds.joined(separator: ", "))"
                + (scan.dropped > 0 ? "; \(scan.dropped) records were not stored." : "."))
        return LogVerification(status: .gaps, records: scan.lines, detail: sentences.joined(separator: " "))
    }

    /// The result for a log that does not match its checkpoints.
    func broken(_ commitments: Commitments) -> LogVerification {
        let missing = commitments.required - scan.lines
        let bad = scan.firstBad
        guard let failed = scan.failed else {
            if let bad {
                return altered(
                    bad.line, "Line \(bad.line) is not record \(bad.line): \(bad.reason).")
            }
            let detail =
                "\(missing) records at the end are gone: the log holds \(scan.lines) whole records, and its checkpoints "
                + "cover \(commitments.required). \(proof)"
            return LogVerification(
                status: .truncated, records: scan.lines, firstBad: scan.lines + 1, detail: detail)
        }
        if let bad, bad.line <= failed.size {
            return altered(bad.line, "Line \(bad.line) is not record \(bad.line): \(bad.reason).")
        }
        let range = scan.proven + 1...max(failed.size, scan.proven + 1)
        if scan.proven == failed.size {
            return LogVerification(
                status: .altered, records: scan.lines,
                detail:
                    "Two checkpoints of \(failed.size) records contradict each other: one of them was changed. \(proof)"
            )
        }
        let sentence =
            range.count == 1
            ? "Record \(range.lowerBound) is not as it was stored."
            : "One of the records \(range.lowerBound) to \(range.upperBound) is not as it was stored, or the checkpoint "
                + "of \(failed.size) records was changed."
        return altered(range.lowerBound, sentence)
    }

    /// The result for a changed record.
    private func altered(_ line: Int, _ sentence: String) -> LogVerification {
        LogVerification(status: .altered, records: scan.lines, firstBad: line, detail: "\(sentence) \(proof)")
    }

    /// The sentence that says which records are still proven.
    private var proof: String {
        scan.proven == 0
            ? "Nothing before it is proven."
            : "Records 1 to \(scan.proven) are proven to be as they were stored."
    }
}
