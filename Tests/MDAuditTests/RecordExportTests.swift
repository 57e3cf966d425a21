import Foundation
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPropertyList
import Testing

/// Tests the formats in which records leave the log.
struct RecordExportTests {
    /// What is said of the log.
    private static let source = ExportSource(version: "0.1.0", log: "managed-defaults/lab/0123")

    /// A record with every field.
    private func record(_ text: String) -> AuditRecord {
        var record = AuditRecord(kind: .override, src: .client, note: text)
        (record.seq, record.time) = (7, Timestamp(microseconds: 1_700_000_000_123_456))
        (record.boot, record.mono, record.host) = ("boot", 5, text)
        (record.uid, record.user, record.auid, record.session) = (1_000, text, 1_001, 3)
        (record.pid, record.start, record.exe, record.unit) = (77, 99, text, text)
        (record.via, record.domain, record.key) = (.set, Key(text), Key(text))
        (record.forced, record.tried) = (ValueSummary(.boolean(true)), ValueSummary(.string(text)))
        record.policy = PolicyReference(id: text, file: text, line: 4, sha256: SHA256.hash([]))
        (record.outcome, record.count, record.first, record.last) = (.refused, 2, record.time, record.time)
        return record
    }

    /// A record in a format, as text.
    private func text(_ format: ExportFormat, _ record: AuditRecord) throws -> String {
        let bytes = RecordExporter(format, source: Self.source).line(record, stored: record.encoded())
        return try #require(String(validating: bytes, as: UTF8.self))
    }

    /// Texts that a user may choose to deceive a reader.
    private static let hostile = [
        "=HYPERLINK(\"http://x\")", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "a,b", "a\"b", "a\r\nb", "]", "\\",
        "\"] forged", "\u{0}\u{1b}[31m", "\u{202e}", "é漢\u{1f600}", "", " ",
    ]

    /// Splits a line of RFC 4180 into cells.
    private func cells(_ line: String) throws -> [String] {
        let bytes = Array(line.utf8)
        var (cells, cell, index) = ([String](), [UInt8](), 0)
        while true {
            if bytes[index] == UInt8(ascii: "\"") {
                index += 1
                while true {
                    if bytes[index] != UInt8(ascii: "\"") {
                        cell.append(bytes[index])
                    } else if bytes[index + 1] == UInt8(ascii: "\"") {
                        cell.append(bytes[index])
                        index += 1
                    } else {
                        index += 1
                        break
                    }
                    index += 1
                }
            } else {
                while ![UInt8(ascii: ","), 0x0d].contains(bytes[index]) {
                    try #require(bytes[index] != 0x0a && bytes[index] != UInt8(ascii: "\""))
                    cell.append(bytes[index])
                    index += 1
                }
            }
            cells.append(String(decoding: cell, as: UTF8.self))
            cell = []
            if bytes[index] == 0x0d {
                try #require(Array(bytes[index...]) == [0x0d, 0x0a])
                return cells
            }
            try #require(bytes[index] == UInt8(ascii: ","))
            index += 1
        }
    }

