package import MDAuditLog
package import MDPlatform
package import MDReport

/// All hosts of a fleet at one moment, as the centre's folder has them.
///
/// Of each host only `head` and `status` are read, which are small: 10,000 hosts take some seconds and 64 MB at most.
package struct FleetView: Sendable {
    /// When and by what clock it was made.
    package let time: Timestamp
    package let clock: ReportClock
    /// The hosts, in natural order.
    package private(set) var hosts: [FleetHostView]
    /// The alarms that are open, the newest first: of a dispute that goes on, or of the last days.
    package private(set) var alarms: [FleetAlarm] = []
    /// How many alarms are older, were accepted, or say the same as a newer one.
    package private(set) var closedAlarms = 0
    /// The snapshot that is published; `nil` if there is none.
    package let published: PublishedSnapshot?
    /// What could not be read, as sentences without full stops.
    package private(set) var problems: [String] = []
    /// The newest checkpoint of the centre's own log; `nil` if it has none.
    package private(set) var checkpoint: Checkpoint?

    /// For how many days an alarm is shown that is no dispute.
    package static let alarmDays = 7
    /// The bytes at the end of the file of alarms that are read.
    package static let alarmLimit = 8 << 20

    /// Reads the folder of a centre.
    ///
    /// - Parameters:
    ///   - root: the centre's machine.
    ///   - clock: the clock by which ages count.
    /// - Returns: the view; what cannot be read of a host makes that host's state unknown.
    /// - Throws: if there is no centre, or its list of hosts cannot be read.
    package static func read(_ root: Root, clock: ReportClock) throws(FleetFault) -> FleetView {
        let names: [String]
        do throws(SystemError) {
            names = try root.names(in: CentreFolder.hosts, directoriesOnly: true)
        } catch {
            let shown = Printable.escape(root.display(CentreFolder.hosts))
            throw FleetFault(error.isMissing ? "there is no centre of a fleet here: \(shown) is missing" : "\(error)")
        }
        return FleetView(root, names: names, clock: clock)
    }

    private init(_ root: Root, names: [String], clock: ReportClock) {
        let now = clock.now
        (self.clock, time) = (clock, now)
        var problems: [String] = []
        var known: [FleetHost] = []
        for name in names where !name.hasPrefix(".") {
            if let host = FleetHost(name) {
                known.append(host)
            } else {
                problems.append("\(root.display(CentreFolder.hosts))/\(name) is no name of a host")
            }
        }
        do throws(FleetFault) {
            published = try PublishedSnapshot.read(root)
        } catch {
            published = nil
            problems.append("\(root.display(CentreFolder.snapshot)): \(error)")
        }
        let published = published
        hosts = Workers.map(known.sorted()) { FleetView.host($0, root, published, at: now) }
        do throws(SystemError) {
            let text = try CentreFolder.own(root).read(
                LogFiles.current.checkpoint, limit: Checkpoint.longestText
            ).bytes
            checkpoint = Checkpoint(text: text)
        } catch {
            if !error.isMissing { problems.append("\(error)") }
        }
        self.problems = problems
        readAlarms(root)
    }

    /// Reads the small files of a host.
    private static func host(
        _ host: FleetHost, _ root: Root, _ published: PublishedSnapshot?, at now: Timestamp
    ) -> FleetHostView {
        var problem: String?
        /// The content of a file; `nil` if it is missing or cannot be taken.
        func read<Content>(
            _ path: String, limit: Int, _ parse: ([UInt8]) throws(FleetFault) -> Content
        ) -> Content? {
            do throws(SystemError) {
                let bytes = try root.read(path, limit: limit).bytes
                do throws(FleetFault) {
                    return try parse(bytes)
                } catch {
                    problem = "\(root.display(path)): \(error)"
                }
            } catch {
                if !error.isMissing { problem = "\(error)" }
            }
            return nil
        }
        let head = read(CentreFolder.head(host), limit: HostHead.limit) { (bytes) throws(FleetFault) in
            try HostHead(bytes)
        }
        let status = read(CentreFolder.status(host), limit: HostStatus.limit) { (bytes) throws(FleetFault) in
            let status = try HostStatus(bytes)
            guard status.host == host else { throw FleetFault("this is the status of \(status.host)") }
            return status
        }
        let room = read(CentreFolder.room(host), limit: EnrolledRoom.limit) { (bytes) throws(FleetFault) in
            try EnrolledRoom(bytes)
        }
        return FleetHostView(
            host, head: head ?? HostHead(), status: status, room: room, problem: problem, published: published, at: now)
    }

    /// Reads the alarms and tells their hosts.
    private mutating func readAlarms(_ root: Root) {
        let bytes: [UInt8]
        do throws(SystemError) {
            let file = try ReadFile(root: root, path: CentreFolder.alarms)
            let size = try file.status().size
            let start = max(size - FleetView.alarmLimit, 0)
            let end = try file.read(offset: start, count: size - start)
            // A file that was filled hides none of the newest alarms.
            bytes = start == 0 ? end : Array(end.drop { $0 != 0x0a })
        } catch {
            if !error.isMissing { problems.append("\(error)") }
            return
        }
        let places = Dictionary(hosts.enumerated().map { ($1.host, $0) }) { first, _ in first }
        let oldest = time.microseconds - Int64(FleetView.alarmDays) * 86_400_000_000
        var disputes: Set<FleetHost> = []
        var said: Set<FleetAlarm> = []
        let lines = bytes.split(separator: 0x0a)
        for index in lines.indices.reversed() {
            let alarm: FleetAlarm
            do throws(FleetFault) {
                alarm = try FleetAlarm(line: Array(lines[index]))
            } catch {
                problems.append("\(root.display(CentreFolder.alarms)):\(index + 1): \(error.message)")
                continue
            }
            let place = places[alarm.host]
            // Two machines that speak as one host speak in turn, and each time that is an alarm.
            let isFirst = said.insert(alarm.timeless).inserted
            var isOpen = isFirst && alarm.time.microseconds >= oldest
            if let place, alarm.isSettled(since: hosts[place].head.accepted) { isOpen = false }
            if alarm.isDispute, let place {
                isOpen = hosts[place].head.dispute == alarm.word && disputes.insert(alarm.host).inserted
            }
            guard isOpen else {
                closedAlarms += 1
                continue
            }
            alarms.append(alarm)
            if let place { hosts[place].add(alarm) }
        }
    }
}

extension FleetAlarm {
    /// The alarm at no time: what it says.
    fileprivate var timeless: FleetAlarm {
        FleetAlarm(time: Timestamp(microseconds: 0), host: host, word, sentence, isDispute: isDispute)
    }
}

extension PublishedSnapshot {
    /// Reads the number of the published snapshot; `nil` if nothing is published.
    static func read(_ root: Root) throws(FleetFault) -> PublishedSnapshot? {
        let file: [UInt8]
        do throws(SystemError) {
            file = try root.read(CentreFolder.snapshot, limit: 2 * Snapshot.limit).bytes
        } catch {
            if error.isMissing { return nil }
            throw FleetFault("\(error)")
        }
        let snapshot = try Snapshot(try SignedDocument(file, limit: Snapshot.limit).bytes)
        return PublishedSnapshot(snapshot.number, issued: snapshot.issued)
    }
}
