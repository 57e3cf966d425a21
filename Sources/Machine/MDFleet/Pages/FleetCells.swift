import MDAuditLog
package import MDPlatform
import MDReport
import MDTools

/// What is known of a host, and what it says, in the words of all formats for people.
extension FleetHostView {
    /// When anything of it arrived last.
    package func seenWords(at now: Timestamp) -> String {
        guard let seen = head.seen else { return "never" }
        return seen.microseconds > now.microseconds ? FleetTime.words(seen) : "\(FleetTime.age(seen, at: now)) ago"
    }

    /// How many of its records the centre has, and when it took the last ones.
    package func recordWords(at now: Timestamp) -> String {
        guard let time = head.acknowledged else { return head.size == 0 ? "none" : String(head.size) }
        let signed = head.isSigned ? "" : ", not signed by its key"
        return "\(head.size)\(signed), taken \(FleetTime.age(time, at: now)) ago"
    }

    /// The snapshot that it says, and how old that is.
    package func snapshotWords(_ published: PublishedSnapshot?, at now: Timestamp) -> String {
        guard status != nil else { return "not known" }
        guard let snapshot else { return "none" }
        var words = "\(snapshot)"
        if let published {
            words +=
                snapshot == published.number
                ? ", of \(FleetTime.age(published.issued, at: now)) ago"
                : snapshot < published.number
                    ? ", older than the published one of \(FleetTime.age(published.issued, at: now)) ago" : ""
        }
        return words + (status?.isStale == true ? ", expired" : "")
    }

    /// The verdict that it says its report has.
    package var verdictWords: String { status.map { $0.verdict ?? "nothing" } ?? "not known" }

    /// What else it says: records that wait, what it refused, exams, and its version.
    package var furtherWords: String {
        guard let status else { return "not known" }
        var words: [String] = []
        if status.waiting > 0 {
            words.append(
                "not acknowledged: \(status.waiting)"
                    + (status.waitingSince.map { ", since \(FleetTime.words($0))" } ?? ""))
        }
        if let refusal = status.refusal { words.append("refused \(refusal.words)") }
        if enrolled == nil, let room = status.room { words.append("room: \(room)") }
        if !status.exams.isEmpty { words.append("exams: \(status.exams.joined(separator: ", "))") }
        return (words + ["version \(status.version)"]).joined(separator: "; ")
    }

    /// All findings as one text, with a full stop; empty for none.
    package func findingWords(at now: Timestamp) -> String {
        let words = findings.map { $0.words(at: now) }.joined(separator: "; ")
        return words.isEmpty ? "" : words + "."
    }
}

extension HostStatus.Refusal {
    /// File, line and reason.
    package var words: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(reason)" }
}

extension FleetView {
    /// When and by what clock it was made.
    package var madeWords: String { "\(FleetTime.words(time)), \(clock.words)" }

    /// What is published.
    package var publishedWords: String {
        published.map { "snapshot \($0.number) of \(FleetTime.words($0.issued))" } ?? "nothing"
    }

    /// The checkpoint of the centre's own log.
    package var checkpointWords: String {
        guard let checkpoint else { return "The centre's machine has no checkpoint of a log of its own." }
        return "Checkpoint of the centre's own log: log \(checkpoint.logID), "
            + "\(Plural.count(checkpoint.size, "record")), root \(checkpoint.root.hex). It was read, and not verified."
    }

    /// The sentence about alarms that are not shown; `nil` if all are.
    package var closedWords: String? {
        guard closedAlarms > 0 else { return nil }
        return "\(Plural.count(closedAlarms, "alarm")) \(closedAlarms == 1 ? "is" : "are") older than "
            + "\(FleetView.alarmDays) days, settled, or said again."
    }
}
