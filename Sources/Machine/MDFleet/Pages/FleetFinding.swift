package import MDPlatform
import MDReport
import MDTools

/// Something about a host that an administrator should look at.
package enum FleetFinding: Hashable, Sendable {
    // What the collector has compared.
    case disputed(DisputeWord)
    case alarm(DisputeWord, Timestamp)
    // What the centre does not know.
    case neverSeen
    case silent(since: Timestamp)
    case seenLater(Timestamp)
    case noStatus
    case unreadable(String)
    case otherRoom(String)
    // What the host says, or does not say.
    case refused(HostStatus.Refusal)
    case noVerdict
    case verdict(String)
    case notPublished(SnapshotNumber)
    case behind(SnapshotNumber?, since: Timestamp)
    case stale
    case acknowledgementWaits(String)
    case recordsWait(Int, since: Timestamp)

    /// The state that a host has with this finding.
    package var state: HostCondition {
        switch self {
        case .disputed, .alarm: .alarm
        case .neverSeen, .silent, .seenLater, .noStatus: .silent
        case .unreadable, .otherRoom, .refused, .noVerdict, .verdict, .notPublished, .behind, .stale,
            .acknowledgementWaits,
            .recordsWait:
            .mend
        }
    }

    /// The name in JSON.
    package var code: String {
        switch self {
        case .disputed: "disputed"
        case .alarm: "alarm"
        case .unreadable: "unreadable"
        case .otherRoom: "other-room"
        case .neverSeen: "never-seen"
        case .silent: "silent"
        case .seenLater: "seen-later"
        case .noStatus: "no-status"
        case .refused: "refused"
        case .noVerdict: "no-verdict"
        case .verdict: "verdict"
        case .notPublished: "not-published"
        case .behind: "behind"
        case .stale: "stale"
        case .acknowledgementWaits: "acknowledgement-waits"
        case .recordsWait: "records-wait"
        }
    }

    /// The finding as a clause; what the host says of itself begins with *says*.
    package func words(at now: Timestamp) -> String {
        switch self {
        case .disputed(let word): "in dispute: \(word.words); no more of its records are taken until fleet accept"
        case .alarm(let word, let time): "\(word.words) (\(FleetTime.words(time)))"
        case .unreadable(let reason): "its state here is not known: \(reason)"
        case .neverSeen: "never seen"
        case .silent(let since): "silent since \(FleetTime.words(since)), \(FleetTime.age(since, at: now))"
        case .seenLater(let time): "last seen \(FleetTime.words(time)), which this clock has not reached"
        case .noStatus: "no status of it has arrived"
        case .refused(let refusal): "says that it refused \(refusal.words)"
        case .otherRoom(let room): "says that it is in \(room), and was not enrolled so"
        case .noVerdict: "has not said whether it is compliant"
        case .verdict(let verdict): "says \(verdict)"
        case .notPublished(let number): "says snapshot \(number), which is not published here"
        case .behind(let number, let since):
            "says \(number.map { "snapshot \($0)" } ?? "no snapshot"); the published one is of \(FleetTime.words(since))"
        case .stale: "says that its snapshot has expired"
        case .acknowledgementWaits(let reason): "its records wait to be taken: \(reason)"
        case .recordsWait(let count, let since):
            "says that \(Plural.count(count, "record")) \(count == 1 ? "waits" : "wait") since \(FleetTime.words(since))"
        }
    }
}

/// What a host is in one word.
package enum HostCondition: String, CaseIterable, Sendable {
    /// It contradicts what the centre has of it, or did so lately.
    case alarm
    /// Nothing of it arrived lately, or ever.
    case silent
    /// It says itself that something is not as it should be, or does not say that all is, or its files here cannot be
    /// read.
    case mend = "to mend"
    /// It was heard of lately, contradicts nothing, and says that it is compliant.
    case good = "in order"

    /// The state behind a number of hosts.
    package var title: String { self == .alarm ? "with an alarm" : rawValue }
}

extension DisputeWord {
    /// The word as a clause about a host.
    package var words: String {
        switch self {
        case .rewritten: "rewritten: it has other records than those that it sent"
        case .altered: "altered: its checkpoint does not fit its records"
        case .rolledBack: "rolled back: it was set back to an earlier state"
        case .exchanged: "exchanged: it has another log, which its old one does not announce"
        case .copied: "copied: two machines speak as one"
        case .unproven: "unproven: it deleted records of which a part is here, which nothing proves any more"
        case .malformed: "malformed: what it sends cannot be read"
        }
    }
}

/// Times and ages in the words of pages.
package enum FleetTime {
    /// A time: `2026-11-20 08:00:00 UTC`.
    package static func words(_ time: Timestamp) -> String { ReportTime.words(time) }

    /// How long ago a time was, in its largest unit: `14 minutes`.
    package static func age(_ time: Timestamp, at now: Timestamp) -> String {
        let seconds = Int(max(0, now.microseconds - time.microseconds) / 1_000_000)
        return switch seconds {
        case ..<60: Plural.count(seconds, "second")
        case ..<7_200: Plural.count(seconds / 60, "minute")
        case ..<172_800: Plural.count(seconds / 3_600, "hour")
        default: Plural.count(seconds / 86_400, "day")
        }
    }
}
