import MDPlatform

/// Stores records with the audit service and waits until they are durable.
enum ServiceDelivery {
    /// The longest wait for an answer, in milliseconds.
    private static let wait = 2_000
    /// The bytes that the first line of a message has at most.
    private static let head = 64

    /// Stores records.
    ///
    /// - Parameters:
    ///   - records: the records.
    ///   - service: the connection.
    /// - Returns: what became of the first records, and those that the service did not take, in their order.
    static func deliver(
        _ records: [AuditRecord], over service: ServiceConnection
    ) -> (stored: [Delivery], rest: [AuditRecord]) {
        var deliveries: [Delivery] = []
        var rest = records[...]
        while !rest.isEmpty {
            var lines: [[UInt8]] = []
            var room = ServiceProtocol.longestMessage - head
            for record in rest.prefix(ServiceProtocol.mostRecords) {
                let line = record.withoutPlace.encoded(isForService: true)
                guard line.count < room else { break }
                room -= line.count + 1
                lines.append(line)
            }
            guard !lines.isEmpty, let answer = service.ask(.attempts(lines, unsent: 0), milliseconds: wait) else {
                return (deliveries, Array(rest))
            }
            switch answer {
            case .stored(let first, _): deliveries += lines.indices.map { _ in .stored(first) }
            case .dropped(let reason):
                let why = "The audit service only counted it: \(Printable.escape(reason))."
                deliveries += lines.indices.map { _ in .lost(why) }
            case .unavailable, .invalid, .identity, .marks, .health, .done: return (deliveries, Array(rest))
            }
            rest = rest.dropFirst(lines.count)
        }
        return (deliveries, [])
    }
}

extension AuditRecord {
    /// The record without what the audit service fills in itself.
    fileprivate var withoutPlace: AuditRecord {
        var record = self
        (record.seq, record.time, record.boot, record.mono, record.host) = (0, nil, nil, nil, nil)
        return record
    }
}
