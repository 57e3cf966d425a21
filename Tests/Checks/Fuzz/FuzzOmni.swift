import MDPropertyList

@testable import MDPrograms

/// Feeds the reader of programs' archives, and what an entry of it says, to the reader of schemas of policies.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let archive = StoredArchive(size: bytes.count) { offset, count in Array(bytes[offset..<(offset + count)]) }
    let content = archive.entry("a") ?? bytes
    guard let schema = MozillaSchema(content) else { return 0 }
    let values: [Value] = [
        .boolean(true), .integer(7), .string("x"), .array([.string("x")]),
        .dictionary(["A": .dictionary(["B": .integer(1)])]),
    ]
    for value in values {
        for path in [["A"], ["A", "B"], ["B", "A", "C"]] as [[Key]] {
            _ = (schema.verdict(on: value, at: path), schema.isLockable(path))
        }
    }
    return 0
}
