import Platform

/// Puts into sentences what a pass over a log has shown.
struct VerificationText {
    /// What was found.
    let scan: LogScan
    /// The checkpoint.
    let checkpoint: Checkpoint
    /// The history.
    let history: HistoryReading

    /// The result for a log that holds what it has committed to.
    var sound: Verification {
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
        if !history.isThere {
            sentences.append("The history of checkpoints is missing, so only the checkpoint itself vouches for them.")
        } else if history.damagedLines > 0 {
            sentences.append("Of the history of checkpoints \(history.damagedLines) lines are damaged; none is needed.")
        }
        guard !scan.gaps.isEmpty else {
            return Verification(status: .intact, records: scan.lines, detail: sentences.joined(separator: " "))
        }
        let kinds = scan.gaps.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) of kind \($0.key)" }
        sentences.append(
            "The log itself declares that something is missing or was mended, in \(kinds.joined(separator: ", "))"
                + (scan.dropped > 0 ? "; \(scan.dropped) records were not stored." : "."))
        return Verification(status: .gaps, records: scan.lines, detail: sentences.joined(separator: " "))
    }

    /// The result for a log that does not.
    func broken(_ commitments: Commitments) -> Verification {
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
            return Verification(
                status: .truncated, records: scan.lines, firstBad: scan.lines + 1, detail: detail)
        }
        if let bad, bad.line <= failed.size {
            return altered(bad.line, "Line \(bad.line) is not record \(bad.line): \(bad.reason).")
        }
        let range = scan.proven + 1...max(failed.size, scan.proven + 1)
        if scan.proven == failed.size {
            return Verification(
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
    private func altered(_ line: Int, _ sentence: String) -> Verification {
        Verification(status: .altered, records: scan.lines, firstBad: line, detail: "\(sentence) \(proof)")
    }

    /// What is still proven.
    private var proof: String {
        scan.proven == 0
            ? "Nothing before it is proven."
            : "Records 1 to \(scan.proven) are proven to be as they were stored."
    }
}
