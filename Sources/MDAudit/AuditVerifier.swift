import MDAuditClient
package import MDPlatform

/// Checks logs against their checkpoints.
///
/// It cannot detect that a log was replaced by an older state together with its checkpoint and its history, or that all
/// were removed; only a checkpoint held by somebody else shows that.
package enum AuditVerifier {
    /// Checks the log of a root, or the logs at these paths under the root.
    ///
    /// `current-ID.jsonl` is checked against `checkpoint-ID` beside it, any other name against `checkpoint`. The result
    /// of several logs is that of the gravest, with the details of all, a line for each.
    ///
    /// Complexity: O(n), in memory that does not grow with the log unless it was changed.
    package static func verify(root: Root, files: [String] = []) -> LogVerification {
        if files.isEmpty { return verify(root: root, .current) }
        let results = files.map { (path: $0, result: verify(root: root, LogFiles(log: $0))) }
        guard results.count > 1 else { return results[0].result }
        let worst = results.map(\.result).max { rank($0.status) < rank($1.status) }
        let details = results.map { "\(Printable.escape(root.display($0.path))): \($0.result.detail)" }
        return LogVerification(
            status: worst?.status ?? .unchecked, records: results.map(\.result.records).reduce(0, +),
            firstBad: worst?.firstBad, detail: details.joined(separator: "\n"))
    }

    /// The rank of a result among those of several logs, the gravest last.
    private static func rank(_ status: LogVerification.Status) -> Int {
        switch status {
        case .intact: 0
        case .gaps: 1
        case .unchecked: 2
        case .truncated: 3
        case .altered: 4
        }
    }

    /// Checks one log.
    private static func verify(root: Root, _ files: LogFiles) -> LogVerification {
        do throws(SystemError) {
            return try check(root: root, files)
        } catch {
            return LogVerification(
                status: .unchecked, records: 0, detail: "The log could not be checked: \(error).",
                isForbidden: error.isForbidden)
        }
    }

    /// Checks one log, if its files can be read.
    private static func check(root: Root, _ files: LogFiles) throws(SystemError) -> LogVerification {
        // The checkpoint is read before the log, which only grows, so a concurrent writer does no harm.
        let text = try LogFiles.ifPresent { () throws(SystemError) in
            try root.read(files.checkpoint, limit: Checkpoint.longestText).bytes
        }
        let history = try CheckpointHistory(root: root, path: files.history)
        let isPresent =
            try LogFiles.ifPresent { () throws(SystemError) in
                try root.status(files.log, followingLinks: true)
            } != nil
        let (log, shown) = (root.display(files.log), root.display(files.checkpoint))
        guard let text else {
            let detail =
                isPresent || history.exists
                ? "The checkpoint \(shown) is missing. It is made before the first record, so somebody removed it; "
                    + "without it nothing is proven."
                : "There is no log at \(log): either nothing was recorded yet, or it was removed with its checkpoint."
            return LogVerification(status: .unchecked, records: 0, detail: detail)
        }
        guard let checkpoint = Checkpoint(text: text) else {
            return LogVerification(
                status: .altered, records: 0,
                detail: "The checkpoint \(shown) is not as it was written; without it nothing is proven.")
        }
        if let origin = history.origin, origin != checkpoint.origin {
            return LogVerification(
                status: .altered, records: 0,
                detail: "The checkpoint \(shown) and the history \(root.display(files.history)) name different logs; "
                    + "one of them was changed or replaced.")
        }
        let commitments = Commitments(checkpoint: checkpoint, history: history)
        guard isPresent else {
            if commitments.required == 0 {
                return LogVerification(status: .intact, records: 0, detail: "The log is empty, as its checkpoint says.")
            }
            return LogVerification(
                status: .truncated, records: 0, firstBad: 1,
                detail: "The log \(log) is missing; its checkpoint covers \(commitments.required) records.")
        }
        // Lines that no checkpoint covers yet are parsed completely, because nothing else proves them.
        let uncovered = commitments.required + 1...Int.max
        let scan = try LogScan(root: root, path: files.log, commitments: commitments.newest, parsing: uncovered)
        if scan.holds(commitments.required), scan.firstBad == nil {
            return VerificationText(scan: scan, checkpoint: checkpoint, history: history).sound
        }
        // The earlier checkpoints, which cost more time, enclose what was changed.
        var close = try LogScan(root: root, path: files.log, commitments: commitments.all, parsing: uncovered)
        let end = close.failed?.size ?? commitments.required
        if close.proven < end {
            let enclosed = close.proven + 1...end
            close = try LogScan(root: root, path: files.log, commitments: commitments.all, parsing: enclosed)
        }
        return VerificationText(scan: close, checkpoint: checkpoint, history: history).broken(commitments)
    }
}
