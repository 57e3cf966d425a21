package import MDAuditRecord
package import MDPlatform
import MDPropertyList

/// Lines that were written into the log.
package struct WrittenLines: Sendable {
    /// The name of the log.
    let log: String
    /// The lines, each with its line feed, at the beginning of what was to be written.
    let bytes: [UInt8]
    /// The number of their bytes.
    let count: Int
}

/// The system log: entries that a user cannot remove, with the sender as the kernel stamped it.
///
/// The service is journald, else the one that listens on `/dev/log`. Nothing waits: what a service does not take at once,
/// it does not get. The socket that was used stays open as long as the value lives.
package struct SystemLog: ~Copyable, Sendable {
    /// The kinds of services, the preferred one first.
    private enum Service: CaseIterable {
        /// journald.
        case journal
        /// Any other log service.
        case syslog

        /// The socket, under the root.
        var path: String {
            switch self {
            case .journal: "/run/systemd/journal/socket"
            case .syslog: "/dev/log"
            }
        }
    }

    /// The root whose policy applies.
    private let root: Root
    /// The socket of the service that took the last entry; `nil` before, and after one that none took.
    private var socket: LogSocket?
    /// That service.
    private var service = Service.journal
    /// When to look for one again, on the monotonic clock; `nil` if one listens, or none was looked for.
    private var nextLook: Int64?

    /// The time after which one is looked for again, in microseconds.
    private static let pause: Int64 = 1_000_000

    /// Makes a value for the services of a root; nothing is opened.
    package init(root: Root) {
        self.root = root
    }

    /// Whether a service listens; nothing is sent to it.
    package static func isPresent(under root: Root) -> Bool {
        Service.allCases.contains { service in
            do throws(SystemError) {
                _ = try LogSocket.connect(service.path, under: root)
                return true
            } catch {
                return false
            }
        }
    }

    /// Duplicates lines of the log, up to the first that no service takes.
    ///
    /// One that is full has no room for the next line either; after none listened, nothing is done for a second. What was
    /// taken of a spool is passed over: its sender sent the duplicate when it was new.
    package mutating func duplicate(_ lines: WrittenLines) {
        if let nextLook, Clock.monotonicMicroseconds() < nextLook { return }
        var begin = 0
        while let end = lines.bytes.place(of: 0x0a, in: begin..<lines.count) {
            if !send(lines.bytes[begin..<end], of: lines.log, passesOverSpool: true) { return }
            begin = end + 1
        }
    }

    /// Sends the line of a record to the first service that takes it.
    ///
    /// - Returns: whether one did.
    package mutating func send(_ line: [UInt8]) -> Bool { send(line[...], of: nil) }

    /// Sends a line to the service that took the one before, else to the first that takes it.
    private mutating func send(_ line: ArraySlice<UInt8>, of log: String?, passesOverSpool: Bool = false) -> Bool {
        var entry: SystemLogEntry?
        /// Sends the line to the open service; builds no entry if no service listens.
        func deliver(_ log: borrowing SystemLog, named name: String?) -> Bool {
            guard log.isOpen else { return false }
            let made = entry ?? SystemLogEntry(line, of: name)
            entry = made
            return passesOverSpool && made.record.src == .spool || log.deliver(made)
        }
        if deliver(self, named: log) { return true }
        nextLook = Clock.monotonicMicroseconds() + SystemLog.pause
        for service in Service.allCases {
            self.service = service
            socket = try? LogSocket.connect(service.path, under: root)
            if isOpen { nextLook = nil }
            if deliver(self, named: log) { return true }
        }
        socket = nil
        return false
    }

    /// Whether a socket is open.
    private var isOpen: Bool {
        switch socket {
        case .some: true
        case .none: false
        }
    }

    /// Sends an entry over the open socket.
    private func deliver(_ entry: SystemLogEntry) -> Bool {
        switch socket {
        case .some(let socket): socket.send(service == .journal ? entry.journal : entry.syslog(root: root))
        case .none: false
        }
    }
}

extension AuditRecord {
    /// The record as one line of printable text for the system log.
    package var sentence: String {
        var parts = [kind.rawValue]
        if let domain { parts.append(domain.string) }
        if let key { parts.append(key.string) }
        if let via { parts.append("by \(via)") }
        if let outcome { parts.append(outcome.rawValue) }
        if let id = policy?.id ?? policy?.file { parts.append("policy \(id)") }
        if let count { parts.append("\(count) times") }
        if let note { parts.append(note) }
        return parts.map(Printable.escape).joined(separator: ", ")
    }
}
