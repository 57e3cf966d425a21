import MDAuditClient
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTools
import Testing

/// Tests the line of a record.
struct AuditRecordTests {
    /// A record with every field.
    static func full() throws -> AuditRecord {
        var record = AuditRecord(kind: .override, src: .client, note: "Line one\nand \u{202e}two")
        record.seq = 12
        record.time = Timestamp(rfc3339: "2026-11-20T08:00:00.000001Z")
        (record.boot, record.mono, record.host) = ("f0e1", 123_456, "lab-01")
        (record.uid, record.user, record.auid, record.session) = (1_000, "alice", 1_001, 4)
        (record.pid, record.start, record.exe, record.unit) = (77, 900, "/usr/bin/browser", "app.scope")
        (record.via, record.domain, record.key) = (.cli, "org.example.Browser", "HomePage")
        record.forced = ValueSummary(.string("https://a.example"))
        record.tried = ValueSummary(.integer(Integer(UInt64.max)))
        record.policy = PolicyReference(id: "edu.lab", file: "/etc/x.json", line: 7, sha256: SHA256.hash([]))
        (record.outcome, record.count, record.first, record.last) = (.refused, 3, record.time, record.time)
        return record
    }

    @Test func `fields stand in the order of the format, and the record reads back`() throws {
        let record = try AuditRecordTests.full()
        let line = String(decoding: record.encoded(), as: UTF8.self)
        #expect(
            line == """
                {"v":1,"seq":12,"time":"2026-11-20T08:00:00.000001Z","boot":"f0e1","mono":123456,"kind":"override",\
                "src":"client","host":"lab-01","uid":1000,"user":"alice","auid":1001,"session":4,"pid":77,"start":900,\
                "exe":"/usr/bin/browser","unit":"app.scope","via":"cli","domain":"org.example.Browser","key":"HomePage",\
                "forced":"https://a.example","tried":{"$int":"18446744073709551615"},"policy":{"id":"edu.lab",\
                "file":"/etc/x.json","line":7,\
                "sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},"outcome":"refused",\
                "count":3,"first":"2026-11-20T08:00:00.000001Z","last":"2026-11-20T08:00:00.000001Z",\
                "note":"Line one\\nand \\u202etwo"}
                """)
        #expect(try AuditRecord(line: Array(line.utf8)) == record)
    }

    @Test
    func `the list of members has every property of a record, and the line has every member in that order`() throws {
        let record = try AuditRecordTests.full()
        let names = RecordMember.order.members.map(\.rawValue)
        #expect(Mirror(reflecting: record).children.compactMap(\.label) == names + ["extra"])
        #expect(
            try JSONReader.readPlain(SourceText(decoding: record.encoded())).rootEntries().map(\.key.string) == names)
        let policy = PolicyMember.order.members.map(\.rawValue)
        #expect(Mirror(reflecting: PolicyReference()).children.compactMap(\.label) == policy)
        // A scanner reads a name as one number of eight bytes.
        #expect((names + policy).allSatisfy { $0.utf8.count <= 8 })
    }

    @Test func `absent fields are left out`() throws {
        var record = AuditRecord(kind: .start)
        record.time = Timestamp(microseconds: 0)
        #expect(
            String(decoding: record.encoded(), as: UTF8.self)
                == #"{"v":1,"time":"1970-01-01T00:00:00.000000Z","kind":"start"}"#)
        #expect(try AuditRecord(line: record.encoded()) == record)
    }

    @Test func `words and fields of a later version are kept`() throws {
        let line =
            #"{"v":1,"seq":1,"time":"2026-11-20T08:00:00Z","kind":"lifted","via":"dbus","room":{"$x":[1,"two"]},"w":true}"#
        let record = try AuditRecord(line: Array(line.utf8))
        #expect(record.kind.rawValue == "lifted")
        #expect(!record.kind.isKnown)
        #expect(record.extra.map(\.name) == ["room", "w"])
        #expect(
            String(decoding: record.encoded(), as: UTF8.self)
                == line.replacing("08:00:00Z", with: "08:00:00.000000Z"))
    }

    @Test(arguments: [
        "", "[]", "null", "{", "{}", #"{"v":1}"#, #"{"v":2,"seq":1,"time":"2026-11-20T08:00:00Z","kind":"start"}"#,
        #"{"v":1,"seq":0,"time":"2026-11-20T08:00:00Z","kind":"start"}"#,
        #"{"v":1,"seq":-1,"time":"2026-11-20T08:00:00Z","kind":"start"}"#,
        #"{"v":1,"seq":9007199254740992,"time":"2026-11-20T08:00:00Z","kind":"start"}"#,
        #"{"v":1,"seq":1,"seq":1,"time":"2026-11-20T08:00:00Z","kind":"start"}"#,
        #"{"v":1,"seq":1,"time":"yesterday","kind":"start"}"#,
        #"{"v":1,"seq":1,"time":"2026-11-20T08:00:00Z"}"#,
        #"{"v":1,"seq":1,"time":"2026-11-20T08:00:00Z","kind":5}"#,
        #"{"v":1,"seq":1,"time":"2026-11-20T08:00:00Z","kind":"start","uid":4294967296}"#,
        #"{"v":1,"seq":1,"time":"2026-11-20T08:00:00Z","kind":"start","pid":2147483648}"#,
        #"{"v":1,"seq":1,"time":"2026-11-20T08:00:00Z","kind":"start","tried":[1]}"#,
        #"{"v":1,"seq":1,"time":"2026-11-20T08:00:00Z","kind":"start","tried":{"$odd":1}}"#,
        #"{"v":1,"seq":1,"time":"2026-11-20T08:00:00Z","kind":"start","policy":"x"}"#,
        #"{"v":1,"seq":1,"time":"2026-11-20T08:00:00Z","kind":"start"} x"#,
        "\u{feff}" + #"{"v":1,"seq":1,"time":"2026-11-20T08:00:00Z","kind":"start"}"#,
    ])
    func `lines that are no record are refused with a reason`(line: String) throws {
        let error = try #require(throws: AuditError.self) { try AuditRecord(line: Array(line.utf8)) }
        #expect(!error.description.isEmpty)
    }

    @Test func `every truncation and every changed byte of a line reads or is refused, and never crashes`() throws {
        let line = try AuditRecordTests.full().encoded()
        for index in line.indices {
            #expect(throws: AuditError.self) { try AuditRecord(line: line[..<index]) }
            for bit in [0, 3, 5, 7] {
                var changed = line
                changed[index] ^= 1 << UInt8(bit)
                if let record = try? AuditRecord(line: changed) { #expect(record.encoded().count < 65_535) }
            }
        }
    }

    @Test(arguments: ["a", "\u{7}"])
    func `texts that are too long are cut and marked, and the line never exceeds its bound`(character: String) throws {
        var record = try AuditRecordTests.full()
        let text = String(repeating: character, count: 70_000)
        (record.user, record.exe, record.unit, record.note, record.host) = (text, text, text, text, text)
        (record.domain, record.key, record.boot) = (Key(text), Key(text), text)
        record.policy?.file = text
        record.policy?.id = text
        let line = record.encoded()
        #expect(line.count < 65_535)
        let read = try AuditRecord(line: line)
        let note = try #require(read.note)
        let digest = SHA256.hash(Array(text.utf8)).hex.prefix(16)
        #expect(note.hasSuffix("… [70000 bytes, sha256 \(digest)]"))
        #expect(note.hasPrefix(character))
        #expect(read.user == note && read.key == Key(note))
        #expect(read.outcome == record.outcome && read.last == record.last)
    }
}

