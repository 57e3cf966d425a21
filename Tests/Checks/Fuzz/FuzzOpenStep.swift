// seeds: Tests/Checks/Fuzz/Seeds/Lists
import MDPropertyList

/// Feeds the OpenStep reader; whatever reads is written, and must read back.
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
        // Numbers come back as strings; written a second time, nothing changes any more.
        do throws(PropertyListError) {
            let written = try OpenStepWriter.write(value)
            let again = try OpenStepReader.read(SourceText(decoding: written)).root.value
            guard try OpenStepWriter.write(again) == written else { fatalError("a value changed in writing") }
        } catch {
            fatalError("what was written does not read: \(error)")
        }
    }
    return 0
}
