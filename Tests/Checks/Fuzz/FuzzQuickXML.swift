// seeds: Tests/Checks/Fuzz/Seeds/Lists
import MDPropertyList

/// Feeds the quick reader of XML dictionaries; what it takes, the strict reader takes as the same and without a warning.
///
/// The input is used as the lines between the tags of a root dictionary as well, so that most of it gets that far. Its
/// two halves, both as lines, are two states of one file: the second is followed from the first.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    _ = check(bytes)
    let one = file(bytes[(bytes.count / 2)...])
    let other = file(bytes[...])
    _ = check(other)
    guard let (values, text) = check(one), var text else { return 0 }
    if let changes = text.follow(other) {
        var values = values
        for (key, value) in changes { values[key] = value }
        guard text.bytes == other, values == strictly(other) else { fatalError("a file was followed wrongly") }
    }
    return 0
}

/// A file whose root dictionary has these lines.
private func file(_ lines: ArraySlice<UInt8>) -> [UInt8] {
    guard let frame = try? XMLWriter.write(.dictionary(["": .boolean(true)])) else { return [] }
    let closing = Array("</dict>\n</plist>\n".utf8)
    let entry = Array("\t<key></key>\n\t<true/>\n".utf8)
    return frame.dropLast(closing.count + entry.count) + lines + closing
}

/// What the strict reader makes of a file without a warning.
private func strictly(_ bytes: [UInt8]) -> [Key: Value]? {
    guard let document = try? Document.read(bytes), document.warnings.isEmpty,
        let entries = try? document.rootEntries()
    else { return nil }
    return Node.dictionary(entries)
}

/// What the quick reader makes of a file; ends the process where the strict one differs.
private func check(_ bytes: [UInt8]) -> (values: [Key: Value], text: XMLDictionaryText?)? {
    guard let quick = XMLDictionaryText.read(bytes) else { return nil }
    guard quick.values == strictly(bytes) else { fatalError("both readers differ") }
    return quick
}
