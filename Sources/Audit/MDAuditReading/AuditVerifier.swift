package import MDAuditLog
package import MDPlatform

/// A checkpoint that somebody else than the log holds.
package struct HeldCheckpoint: Hashable, Sendable {
    /// The checkpoint.
    package let checkpoint: Checkpoint
    /// The holder, as a noun: the path of a file, or the policy record.
    package let holder: String
    /// Whether a result also names it if the log matches it.
    package let isNamed: Bool

    /// Makes a value.
    package init(_ checkpoint: Checkpoint, holder: String, isNamed: Bool = true) {
        (self.checkpoint, self.holder, self.isNamed) = (checkpoint, holder, isNamed)
    }
}

/// Checks logs against their checkpoints, and against those that somebody else holds.
///
/// Without one of those it cannot detect that a log was replaced by an older state together with its checkpoint and its
/// history, or that all were removed.
package enum AuditVerifier {
    /// How often the files are read again because they changed meanwhile.
    private static let attempts = 3

    /// Checks the log of a root, or the logs at these paths under the root.
    ///
    /// `current-ID.jsonl` is checked against `checkpoint-ID` beside it, any other name against `checkpoint`. The result
    /// of several logs is that of the gravest, with the details of all, a line for each.
    ///
    /// Complexity: O(n), in memory that grows only with the number of segments.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - files: the logs; none for the log of the root.
    ///   - held: checkpoints of somebody else that each log must match.
    ///   - witness: what shows that the log of the root once existed, as a clause; `nil` if nothing does.
    ///   - limits: how long records are retained; `nil` for what the administrator chose.
    ///   - reader: what gets each line of the log of the root while it is checked; `nil` if nothing does.
    /// - Returns: the result.
    package static func verify(
        root: Root, files: [String] = [], held: [HeldCheckpoint] = [], expectedBy witness: String? = nil,
        limits: LogLimits? = nil, reader: (any LogLineReader)? = nil
    ) -> LogVerification {
        if files.isEmpty {
            let result = verify(root: root, .current, held, limits, reader)
            guard result.isAbsent, let witness else { return result }
            return LogVerification(
                status: .truncated, records: 0, firstBad: 1,
                detail:
                    "There is no log at \(root.display(AuditLog.path)), although \(witness): it was removed with its "
                    + "checkpoint.")
        }
        let results = files.map { (path: $0, result: verify(root: root, LogFiles(log: $0), held, limits)) }
        guard results.count > 1 else { return results[0].result }
        let worst = results.map(\.result).max { rank($0.status) < rank($1.status) }
        let details = results.map { "\(Printable.escape(root.display($0.path))): \($0.result.detail)" }
        return LogVerification(
            status: worst?.status ?? .unchecked, records: results.map(\.result.records).reduce(0, +),
            claimed: results.map(\.result.claimed).reduce(0, +),
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
    private static func verify(
        root: Root, _ files: LogFiles, _ held: [HeldCheckpoint], _ limits: LogLimits?,
        _ reader: (any LogLineReader)? = nil
    ) -> LogVerification {
        do throws(SystemError) {
            for _ in 1..<attempts {
                let result = try check(root: root, files, held, limits, reader)
                // A writer may end a segment, and delete another one, while the files are read.
                if result.names == (try names(root, files)) { return result.verification }
            }
            return try check(root: root, files, held, limits, reader).verification
        } catch {
            return LogVerification(
                status: .unchecked, records: 0, detail: "The log could not be checked: \(error).",
                isForbidden: error.isForbidden)
        }
    }

    /// The names of the segments that are there.
    private static func names(_ root: Root, _ files: LogFiles) throws(SystemError) -> [Int] {
        try LogParts(root: root, files: files).segments.map(\.first)
    }

    /// Checks one log, if its files can be read, and returns the segments that were there at the beginning.
    private static func check(
        root: Root, _ files: LogFiles, _ held: [HeldCheckpoint], _ limits: LogLimits?,
        _ reader: (any LogLineReader)?
    ) throws(SystemError) -> (verification: LogVerification, names: [Int]) {
        // The checkpoint is read before the log, which only grows, so a concurrent writer does no harm.
        let text = try LogFiles.ifPresent { () throws(SystemError) in
            try root.read(files.checkpoint, limit: Checkpoint.longestText).bytes
        }
        let history = try CheckpointHistory(root: root, path: files.history)
        let names = try names(root, files)
        let isPresent = try LogParts.exist(root: root, files: files)
        let (log, shown) = (root.display(files.log), root.display(files.checkpoint))
        guard let text else {
            return (missingCheckpoint(isPresent || history.exists, log, shown, held), names)
        }
        guard let checkpoint = Checkpoint(text: text) else {
            let result = LogVerification(
                status: .altered, records: 0,
                detail: "The checkpoint \(shown) is not as it was written; without it nothing is proven.")
            return (result, names)
        }
        if let origin = history.origin, origin != checkpoint.origin {
            let result = LogVerification(
                status: .altered, records: 0,
                detail: "The checkpoint \(shown) and the history \(root.display(files.history)) name different logs; "
                    + "one of them was changed or replaced.")
            return (result, names)
        }
        let commitments = Commitments(checkpoint: checkpoint, history: history)
        guard isPresent else {
            let result =
                commitments.required == 0
                ? LogVerification(status: .intact, records: 0, detail: "The log is empty, as its checkpoint says.")
                : LogVerification(
                    status: .truncated, records: 0, firstBad: 1,
                    detail: "The log \(log) is missing; its checkpoint covers \(commitments.required) records.")
            return (HeldComparison(held, checkpoint, LogFindings?.none).applied(to: result), names)
        }
        let own = held.filter { $0.checkpoint.origin == checkpoint.origin }.map(\.checkpoint.size)
        let found = try SegmentRoots(root: root, path: files.roots)
        let usual = limits ?? LogLimits()
        let youngest = min(usual.youngest, (limits ?? LogLimits(of: root)).youngest)
        let noted = found.flatMap { $0.origin == checkpoint.origin ? $0 : nil }
        // Lines that no checkpoint covers yet are parsed completely, because nothing else proves them.
        let reading = LogReading(
            root: root, files: files, noted: noted ?? SegmentRoots(origin: checkpoint.origin, size: usual.segment),
            sizes: Set(commitments.newest.map(\.size) + own).sorted(), uncovered: commitments.required + 1,
            reader: reader)
        let findings = try reading.findings()
        if let failure = findings.failure { throw failure }
        let words = VerificationText(findings: findings, checkpoint: checkpoint, history: history)
        let early = reading.noted.segments.first { segment in
            // The writer deletes nothing younger, so such a mark is somebody else's. What was deleted before the
            // administrator chose a greater age says which one was allowed then.
            guard let deleted = segment.deleted, let end = segment.end else { return false }
            let least = segment.leastDays.map { LogLimits.age(ofDays: $0) } ?? youngest
            return deleted.microseconds &- end.microseconds < least
        }
        let matches = commitments.newest.allSatisfy { findings.roots[$0.size] == $0.root }
        if matches, findings.firstBad == nil, findings.hole == nil, early == nil {
            let isWhole = found?.damagedLine == nil && (found == nil) == (noted == nil)
            let sound = words.sound(hasWholeRoots: isWhole, youngest: youngest, segments: reading.noted.segments)
            return (HeldComparison(held, checkpoint, findings).applied(to: sound), names)
        }
        if let early, matches, findings.firstBad == nil, findings.hole == nil {
            return (words.deletedEarly(early), names)
        }
        // The earlier checkpoints, which cost more time, enclose what was changed.
        let search = try ChangeSearch(reading, commitments: commitments.all)
        return (words.broken(commitments, search), names)
    }

    /// The result for a log without a checkpoint.
    private static func missingCheckpoint(
        _ isPresent: Bool, _ log: String, _ shown: String, _ held: [HeldCheckpoint]
    ) -> LogVerification {
        if isPresent {
            return LogVerification(
                status: .unchecked, records: 0,
                detail:
                    "The checkpoint \(shown) is missing. It is made before the first record, so somebody removed it; "
                    + "without it nothing is proven.")
        }
        if let held = held.first {
            return LogVerification(
                status: .truncated, records: 0, firstBad: 1,
                detail:
                    "There is no log at \(log), although \(held.holder) has a checkpoint of \(held.checkpoint.size) "
                    + "records: it was removed with its checkpoint.")
        }
        return LogVerification(
            status: .unchecked, records: 0,
            detail:
                "There is no log at \(log): either nothing was recorded yet, or it was removed with its checkpoint.",
            isAbsent: true)
    }
}
