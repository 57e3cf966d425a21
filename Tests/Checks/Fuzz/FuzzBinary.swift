// seeds: Tests/Checks/Fuzz/Seeds/FuzzBinary
import MDPropertyList

/// Feeds the binary reader; whatever reads is written as binary and as JSON, and must read back the same.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    // Few objects: a small file may name one array thousands of times, and writing them all back takes its time.
    let limits = Limits(bytes: 1 << 20, depth: 64, objects: 20_000)
    let value: Value
    do throws(PropertyListError) {
        value = try BinaryReader.read(bytes, limits: limits).root.value
    } catch {
        guard !error.message.isEmpty else { fatalError("a mistake has no message") }
        return 0
    }
    _ = (value.boolValue, value.integerValue, value.doubleValue, value.stringValue)
    do throws(PropertyListError) {
        guard try BinaryReader.read(try BinaryWriter.write(value)).root.value == value else {
            fatalError("a value changed in writing")
        }
        var writer = JSONWriter()
        writer.value(value)
        var second = JSONWriter()
        second.value(try JSONReader.read(SourceText(decoding: writer.utf8)).root.value)
        guard second.utf8 == writer.utf8 else { fatalError("a value changed in writing it as JSON") }
    } catch {
        fatalError("what was written does not read: \(error)")
    }
    return 0
}
