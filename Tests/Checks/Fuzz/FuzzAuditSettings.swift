@testable import MDAuditLog
@testable import MDAuditRecord

/// Feeds the reader of `/etc/managed-defaults/audit.json`.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let settings = AuditSettings(reading: Array(UnsafeBufferPointer(start: start, count: count)))
    let (limits, usual) = (LogLimits(settings), LogLimits())
    if settings.problem != nil {
        // A name that is stored cannot be taken back.
        guard settings.isPseudonymous, limits == usual else { fatalError("a file without use counts") }
    }
    guard limits.bytes >= 16 << 20, limits.youngest >= 86_400_000_000, limits.segment == usual.segment else {
        fatalError("a limit is out of its bounds")
    }
    if let oldest = limits.oldest, oldest < limits.youngest { fatalError("what has to go may not go") }
    return 0
}
