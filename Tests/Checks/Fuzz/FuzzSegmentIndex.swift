import Glibc
import MDPlatform

@testable import MDAuditClient
@testable import MDAuditLog
@testable import MDAuditReading
@testable import MDAuditRecord

/// A segment on the disk, and the beginning of the head of an index that belongs to it.
private struct Segment {
    /// The folder.
    let root: Root
    /// The segment.
    let path = "/var/0000000000000001.jsonl"
    /// The name of the format, the size and the time of the segment, and the digest of its first bytes.
    let head: [UInt8]

    /// Makes the segment.
    init?() {
        var name = Array("/dev/shm/fuzz.XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil,
            let root = try? Root(
                directory: String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)),
            (try? root.createDirectory("/var", mode: 0o700)) != nil
        else { return nil }
        let line = Array(#"{"v":1,"seq":1,"time":"2026-11-20T08:00:00.000000Z","kind":"start"}"#.utf8) + [0x0a]
        let bytes = (0..<200).flatMap { _ in line }
        guard (try? root.replace(path, with: bytes, mode: 0o600)) != nil,
            let status = try? root.status(path, followingLinks: false)
        else { return nil }
        self.root = root
        head =
            SegmentIndex.magic + SegmentIndex.bytes(UInt64(status.size))
            + SegmentIndex.bytes(UInt64(bitPattern: status.modified))
            + SHA256.hash(Array(bytes.prefix(SegmentIndex.sampleSize))).bytes
    }
}

private let segment = Segment()

/// Feeds the reader of a segment's index: the input is what follows in the head, then a bucket, with the right digests.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let segment else { fatalError("no segment could be made") }
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count > 26 else { return 0 }
    let bucket = Array(input[26...])
    let number = SegmentIndex.number(input, at: 0)
    let term = IndexTerm(number: number)
    var head = segment.head + input[..<24]
    for index in 0..<SegmentIndex.bucketCount {
        guard index == term.bucket else {
            head += [UInt8](repeating: 0, count: 16)
            continue
        }
        // Mostly the bucket as it is, at times another place and length.
        let (offset, length) = (
            input[24] == 1 ? UInt64(input[25]) : 0, input[24] == 2 ? UInt64(input[25]) : UInt64(bucket.count)
        )
        head += SegmentIndex.bytes(offset, count: 4) + SegmentIndex.bytes(length, count: 4)
        head += SHA256.hash(bucket).bytes.prefix(8)
    }
    head += SHA256.hash(head).bytes
    for bytes in [head + bucket, input] {
        guard
            (try? segment.root.replace(
                SegmentIndex.path(ofSegment: segment.path), with: bytes, mode: 0o600, durable: false)) != nil,
            let file = try? ReadFile(root: segment.root, path: segment.path)
        else { fatalError("no index could be made") }
        guard let index = SegmentIndex(root: segment.root, path: segment.path, segment: file) else { continue }
        _ = (index.times, index.problems)
        guard let offsets = index.offsets([[term]]) else { continue }
        guard offsets == offsets.sorted(), Set(offsets).count == offsets.count, offsets.allSatisfy({ $0 >= 0 }) else {
            fatalError("offsets do not grow")
        }
    }
    return 0
}
