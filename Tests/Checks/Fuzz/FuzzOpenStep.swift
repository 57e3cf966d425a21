// seeds: Tests/Checks/Fuzz/Seeds/Lists
import MDPropertyList

/// Feeds the OpenStep reader; whatever reads is described.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let source = try? SourceText(decoding: bytes) else { return 0 }
    for allowsStrings in [false, true] {
        let value: Value
        do throws(PropertyListError) {
            value = try OpenStepReader.read(source, allowsStrings: allowsStrings).root.value
        } catch {
            guard error.position.offset <= source.utf8.count, !error.message.isEmpty else {
                fatalError("a mistake has no place")
            }
            continue
        }
        _ = OpenStepWriter.description(of: value)
    }
    return 0
}
