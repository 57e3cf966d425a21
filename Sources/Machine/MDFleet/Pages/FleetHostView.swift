package import MDPlatform
import MDReport

/// A host of a fleet at one moment: what the collector knows of it, and what it says of itself.
package struct FleetHostView: Sendable {
    /// Its name.
    package let host: FleetHost
    /// What the collector knows.
    package let head: HostHead
    /// What the host says; `nil` if nothing of it can be read here.
    package let status: HostStatus?
    /// The room that it was enrolled in; `nil` for none.
    package let enrolled: EnrolledRoom?
    /// What an administrator should look at, the gravest first.
    package private(set) var findings: [FleetFinding] = []

    /// How many seconds after its publishing a snapshot should be in force everywhere.
    package static let installedAfter = 900
    /// How many seconds a record may wait for its acknowledgement.
    package static let acknowledgedAfter = 3_600

    /// The room that it was enrolled in, else the one that it says itself; empty for none.
    package var room: String { enrolled?.name ?? status?.room ?? "" }
    /// The room for people that are to read no name of a person: what a host says counts only if it is a number.
    package var publicRoom: String { enrolled != nil || EnrolledRoom.isNumber(room) ? room : "" }
    /// The snapshot that the host says is in force.
    package var snapshot: SnapshotNumber? { status.flatMap { SnapshotNumber($0) } }
    /// The host in one word.
    package var state: HostCondition { findings.first?.state ?? .good }

    /// Judges a host.
    ///
    /// - Parameters:
    ///   - host: its name.
    ///   - head: what the collector knows.
    ///   - status: what the host says.
    ///   - room: the room that it was enrolled in.
    ///   - problem: why a file of it cannot be read, if one cannot.
    ///   - published: the snapshot of the centre.
    ///   - now: the time.
    package init(
        _ host: FleetHost, head: HostHead, status: HostStatus?, room: EnrolledRoom? = nil, problem: String? = nil,
        published: PublishedSnapshot? = nil, at now: Timestamp
    ) {
        (self.host, self.head, self.status, enrolled) = (host, head, status, room)
        func isOver(_ seconds: Int, since time: Timestamp, at now: Timestamp) -> Bool {
            now.microseconds - time.microseconds > Int64(seconds) * 1_000_000
        }
        if let word = head.dispute { findings.append(.disputed(word)) }
        if let seen = head.seen {
            if isOver(HostHead.silentAfter, since: seen, at: now) { findings.append(.silent(since: seen)) }
            // A clock that was set back would hide a silent host for as long.
            if isOver(HostHead.silentAfter, since: now, at: seen) { findings.append(.seenLater(seen)) }
        } else if problem == nil {
            findings.append(.neverSeen)
        }
        if let problem { findings.append(.unreadable(problem)) }
        guard let status else {
            if head.seen != nil, problem == nil { findings.append(.noStatus) }
            return
        }
        if let refusal = status.refusal { findings.append(.refused(refusal)) }
        if let room, let said = status.room, !said.utf8.elementsEqual(room.name.utf8) {
            findings.append(.otherRoom(said))
        }
        if let verdict = status.verdict {
            if verdict != ComplianceVerdict.compliant.rawValue { findings.append(.verdict(verdict)) }
        } else {
            findings.append(.noVerdict)
        }
        if let published {
            if let snapshot, snapshot > published.number {
                findings.append(.notPublished(snapshot))
            } else if snapshot != published.number,
                isOver(FleetHostView.installedAfter, since: published.issued, at: now)
            {
                findings.append(.behind(snapshot, since: published.issued))
            }
        }
        if status.isStale { findings.append(.stale) }
        if let reason = head.waits { findings.append(.acknowledgementWaits(reason)) }
        // Both times are of the host's clock.
        if let since = status.waitingSince, status.waiting > 0,
            isOver(FleetHostView.acknowledgedAfter, since: since, at: status.time)
        {
            findings.append(.recordsWait(status.waiting, since: since))
        }
    }

    /// Adds an alarm of the collector that is no dispute.
    mutating func add(_ alarm: FleetAlarm) {
        let finding = FleetFinding.alarm(alarm.word, alarm.time)
        guard head.dispute != alarm.word, !findings.contains(finding) else { return }
        findings.insert(finding, at: head.dispute == nil ? 0 : 1)
    }
}

extension SnapshotNumber {
    /// The number of a status; `nil` before the first snapshot.
    init?(_ status: HostStatus) {
        guard let epoch = status.epoch, let serial = status.serial else { return nil }
        self.init(epoch: epoch, serial: serial)
    }
}

/// The snapshot that a centre publishes.
package struct PublishedSnapshot: Hashable, Sendable {
    package let number: SnapshotNumber
    package let issued: Timestamp

    package init(_ number: SnapshotNumber, issued: Timestamp) { (self.number, self.issued) = (number, issued) }
}
