import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPropertyList

/// A record as a message of the syslog protocol (RFC 5424), without a line end.
///
/// The structured data has the fields of the record under `mdefaults@32473`; 32473 is the enterprise number that is kept
/// for examples (RFC 5612), as the package has none. Control characters are escaped, so that a message is one line.
enum SyslogMessage {
    /// The name of the structured data.
    private static let identifier = "mdefaults@32473"
    /// The facility `authpriv`, 10, and the severity notice, 5.
    private static let priority = 10 * 8 + 5
    /// The message of a record.
    static func line(_ record: AuditRecord, _ source: ExportSource) -> [UInt8] {
        let fields: [(String, String?)] = [
            ("seq", record.seq > 0 ? "\(record.seq)" : nil), ("log", source.log), ("src", record.src?.rawValue),
            ("boot", record.boot), ("mono", record.mono.map { "\($0)" }), ("uid", record.uid.map { "\($0)" }),
            ("user", record.user), ("auid", record.auid.map { "\($0)" }), ("session", record.session.map { "\($0)" }),
            ("start", record.start.map { "\($0)" }), ("exe", record.exe), ("unit", record.unit),
            ("via", record.via?.rawValue), ("domain", record.domain?.string), ("key", record.key?.string),
            ("forced", AuditRecord.text(record.forced)), ("tried", AuditRecord.text(record.tried)),
            ("policyId", record.policy?.id), ("policyFile", record.policy?.file),
            ("policyLine", record.policy?.line.map { "\($0)" }), ("policySha256", record.policy?.sha256?.hex),
            ("outcome", record.outcome?.rawValue), ("count", record.count.map { "\($0)" }),
            ("first", record.first?.rfc3339), ("last", record.last?.rfc3339), ("note", record.note),
        ]
        var text = "<\(priority)>1 \(record.time?.rfc3339 ?? "-") \(word(record.host, 255)) mdefaults "
        text += "\(record.pid.map { "\($0)" } ?? "-") \(word(record.kind.rawValue, 32)) [\(identifier)"
        for case (let name, let value?) in fields { text += " \(name)=\"\(escape(value))\"" }
        // The byte order mark says that the text is UTF-8 (section 6.4).
        return Array((text + "] \u{feff}" + record.sentence).utf8)
    }

    /// A field of the head: visible ASCII characters, or `-` for none.
    private static func word(_ text: String?, _ limit: Int) -> String {
        let bytes = (text ?? "").utf8.prefix(limit).map { (0x21...0x7e).contains($0) ? $0 : UInt8(ascii: "_") }
        return bytes.isEmpty ? "-" : String(decoding: bytes, as: UTF8.self)
    }

    /// Escapes a value of the structured data (section 6.3.3).
    private static func escape(_ text: String) -> String {
        var result = ""
        for scalar in Printable.escape(text).unicodeScalars {
            if scalar == "\"" || scalar == "\\" || scalar == "]" { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
