package import MDAuditRecord

/// A format in which records leave the log for another program.
package enum ExportFormat: String, CaseIterable, Sendable {
    /// The lines of the log, byte for byte, unless a value is hidden.
    case jsonl
    /// Comma-separated values (RFC 4180), guarded against formulas.
    case csv
    /// Events of the Open Cybersecurity Schema Framework, version 1.8, one a line.
    case ocsf
    /// Documents of the Elastic Common Schema, version 8, one a line.
    case ecs
    /// Messages of the syslog protocol (RFC 5424), one a line.
    case rfc5424
}

/// Renders records in one format, each by itself, so that memory does not grow with the log.
package struct RecordExporter: Sendable {
    /// The format.
    private let format: ExportFormat
    /// What is said of the log with each record.
    private let source: ExportSource

    /// Makes a renderer.
    package init(_ format: ExportFormat, source: ExportSource) {
        self.format = format
        self.source = source
    }

    /// What comes before the first record, with its line end; empty in most formats.
    package var head: [UInt8] {
        format == .csv ? CSVRecord.head : []
    }

    /// Renders a record, with its line end.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - line: its line, without the line feed.
    /// - Returns: the bytes to print.
    package func line(_ record: AuditRecord, stored line: some Sequence<UInt8>) -> [UInt8] {
        switch format {
        case .jsonl: Array(line) + [0x0a]
        case .csv: CSVRecord.line(record)
        case .ocsf: OCSFEvent(record, source).json + [0x0a]
        case .ecs: ECSDocument(record, source).json + [0x0a]
        case .rfc5424: SyslogMessage.line(record, source) + [0x0a]
        }
    }
}

/// What every exported record says of its origin.
package struct ExportSource: Hashable, Sendable {
    /// The version of this program.
    package let version: String
    /// The name of the log in its checkpoint; `nil` if it is unknown.
    package let log: String?

    /// Makes a value.
    package init(version: String, log: String?) {
        self.version = version
        self.log = log
    }

    /// The name of the program in every format.
    static let product = "ManagedDefaults"

    /// What no other record of any log has: the log and the place in it; `nil` if one of them is unknown.
    func identifier(of record: AuditRecord) -> String? {
        guard let log, record.seq > 0 else { return nil }
        return "\(log)/\(record.seq)"
    }
}

extension AuditRecord {
    /// The summary of a value as JSON text; in the formats with fixed types a value of any type is a text.
    static func text(_ summary: ValueSummary?) -> String? {
        summary.map { String(decoding: $0.json, as: UTF8.self) }
    }
}
