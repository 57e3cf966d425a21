import MDAuditRecord
import MDPlatform

/// Stores records with the audit service and waits until they are durable.
enum ServiceDelivery {
    /// What is said of records that the service had got when it ended.
    private static let ended =
        "The audit service ended before it confirmed the record; the next one has it in the log, or counts it."
    /// What is said of records that the service has not confirmed in time.
    private static let late =
        "The record is with the audit service, which did not confirm in time that it is stored."
    /// The bytes that the first line of a message has at most.
    private static let head = 64

    /// Stores records.
    ///
    /// - Parameters:
    ///   - records: the records.
    ///   - service: the connection.
    ///   - deadline: when to wait no more.
    /// - Returns: what became of the first records, and those that the service did not take, in their order.
    static func deliver(
        _ records: [AuditRecord], over service: ServiceConnection, until deadline: Deadline
    ) -> (stored: [Delivery], rest: [AuditRecord]) {
        var deliveries: [Delivery] = []
        var rest = records[...]
        while !rest.isEmpty {
            var lines: [[UInt8]] = []
            var room = ServiceProtocol.longestMessage - head
            for record in rest.prefix(ServiceProtocol.mostRecords) {
                let line = record.asClaim.encoded(isForService: true)
                guard line.count < room else { break }
                room -= line.count + 1
                lines.append(line)
            }
            guard !lines.isEmpty else { return (deliveries, Array(rest)) }
            let attempts = rest.prefix(lines.count).reduce(0) { $0 + max($1.count ?? 1, 1) }
            let reply = service.request(
                .attempts(lines, unsent: 0), attempts: attempts, milliseconds: deadline.milliseconds)
            let delivery: Delivery
            switch reply {
            case .answer(.stored(let first, _)): delivery = .stored(first)
            case .answer(.dropped(let reason)), .answer(.invalid(let reason)):
                delivery = .dropped("The audit service only counted it: \(Printable.escape(reason)).")
            case .taken: delivery = .unconfirmed(ended)
            case .late: delivery = .unconfirmed(late)
            case .unsent, .answer: return (deliveries, Array(rest))
            }
            deliveries += lines.indices.map { _ in delivery }
            rest = rest.dropFirst(lines.count)
        }
        return (deliveries, [])
    }
}

extension AuditRecord {
    /// Whether it is a program's claim about its writes or about a preference file, which the audit service stores.
    var isClaim: Bool { via != nil || kind == .damaged }

    /// The record without what the audit service fills in itself, with the program that sends it.
    var asClaim: AuditRecord {
        var record = self
        record.exe = record.exe ?? ProgramPath.own
        (record.seq, record.time, record.boot, record.mono, record.host) = (0, nil, nil, nil, nil)
        return record
    }
}
