import MDPropertyList

@testable import MDAuditReading
@testable import MDAuditRecord

/// Feeds the reader of audit records; a record that reads is written, and must read back the same.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let record: AuditRecord
    do throws(AuditError) {
        record = try AuditRecord(line: bytes)
    } catch {
        guard !error.description.isEmpty else { fatalError("a mistake has no message") }
        return 0
    }
    _ = AuditQuery(since: record.first, until: record.last, user: "alice", domain: record.domain).matches(record)
    let written = record.encoded()
    // Long fields are cut when a record is written; what was cut does not have to be equal.
    guard !written.contains(0x0a), written.count < AuditRecord.longestLine else { fatalError("the line is no line") }
    do throws(AuditError) {
        let again = try AuditRecord(line: written)
        guard again.encoded() == written else { fatalError("a record changed in writing") }
    } catch {
        fatalError("what was written does not read: \(error)")
    }
    return 0
}
