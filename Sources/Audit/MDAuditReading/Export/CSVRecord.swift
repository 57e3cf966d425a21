import MDAuditRecord
import MDPlatform
import MDPropertyList

/// A record as a line of comma-separated values (RFC 4180).
///
/// A spreadsheet takes a cell that begins with certain characters for a formula, and a user chooses what is in a
/// record; such a cell gets an apostrophe before it.
enum CSVRecord {
    /// The names of the columns, in the order of the record.
    private static let columns = RecordMember.order.members.dropFirst().flatMap { member in
        switch member {
        case .policy: PolicyMember.order.members.map { "\(member.rawValue)_\($0.rawValue)" }
        default: [member.rawValue]
        }
    }

    /// The first line, with its line end.
    static let head = Array((columns.joined(separator: ",") + "\r\n").utf8)

    /// The line of a record, with its line end.
    static func line(_ record: AuditRecord) -> [UInt8] {
        let cells: [String?] = [
            record.seq > 0 ? "\(record.seq)" : nil, record.time?.rfc3339, record.boot, record.mono.map { "\($0)" },
            record.kind.rawValue, record.src?.rawValue, record.host, record.uid.map { "\($0)" }, record.user,
            record.auid.map { "\($0)" }, record.session.map { "\($0)" }, record.pid.map { "\($0)" },
            record.start.map { "\($0)" }, record.exe, record.unit, record.via?.rawValue, record.domain?.string,
            record.key?.string, AuditRecord.text(record.forced), AuditRecord.text(record.tried), record.policy?.id,
            record.policy?.file, record.policy?.line.map { "\($0)" }, record.policy?.sha256?.hex,
            record.outcome?.rawValue, record.count.map { "\($0)" }, record.first?.rfc3339, record.last?.rfc3339,
            record.note,
        ]
        assert(cells.count == columns.count, "each column has a cell")
        var line: [UInt8] = []
        for (index, cell) in cells.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            line += CSVRecord.cell(cell ?? "")
        }
        return line + [0x0d, 0x0a]
    }

    /// A cell, guarded and quoted as needed.
    static func cell(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        if let first = bytes.first, isFormula(first) { bytes.insert(UInt8(ascii: "'"), at: 0) }
        let quote = UInt8(ascii: "\"")
        guard bytes.contains(where: { $0 == quote || $0 == UInt8(ascii: ",") || $0 == 0x0a || $0 == 0x0d }) else {
            return bytes
        }
        return [quote] + bytes.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
    }

    /// Whether a spreadsheet may take a cell with this first byte for a formula, or drop the byte and look at the next.
    private static func isFormula(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0a, 0x0d: true
        default: false
        }
    }
}