/// Tests how records show values.
struct ValueSummaryTests {
    @Test func `scalars up to 64 bytes are kept in full and read back`() throws {
        let values: [Value] = [
            .string(""), .string(String(repeating: "x", count: 64)), .boolean(true), .boolean(false), .integer(0),
            .integer((1 << 53) - 1), .integer(1 << 53), .integer(Integer(Int64.min)), .integer(Integer(UInt64.max)),
            .real(1), .real(-0.5), .real(.infinity), .real(-.infinity), .real(.nan), .date(0),
            .data([UInt8](repeating: 1, count: 64)),
        ]
        for value in values {
            let summary = ValueSummary(value)
            #expect(summary.value == value)
            var record = AuditRecord(kind: .override)
            record.time = Timestamp(microseconds: 0)
            (record.tried, record.forced) = (summary, summary)
            let read = try AuditRecord(line: record.encoded())
            #expect(read.tried == summary)
            #expect(read.tried?.value.typeName == value.typeName)
        }
    }

    @Test func `anything larger is kept as type, size and the first digits of its digest`() {
        let text = String(repeating: "x", count: 65)
        #expect(
            ValueSummary(.string(text))
                == .digest(type: "string", size: 65, sha256: String(SHA256.hash(Array(text.utf8)).hex.prefix(16))))
        let data = [UInt8](repeating: 9, count: 65)
        #expect(
            ValueSummary(.data(data))
                == .digest(type: "data", size: 65, sha256: String(SHA256.hash(data).hex.prefix(16))))
        let json = Array(#"{"a":[1,true]}"#.utf8)
        #expect(
            ValueSummary(.dictionary(["a": .array([.integer(1), .boolean(true)])]))
                == .digest(type: "dictionary", size: json.count, sha256: String(SHA256.hash(json).hex.prefix(16))))
        #expect(ValueSummary(.array([])) != ValueSummary(.dictionary([:])))
    }

    @Test func `the number 1 and the truth value differ, unlike as values`() {
        #expect(ValueSummary(.integer(1)) != ValueSummary(.boolean(true)))
        #expect(ValueSummary(.string("e\u{301}")) != ValueSummary(.string("\u{e9}")))
    }
}
