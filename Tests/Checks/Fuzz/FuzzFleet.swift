// sources: Sources/Machine/MDFleet/Protocol Sources/Machine/MDFleet/Signing
// sources: Sources/Machine/MDFleet/Policy/Snapshot.swift Sources/Machine/MDFleet/Policy/FleetRoot.swift
// seeds: Tests/Checks/Fuzz/Seeds/FuzzRecord
import MDAuditLog
import MDPlatform
import MDPropertyList

/// Reads a file; what was read and is written must read back as the same bytes.
private func check(_ bytes: [UInt8], _ reading: ([UInt8]) throws -> [UInt8]) {
    guard let written = try? reading(bytes) else { return }
    guard let again = try? reading(written) else { fatalError("what was written does not read") }
    guard again == written else { fatalError("it reads back as something else") }
}

/// Feeds the readers of the files between hosts and a centre.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    check(bytes) { try RecordBatch($0).bytes }
    check(bytes) { try HostStatus($0).bytes }
    check(bytes) { try HostHead($0).bytes }
    check(bytes) { try FleetState($0).bytes }
    check(bytes) { try FleetConfiguration($0).bytes }
    check(bytes) { try CentreConfiguration($0).bytes }
    check(bytes) { try FleetAlarm(line: $0).line }
    check(bytes) { try Snapshot($0).bytes }
    check(bytes) { try FleetRoot($0).bytes }
    if let acknowledgement = Acknowledgement(bytes), Array(acknowledgement.text.utf8) != bytes {
        fatalError("an acknowledgement is written as something else")
    }
    return 0
}
