import MDPropertyList

@testable import MDPolicyStore

/// Feeds the reader of the words that describe a machine.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let words = try? TagFile.words(in: bytes) {
        guard words.allSatisfy({ !$0.string.isEmpty }) else { fatalError("a tag is empty") }
    }
    return 0
}
