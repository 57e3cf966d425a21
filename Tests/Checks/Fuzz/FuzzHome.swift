import MDAuditClient
import MDCare
import MDPropertyList

@testable import MDEngine

/// Feeds the readers of what a user's own process says or leaves behind: marks of what was set once, the answer of the
/// child that read a home.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let reading = HomeInspection(decoding: bytes) {
        let written = reading.encoded()
        guard HomeInspection(decoding: written)?.encoded() == written else {
            fatalError("an answer changed in writing")
        }
    }
    let marks = SetOnceFile.marks(in: bytes)
    guard marks.count <= bytes.split(separator: 0x0a).count else { fatalError("marks from nowhere") }
    let written = marks.flatMap { $0.line + [UInt8(ascii: "\n")] }
    guard SetOnceFile.marks(in: written) == marks else { fatalError("marks changed in writing") }
    return 0
}
