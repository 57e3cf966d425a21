// seeds: Examples/lab/etc/managed-defaults/policies.d Examples/lab/run/managed-defaults/policies.d
import MDPropertyList

/// Feeds the JSON reader; whatever reads is written as JSON and as binary, and must read back the same.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let source = try? SourceText(decoding: bytes) else { return 0 }
    let limits = Limits(bytes: 1 << 20, depth: 64, objects: 20_000)
    let isPlain = (try? JSONReader.readPlain(source, limits: limits)) != nil
    let value: Value
    do throws(PropertyListError) {
        value = try JSONReader.read(source, limits: limits).root.value
    } catch {
        guard error.position.offset <= source.utf8.count, !error.message.isEmpty else {
            fatalError("a mistake has no place")
        }
        // Strict JSON without forms is JSON with comments too; a form or an escape may spell out a `$`.
        if isPlain, !source.utf8.contains(where: { [UInt8(ascii: "$"), UInt8(ascii: "\\")].contains($0) }) {
            fatalError("only the strict reader takes this: \(error)")
        }
        return 0
    }
    _ = (value.boolValue, value.integerValue, value.doubleValue, value.stringValue)
    do throws(PropertyListError) {
        var writer = JSONWriter(pretty: true)
        writer.value(value)
        guard try JSONReader.read(SourceText(decoding: writer.utf8)).root.value == value else {
            fatalError("a value changed in writing")
        }
        guard try BinaryReader.read(try BinaryWriter.write(value)).root.value == value else {
            fatalError("a value changed in writing it as binary")
        }
    } catch {
        fatalError("what was written does not read: \(error)")
    }
    return 0
}
