import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPlatform

/// Words the result of reading a log.
struct VerificationText {
    /// What was found.
    let findings: LogFindings
    /// The newest checkpoint.
    let checkpoint: Checkpoint
    /// The earlier checkpoints.
    let history: CheckpointHistory

    /// The result for a log that matches its checkpoints.
    ///
    /// - Parameters:
    ///   - hasWholeRoots: whether the file of the segments' roots is as it was written.
    ///   - youngest: the age from which records may be deleted now, in microseconds.
    ///   - segments: the segments that are noted.
    /// - Returns: the result.
    func sound(hasWholeRoots: Bool, youngest: Int64, segments: [LogSegment]) -> LogVerification {
        let covered = max(checkpoint.size, history.entries.last?.size ?? 0)
        var sentences = [
            covered == 0
                ? "The checkpoint covers no records."
                : "Records 1 to \(covered) are exactly those that the checkpoint of log \(checkpoint.logID) covers."
        ]
        for range in findings.deleted {
            sentences.append(
                "Records \(range.lowerBound) to \(range.upperBound) were deleted by age or for space; their roots "
                    + "remain, and only a copy of them could be compared with these.")
        }
        let least = segments.compactMap(\.leastDays).min()
        if let least, LogLimits.age(ofDays: least) < youngest {
            sentences.append(
                "Some of them were deleted from an age of \(least) \(least == 1 ? "day" : "days") on, as the "
                    + "administrator's file allowed at that time.")
        }
        if !hasWholeRoots {
            sentences.append("The file of the segments' roots is damaged; the records themselves prove what it says.")
        } else if let segment = findings.deviating {
            sentences.append(
                "The root that is noted of the records \(segment.first) to \(segment.last) is not theirs: it was changed, "
                    + "the records were not.")
        }
        if findings.lines > covered {
            let rest = findings.lines - covered
            sentences.append(
                "\(VerificationText.count(rest, "later record")) \(rest == 1 ? "is" : "are") not covered by a checkpoint yet."
            )
        }
        if findings.tornBytes > 0 {
            let isOne = findings.tornBytes == 1
            sentences.append(
                "\(VerificationText.count(findings.tornBytes, "byte")) at the end \(isOne ? "is" : "are") no whole record, "
                    + "as a crash or a writer at work leaves \(isOne ? "it" : "them").")
        }
        if !history.exists {
            sentences.append("The history of checkpoints is missing, so only the checkpoint itself vouches for them.")
        } else if history.damagedLines > 0 {
            let isOne = history.damagedLines == 1
            sentences.append(
                "Of the history of checkpoints \(VerificationText.count(history.damagedLines, "line")) "
                    + "\(isOne ? "is" : "are") damaged; none is needed.")
        }
        guard !findings.gaps.isEmpty else {
            return LogVerification(
                status: .intact, records: findings.lines, claimed: findings.claimed,
                detail: sentences.joined(separator: " "))
        }
        let kinds = findings.gaps.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) of kind \($0.key)" }
        sentences.append(
            "The log itself declares that something is missing or was mended, in \(kinds.joined(separator: ", "))"
                + (findings.dropped > 0 ? "; \(dropped)." : "."))
        return LogVerification(
            status: .gaps, records: findings.lines, claimed: findings.claimed, detail: sentences.joined(separator: " "))
    }

    /// How many records were not stored, and how many of these only their senders count, as a clause.
    private var dropped: String {
        let claim = findings.claimedDropped > 0 ? ", \(findings.claimedDropped) of them by the word of senders" : ""
        let isOne = findings.dropped == 1
        return "\(VerificationText.count(findings.dropped, "record")) \(isOne ? "was" : "were") not stored\(claim)"
    }

    /// So many things, in words.
    private static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// The result for a log with a segment that is marked as deleted before it could be.
    func deletedEarly(_ segment: LogSegment) -> LogVerification {
        LogVerification(
            status: .altered, records: findings.lines, firstBad: segment.first,
            detail:
                "Records \(segment.first) to \(segment.last) are marked as deleted at an age at which none is deleted: "
                + "somebody else removed them. All others are proven to be as they were stored.")
    }

    /// The result for a log that does not match its checkpoints.
    func broken(_ commitments: Commitments, _ search: ChangeSearch) -> LogVerification {
        let lines = findings.lines
        if let hole = findings.hole, search.failed.map({ $0.size >= hole.lowerBound }) ?? true,
            search.firstBad.map({ $0.line > hole.lowerBound }) ?? true
        {
            return LogVerification(
                status: .altered, records: lines, firstBad: hole.lowerBound,
                detail: "Records \(hole.lowerBound) to \(hole.upperBound) are missing, although later ones are there. "
                    + proof(search))
        }
        let bad = search.firstBad ?? findings.firstBad
        guard let failed = search.failed else {
            if let bad {
                return altered(search, bad.line, "Line \(bad.line) is not record \(bad.line): \(bad.reason).")
            }
            let missing = commitments.required - lines
            let detail =
                "\(VerificationText.count(missing, "record")) at the end \(missing == 1 ? "is" : "are") gone: the log holds "
                + "\(VerificationText.count(lines, "whole record")), and its checkpoints cover \(commitments.required). "
                + proof(search)
            return LogVerification(status: .truncated, records: lines, firstBad: lines + 1, detail: detail)
        }
        if let bad, bad.line <= failed.size {
            return altered(search, bad.line, "Line \(bad.line) is not record \(bad.line): \(bad.reason).")
        }
        let range = search.proven + 1...max(failed.size, search.proven + 1)
        if search.proven == failed.size {
            return LogVerification(
                status: .altered, records: lines,
                detail:
                    "Two checkpoints of \(VerificationText.count(failed.size, "record")) contradict each other: one of them was changed. "
                    + proof(search))
        }
        let sentence =
            range.count == 1
            ? "Record \(range.lowerBound) is not as it was stored."
            : "One of the records \(range.lowerBound) to \(range.upperBound) is not as it was stored, or the checkpoint "
                + "of \(VerificationText.count(failed.size, "record")) was changed."
        return altered(search, range.lowerBound, sentence)
    }

    /// The result for a changed record.
    private func altered(_ search: ChangeSearch, _ line: Int, _ sentence: String) -> LogVerification {
        LogVerification(
            status: .altered, records: findings.lines, firstBad: line, detail: "\(sentence) \(proof(search))")
    }

    /// The sentence that says which records are still proven.
    private func proof(_ search: ChangeSearch) -> String {
        search.proven == 0
            ? "Nothing before it is proven."
            : "Records 1 to \(search.proven) are proven to be as they were stored."
    }
}
