@testable import MDTools

/// Feeds the reader of packed files: as a whole file, and as packed data whose result has a given size.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let content = try? Gunzip.unpack(bytes, limit: 1 << 20), content.count > 1 << 20 {
        fatalError("the result is larger than its limit")
    }
    guard count >= 2 else { return 0 }
    let size = Int(bytes[0]) << 8 | Int(bytes[1])
    if let content = try? Inflate.unpack(bytes, in: 2..<count, size: size), content.count != size {
        fatalError("the result has another size than was asked for")
    }
    return 0
}
