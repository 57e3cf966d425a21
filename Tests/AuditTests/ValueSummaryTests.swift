import Audit
import Platform
import PropertyList
import Testing

/// What a record keeps of a value.
struct ValueSummaryTests {
    @Test("Scalars up to 64 bytes are kept in full and read back")
    func scalars() throws {
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

    @Test("Anything larger is kept as type, size and the first digits of its digest")
    func digests() {
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

    @Test("The number 1 and the truth value differ, unlike as values")
    func exactness() {
        #expect(ValueSummary(.integer(1)) != ValueSummary(.boolean(true)))
        #expect(ValueSummary(.string("e\u{301}")) != ValueSummary(.string("\u{e9}")))
    }
}
