import Platform

/// A message in journald's native protocol: fields, each with a line feed behind it.
///
/// A value with a line feed in it is written with its length before it, so that no value can begin a field of its own. What
/// the sender says of itself does not stand here: journald adds uid, process and program as the kernel has them.
///
/// Source: systemd.io, "Native Journal Protocol".
struct JournalMessage {
    /// What all messages of this program have in common, by which they are found: `journalctl MESSAGE_ID=…`.
    static let identifier = "797335c5eded4ac2bb88ff6eaca8f8f2"
    /// The most bytes of a value; a longer one is cut, and marked with its size and digest.
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
    ///   - name: its name: capital letters, digits and `_`.
    ///   - value: its value, of any bytes.
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
