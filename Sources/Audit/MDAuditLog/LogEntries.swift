package import MDAuditRecord

/// What is to be stored in the log: records, and lines of records that lack only their number.
package struct LogEntries: Sendable {
    /// One of them.
    enum PendingLine: Sendable {
        /// A record.
        indirect case record(AuditRecord)
        /// The place of the fields of a line after its number, with the brace that ends it.
        case fields(Range<Int>)
    }

    /// The records and lines, in order.
    private(set) var entries: [PendingLine] = []
    /// The fields of all lines.
    private(set) var bytes: [UInt8] = []

    /// Makes a list of nothing.
    package init() {}

    /// Makes a list of records.
    package init(_ records: [AuditRecord]) { entries = records.map(PendingLine.record) }

    /// Makes room for as much as another list has.
    package mutating func reserve(like other: LogEntries) {
        entries.reserveCapacity(other.entries.count)
        bytes.reserveCapacity(other.bytes.count)
    }

    /// The number of records and lines.
    package var count: Int { entries.count }

    /// Whether there is nothing.
    package var isEmpty: Bool { entries.isEmpty }

    /// Adds a record.
    package mutating func append(_ record: AuditRecord) { entries.append(.record(record)) }

    /// Adds a line that is exactly what its record would be encoded as.
    ///
    /// - Parameters:
    ///   - first: the first fields from the time on.
    ///   - second: the fields after them.
    ///   - end: the last ones, with the brace that ends the line.
    package mutating func append(fields first: [UInt8], _ second: [UInt8], end: ArraySlice<UInt8>) {
        let start = bytes.count
        bytes += first
        bytes += second
        bytes += end
        entries.append(.fields(start..<bytes.count))
    }

    /// Puts a record before all others.
    package mutating func prepend(_ record: AuditRecord) { entries.insert(.record(record), at: 0) }

    /// The record at a place; `nil` if there is a line.
    package func record(at place: Int) -> AuditRecord? {
        if case .record(let record) = entries[place] { record } else { nil }
    }

    /// The record of an entry that was not encoded, or whose line must change; `nil` for a line that stays.
    func record(of entry: PendingLine, changing isChanged: Bool) -> AuditRecord? {
        switch entry {
        case .record(let record): return record
        case .fields(let range):
            guard isChanged else { return nil }
            let line = AuditRecord.lineHead.dropLast(RecordMember.seq.bytes.count) + [UInt8(ascii: ",")] + bytes[range]
            // Such a line was made of a record, so that it can be read.
            return (try? AuditRecord(line: line)) ?? AuditRecord(kind: .damaged, note: "a line could not be read")
        }
    }
}
