package import Platform

/// The log service of the system, which keeps what a user cannot take away again: who sent it stands there as the kernel
/// stamped it.
///
/// journald in its own protocol, else whoever listens on `/dev/log`. Nobody is waited for, and nothing stays open.
package struct SystemLog: Sendable {
    /// Where journald listens, and where every other log service does, beneath the root.
    private static let sockets = (journal: "/run/systemd/journal/socket", syslog: "/dev/log")
    /// The name of the sender.
    static let tag = "mdefaults"
    /// How grave a record is: a normal but significant condition (RFC 5424, 6.2.1).
    static let severity = 5
    /// What kind of program sends it: security messages that not everybody reads, `authpriv`.
    static let facility = 10
    /// The most bytes of a line (RFC 3164, section 4.1).
    private static let longestLine = 1_024

    /// The root whose policy was consulted.
    private let root: Root

    /// Names the services of a root; nothing is opened.
    package init(root: Root) {
        self.root = root
    }

    /// Hands a record to the first service that takes it.
    ///
    /// - Returns: whether one took it.
    package func send(_ record: AuditRecord) -> Bool {
        take {
            JournalMessage(record).bytes
        } orLine: {
            line(of: record)
        }
    }

    /// Whether a service listens; nothing is sent to it.
    package var isPresent: Bool {
        take {
            []
        } orLine: {
            []
        }
    }

    /// Offers a message to each service in turn, in the form that it reads.
    private func take(_ message: () -> [UInt8], orLine line: () -> [UInt8]) -> Bool {
        if (try? root.send(message(), toSocket: SystemLog.sockets.journal)) != nil { return true }
        return (try? root.send(line(), toSocket: SystemLog.sockets.syslog)) != nil
    }

    /// A record as a line of the system's log (RFC 3164), with the zero byte that ends it on a connection.
    private func line(of record: AuditRecord) -> [UInt8] {
        let time = record.time ?? Clock.now()
        let zone = (try? ZoneDatabase(root: root).zone(named: nil)) ?? .utc
        let head =
            "<\(SystemLog.facility * 8 + SystemLog.severity)>\(zone.local(at: time).syslog) \(SystemLog.tag)"
            + "[\(CurrentProcess.pid)]: "
        // The service stamps the process, which may be gone when somebody reads the line; hence the user beside it.
        let user = "uid \(CurrentProcess.uid): "
        let room = SystemLog.longestLine - head.utf8.count - user.utf8.count - 1
        return Array((head + user + AuditRecord.shorten(record.sentence, to: room)).utf8) + [0]
    }
}
