// seeds: Tests/Checks/Fuzz/Seeds/Lists
import MDPropertyList

/// Feeds the XML reader; whatever reads is written, and must read back the same.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(PropertyListError) {
        let value = try Document.read(bytes, as: .xml).root.value
        let written = try XMLWriter.write(value)
        let again = try XMLReader.read(SourceText(decoding: written)).root.value
        guard again == value else { fatalError("a value changed in writing") }
    } catch {
        guard error.position.offset >= 0, !error.message.isEmpty else { fatalError("a mistake has no place") }
    }
    return 0
}
