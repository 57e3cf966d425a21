import Glibc
import MDPlatform

@testable import MDAuditClient
@testable import MDAuditLog
@testable import MDAuditReading
@testable import MDAuditRecord

/// The status of a file that represents the segment.
private let segment: FileStatus? = {
    guard let root = try? Root(directory: "/") else { return nil }
    return try? root.status("/bin/sh", followingLinks: true)
}()

/// Feeds the reader of a segment's tally: the input is what follows the names of the format and of the segment, with the
/// right digest.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let segment else { fatalError("no file stands for the segment") }
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    _ = SegmentTally(input, of: segment)
    guard let head = SegmentTally.impossible.encoded(of: segment)?.prefix(SegmentTally.magic.count + 32) else {
        return 0
    }
    let bytes = head + input
    guard let tally = SegmentTally(Array(bytes + SHA256.hash(Array(bytes)).bytes), of: segment) else { return 0 }
    guard tally.others == tally.others.sorted(), tally.cells.map(\.records).reduce(0, +) <= tally.records,
        tally.encoded(of: segment).flatMap({ SegmentTally($0, of: segment) }) == tally
    else { fatalError("what was read is not what is written") }
    return 0
}
