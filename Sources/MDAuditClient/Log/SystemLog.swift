package import MDPlatform
import MDPropertyList

/// The system log: entries that a user cannot remove, with the sender as the kernel stamped it.
///
/// The service is journald, else the one that listens on `/dev/log`. Sending never waits and leaves no socket open.
package struct SystemLog: Sendable {
    /// The sockets of journald and of every other log service, under the root.
    private static let sockets = (journal: "/run/systemd/journal/socket", syslog: "/dev/log")
    /// The name of the sender.
    static let tag = "mdefaults"
    /// The severity: normal but significant condition (RFC 5424, 6.2.1).
    static let severity = 5
    /// The facility `authpriv`: security messages that only some users may read.
    static let facility = 10
    /// The most bytes of a line (RFC 3164, section 4.1).
    private static let longestLine = 1_024

    /// The root whose policy applies.
    private let root: Root

    /// Makes a value for the services of a root; nothing is opened.
    package init(root: Root) {
        self.root = root
    }

    /// Sends a record to the first service that accepts it.
    ///
    /// - Returns: whether one accepted it.
    package func send(_ record: AuditRecord) -> Bool {
        send {
            JournalMessage(record).bytes
        } orLine: {
            line(of: record)
        }
    }

    /// Whether a service listens; nothing is sent to it.
    package var isPresent: Bool {
        send {
            []
        } orLine: {
            []
        }
    }

    /// Sends a message to the first service that accepts it, in the format of the service.
    private func send(_ message: () -> [UInt8], orLine line: () -> [UInt8]) -> Bool {
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
        // The service stamps the process, which may have ended when the line is read; hence the user beside it.
        let user = "uid \(CurrentProcess.uid): "
        let room = SystemLog.longestLine - head.utf8.count - user.utf8.count - 1
        return Array((head + user + AuditRecord.shorten(record.sentence, to: room)).utf8) + [0]
    }
}

/// A message in journald's native protocol: fields, each followed by a line feed.
///
/// A value with a line feed is written with its length before it, so that no value can begin another field. Uid, process
/// and program are left out, because journald adds them as the kernel has them.
///
/// Source: systemd.io, "Native Journal Protocol".
struct JournalMessage {
    /// The identifier of all messages of this program, to find them with `journalctl MESSAGE_ID=…`.
    static let identifier = "797335c5eded4ac2bb88ff6eaca8f8f2"
    /// The most bytes of a value; a longer one is cut, with its size and digest at the end.
    private static let longestValue = 4_096

    /// The message so far.
    private(set) var bytes: [UInt8] = []

    /// Makes the message of a record.
    init(_ record: AuditRecord) {
        add("MESSAGE", record.sentence)
        add("MESSAGE_ID", JournalMessage.identifier)
        add("PRIORITY", String(SystemLog.severity))
        add("SYSLOG_FACILITY", String(SystemLog.facility))
        add("SYSLOG_IDENTIFIER", SystemLog.tag)
        for (name, value) in record.logFields { add("MDEFAULTS_\(name)", value) }
    }

    /// Adds a field.
    ///
    /// - Parameters:
    ///   - name: capital letters, digits and `_`.
    ///   - value: any bytes.
    mutating func add(_ name: String, _ value: String) {
        let value = Array(AuditRecord.shorten(value, to: JournalMessage.longestValue).utf8)
        bytes += name.utf8
        if value.contains(0x0a) {
            bytes.append(0x0a)
            let length = UInt64(value.count)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value
        bytes.append(0x0a)
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

    /// The fields for journald, by their names without the prefix, in the order of the record.
    ///
    /// Host, boot, user, process and program are left out, because journald adds them itself.
    var logFields: [(name: String, value: String)] {
        let fields: [(String, String?)] = [
            ("TIME", time?.rfc3339), ("KIND", kind.rawValue), ("SRC", src?.rawValue), ("VIA", via?.rawValue),
            ("DOMAIN", domain?.string), ("KEY", key?.string), ("FORCED", AuditRecord.text(of: forced)),
            ("TRIED", AuditRecord.text(of: tried)), ("POLICY", policy?.id), ("POLICY_FILE", policy?.file),
            ("POLICY_LINE", policy?.line.map(String.init)), ("POLICY_SHA256", policy?.sha256?.hex),
            ("OUTCOME", outcome?.rawValue), ("COUNT", count.map(String.init)), ("FIRST", first?.rfc3339),
            ("LAST", last?.rfc3339), ("NOTE", note),
        ]
        return fields.compactMap { name, value in value.map { (name, $0) } }
    }

    /// The summary of a value as JSON.
    private static func text(of summary: ValueSummary?) -> String? {
        summary.map { String(decoding: $0.json, as: UTF8.self) }
    }
}
