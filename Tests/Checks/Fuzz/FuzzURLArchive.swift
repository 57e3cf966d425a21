// seeds: Tests/Checks/Fuzz/Seeds/FuzzBinary
import MDPropertyList

/// Feeds the reader of archived URLs; what reads is written, and must read back the same.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let archive = URLArchive(bytes) else { return 0 }
    guard let written = archive.bytes, URLArchive(written) == archive else { fatalError("a URL changed in writing") }
    return 0
}