    @Test(arguments: hostile)
    func `a cell is no formula and means what was recorded`(_ text: String) throws {
        let record = record(text)
        let head = try cells(String(decoding: RecordExporter(.csv, source: Self.source).head, as: UTF8.self))
        let row = try cells(try self.text(.csv, record))
        try #require(row.count == head.count)
        for cell in row { #expect(cell.utf8.first.map { !"=+-@\t\r\n".utf8.contains($0) } ?? true, "\(cell)") }
        let fields = Dictionary(uniqueKeysWithValues: zip(head, row))
        let isGuarded = text.utf8.first.map { "=+-@\t\r\n".utf8.contains($0) } ?? false
        for name in ["user", "note", "domain", "key", "exe", "host", "policy_id"] {
            #expect(fields[name] == (isGuarded ? "'" + text : text))
        }
        #expect(fields["seq"] == "7")
        #expect(fields["forced"] == "true")
    }

    @Test(arguments: hostile)
    func `a syslog message is one line, and no value ends its field`(_ text: String) throws {
        let message = try self.text(.rfc5424, record(text))
        #expect(message.utf8.dropLast().allSatisfy { $0 >= 0x20 && $0 != 0x7f })
        #expect(message.utf8.last == 0x0a)
        let head = message.split(separator: " ", maxSplits: 6)
        #expect(head[0] == "<85>1")
        #expect(head[1] == "2023-11-14T22:13:20.123456Z")
        #expect(head[2].utf8.allSatisfy { (0x21...0x7e).contains($0) })
        #expect(head[3...5] == ["mdefaults", "77", "override"])
        // Parses the structured data as section 6.3.3 has it.
        var names: [String] = []
        var values: [String: String] = [:]
        var rest = Substring(head[6])
        try #require(rest.hasPrefix("[mdefaults@32473"))
        rest.removeFirst("[mdefaults@32473".count)
        while rest.first == " " {
            let name = String(rest.dropFirst().prefix { $0 != "=" })
            rest = rest.dropFirst(name.count + 2)
            try #require(rest.unicodeScalars.first == "\"")
            var value = String.UnicodeScalarView()
            var scalars = rest.unicodeScalars.dropFirst()
            while let scalar = scalars.popFirst(), scalar != "\"" {
                try #require(scalar != "]")
                let next = scalar == "\\" ? scalars.popFirst() : scalar
                value.append(try #require(next))
            }
            rest = Substring(scalars)
            names.append(name)
            values[name] = String(value)
        }
        #expect(rest.unicodeScalars.starts(with: "] \u{feff}".unicodeScalars))
        #expect(Set(names).count == names.count)
        #expect(values["user"] == Printable.escape(text))
        #expect(values["seq"] == "7")
    }

    @Test(arguments: hostile)
    func `JSON formats are one line and parse`(_ text: String) throws {
        for format in [ExportFormat.ocsf, .ecs, .jsonl] {
            let line = try self.text(format, record(text))
            #expect(line.utf8.dropLast().allSatisfy { $0 >= 0x20 })
            _ = try JSONSerialization.jsonObject(with: Data(line.utf8))
        }
    }

    @Test func `the value of a sensitive key is in no format`() throws {
        var record = record("x")
        record.tried = ValueSummary(sensitive: .string("hunter2"), under: nil)
        record.forced = ValueSummary(sensitive: .string("correct horse"), under: nil)
        for format in ExportFormat.allCases {
            let line = try text(format, record)
            #expect(!line.contains("hunter2") && !line.contains("horse"))
            #expect(line.contains("sensitive"))
        }
    }

    // MARK: OCSF

    /// The attributes of an object or class of OCSF 1.8.0, as far as this program writes them; required ones with `!`.
    private static let schema: [String: Set<String>] = [
        "": [
            "metadata!", "category_uid!", "class_uid!", "activity_id!", "type_uid!", "severity_id!", "time!",
            "start_time", "end_time", "count", "message", "actor", "device", "status", "status_id", "status_detail",
            "unmapped",
        ],
        "3004": ["entity!", "policy", "action_id", "disposition_id"],
        "6002": ["app!"],
        "6008": [],
        "metadata": ["version!", "product!", "profiles", "uid", "sequence", "log_name", "event_code"],
        "metadata.product": ["name!", "vendor_name!", "version"],
        "app": ["name!", "vendor_name!", "version"],
        "actor": ["user", "process", "session"],
        "actor.user": ["name", "uid"],
        "actor.process": ["pid!", "file"],
        "actor.process.file": ["name!", "path", "type_id!"],
        "actor.session": ["uid!"],
        "device": ["hostname", "type_id!"],
        "entity": ["name!", "type", "type_id", "data", "policy"],
        "entity.policy": ["name!", "uid"],
        "policy": ["name!", "uid"],
    ]

    /// The attributes that are texts; all others that are no objects or arrays are whole numbers.
    private static let texts: Set<String> = [
        "message", "status", "status_detail", "version", "uid", "log_name", "event_code", "name", "vendor_name", "path",
        "hostname", "type",
    ]

    /// Compares an object with the attributes of its kind.
    private func check(_ object: [String: Any], _ path: String, also more: Set<String> = []) throws {
        let allowed = try #require(Self.schema[path], "\(path)").union(more)
        for required in allowed where required.hasSuffix("!") {
            #expect(object[String(required.dropLast())] != nil, "\(path) lacks \(required)")
        }
        for (name, value) in object {
            #expect(allowed.contains(name) || allowed.contains(name + "!"), "\(path).\(name)")
            if let inner = value as? [String: Any] {
                if !["unmapped", "data"].contains(name) { try check(inner, path.isEmpty ? name : "\(path).\(name)") }
            } else if Self.texts.contains(name) {
                #expect((value as? String)?.isEmpty == false, "\(path).\(name)")
            } else if name != "profiles" {
                #expect(value as? Int != nil, "\(path).\(name)")
            }
        }
    }

    @Test(arguments: RecordKind.known)
    func `an event has the attributes of its OCSF class`(_ kind: RecordKind) throws {
        var records = [record("x")]
        for index in records.indices { records[index].kind = kind }
        var bare = AuditRecord(kind: kind)
        bare.time = Timestamp(microseconds: 0)
        records.append(bare)
        for via in WriteVia.known {
            for outcome in AttemptOutcome.known {
                var other = record("x")
                (other.kind, other.via, other.outcome) = (kind, via, outcome)
                records.append(other)
            }
        }
        for record in records {
            let json = try JSONSerialization.jsonObject(with: Data(try text(.ocsf, record).utf8))
            let event = try #require(json as? [String: Any])
            let number = try #require(event["class_uid"] as? Int)
            try check(event, "", also: try #require(Self.schema["\(number)"]))
            #expect(event["category_uid"] as? Int == number / 1_000)
            #expect(event["type_uid"] as? Int == number * 100 + (try #require(event["activity_id"] as? Int)))
            #expect((1...6).contains(try #require(event["severity_id"] as? Int)))
            if event["status_id"] as? Int == 99 { #expect(event["status"] is String) }
        }
    }

    @Test func `an event has the number of its record in the log`() throws {
        let json = try JSONSerialization.jsonObject(with: Data(try text(.ocsf, record("x")).utf8))
        let metadata = try #require((json as? [String: Any])?["metadata"] as? [String: Any])
        #expect(metadata["uid"] as? String == "managed-defaults/lab/0123/7")
    }
}
