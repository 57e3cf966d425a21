// seeds: Tests/Checks/Fuzz/Seeds/FuzzGVDB
import MDPropertyList

@testable import MDPrograms

/// Feeds the reader of dconf's databases and of compiled schemas; each value that reads is written and reads back the same.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let file = GVDBFile(Array(UnsafeBufferPointer(start: start, count: count))) else { return 0 }
    var values: [Key: GVariant] = [:]
    for name in file.root.names {
        guard let value = file.root.value(name) else { continue }
        _ = (value.text, value.value, SettingsKey(value))
        values[Key(name)] = value
        if let schema = file.root.table(name) { _ = schema.names.map { schema.value($0) } }
    }
    _ = file.root.table(".locks")?.names
    guard let again = GVDBFile(GVDBWriter.database(values: values, locks: Set(values.keys))) else {
        fatalError("what was written does not read")
    }
    for (name, value) in values {
        guard let second = again.root.value(name.string), second.bytes == value.bytes else {
            fatalError("a value changed in writing")
        }
    }
    return 0
}
