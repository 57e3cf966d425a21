package import Platform

/// Checks logs against what they have committed to.
///
/// What it cannot see: a log that was put back together with its checkpoint and its history, or removed with them.
/// Only a checkpoint that somebody else holds betrays that.
package enum AuditVerifier {
    /// Checks the log of a root, or the logs at these paths under the root.
    ///
    /// `current-ID.jsonl` is checked against `checkpoint-ID` beside it, any other name against `checkpoint`. Of several
    /// logs the gravest result counts, and the details follow each other, a line for each.
    ///
    /// Complexity: O(n), in memory that does not grow with the log unless it was changed.
    package static func verify(root: Root, files: [String] = []) -> Verification {
        if files.isEmpty { return verify(root: root, .current) }
        let results = files.map { (path: $0, result: verify(root: root, LogFiles(log: $0))) }
        guard results.count > 1 else { return results[0].result }
        let worst = results.map(\.result).max { rank($0.status) < rank($1.status) }
        let details = results.map { "\(Printable.escape(root.display($0.path))): \($0.result.detail)" }
        return Verification(
            status: worst?.status ?? .unchecked, records: results.map(\.result.records).reduce(0, +),
            firstBad: worst?.firstBad, detail: details.joined(separator: "\n"))
    }

    /// How grave a result is.
    private static func rank(_ status: Verification.Status) -> Int {
        switch status {
        case .intact: 0
        case .gaps: 1
        case .unchecked: 2
        case .truncated: 3
        case .altered: 4
        }
    }

    /// Checks one log.
    private static func verify(root: Root, _ files: LogFiles) -> Verification {
        do throws(SystemError) {
            return try check(root: root, files)
        } catch {
            return Verification(
                status: .unchecked, records: 0, detail: "The log could not be checked: \(error).",
                isForbidden: error.isForbidden)
        }
    }

    /// Checks one log whose files can be read.
    private static func check(root: Root, _ files: LogFiles) throws(SystemError) -> Verification {
        // The checkpoint is read before the log, which only grows: a writer at work disturbs nothing.
        let text = try LogInspection.present { () throws(SystemError) in
            try root.read(files.checkpoint, limit: LogInspection.checkpointLimit).bytes
        }
        let history = try HistoryReading(root: root, path: files.history)
        let isThere =
            try LogInspection.present { () throws(SystemError) in
                try root.status(files.log, followingLinks: true)
            } != nil
        let (log, shown) = (root.display(files.log), root.display(files.checkpoint))
        guard let text else {
            let detail =
                isThere || history.isThere
                ? "The checkpoint \(shown) is missing. It is made before the first record, so somebody removed it; "
                    + "without it nothing is proven."
                : "There is no log at \(log): either nothing was recorded yet, or it was removed with its checkpoint."
            return Verification(status: .unchecked, records: 0, detail: detail)
        }
        guard let checkpoint = Checkpoint(text: text) else {
            return Verification(
                status: .altered, records: 0,
                detail: "The checkpoint \(shown) is not as it was written; without it nothing is proven.")
        }
        if let origin = history.origin, origin != checkpoint.origin {
            return Verification(
                status: .altered, records: 0,
                detail: "The checkpoint \(shown) and the history \(root.display(files.history)) name different logs; "
                    + "one of them was changed or replaced.")
        }
        let commitments = Commitments(checkpoint: checkpoint, history: history)
        guard isThere else {
            if commitments.required == 0 {
                return Verification(status: .intact, records: 0, detail: "The log is empty, as its checkpoint says.")
            }
            return Verification(
                status: .truncated, records: 0, firstBad: 1,
                detail: "The log \(log) is missing; its checkpoint covers \(commitments.required) records.")
        }
        // Lines that nothing covers yet are parsed as a whole, because nothing else speaks for them.
        let uncovered = commitments.required + 1...Int.max
        let scan = try LogScan(root: root, path: files.log, commitments: commitments.newest, parsing: uncovered)
        if scan.holds(commitments.required), scan.firstBad == nil {
            return VerificationText(scan: scan, checkpoint: checkpoint, history: history).sound
        }
        // Only now is every earlier checkpoint worth its time: together they enclose what was changed.
        var close = try LogScan(root: root, path: files.log, commitments: commitments.all, parsing: uncovered)
        let end = close.failed?.size ?? commitments.required
        if close.proven < end {
            let enclosed = close.proven + 1...end
            close = try LogScan(root: root, path: files.log, commitments: commitments.all, parsing: enclosed)
        }
        return VerificationText(scan: close, checkpoint: checkpoint, history: history).broken(commitments)
    }
}
