import MDAuditLog
import MDFleet
import MDPlatform
import MDReport
import MDTestSupport
import Testing

/// A centre's folder whose files a test writes, at a moment of its own.
final class HandMadeCentre {
    private let folder: TemporaryFolder
    let root: Root
    /// The moment of the view.
    static let now = Timestamp(microseconds: 1_795_000_000_000_000)

    init() throws {
        folder = try TemporaryFolder(named: "centre")
        root = try Root(directory: folder.path)
        try root.createDirectory(CentreFolder.hosts, mode: 0o755)
    }

    /// A moment so many seconds before the view.
    static func before(_ seconds: Int) -> Timestamp {
        Timestamp(microseconds: now.microseconds - Int64(seconds) * 1_000_000)
    }

    /// Adds a host that is in order, but for what the closures change; `nil` for a file that is not there.
    func add(
        _ name: String, seen: Int? = 60, head change: (inout HostHead) -> Void = { _ in },
        status say: ((inout HostStatus) -> Void)? = { _ in }
    ) throws {
        let host = try #require(FleetHost(name))
        try root.createDirectory(CentreFolder.folder(host), mode: 0o755)
        guard let seen else { return }
        let time = HandMadeCentre.before(seen)
        var head = HostHead()
        (head.seen, head.acknowledged, head.size) = (time, time, 12)
        change(&head)
        try root.replace(CentreFolder.head(host), with: head.bytes, mode: 0o644, durable: false)
        guard let say else { return }
        var status = HostStatus(host: host, time: time, machine: String(repeating: "0a", count: 32), version: "0.1.0")
        (status.room, status.verdict, status.size) = ("room1", "compliant", 12)
        say(&status)
        try root.replace(CentreFolder.status(host), with: status.bytes, mode: 0o644, durable: false)
    }

    /// Adds a host whose status a closure changes.
    func say(_ name: String, seen: Int? = 60, _ say: @escaping (inout HostStatus) -> Void) throws {
        try add(name, seen: seen, status: say)
    }

    /// Writes the alarms.
    func alarms(_ alarms: [FleetAlarm]) throws {
        try root.replace(CentreFolder.alarms, with: alarms.flatMap(\.line), mode: 0o644, durable: false)
    }

    /// An alarm so many seconds ago.
    static func alarm(_ host: String, _ word: DisputeWord, _ seconds: Int, isDispute: Bool = false) throws -> FleetAlarm
    {
        FleetAlarm(
            time: before(seconds), host: try #require(FleetHost(host)), word, "\(host) is a test.", isDispute: isDispute
        )
    }

    func view() throws -> FleetView { try FleetView.read(root, clock: .given(HandMadeCentre.now)) }

    /// The codes of a host's findings.
    func findings(_ name: String) throws -> [String] {
        try #require(try view().hosts.first { $0.host.name == name }).findings.map(\.code)
    }
}
