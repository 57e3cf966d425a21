extension JSONParser {
    /// Takes members of the innermost object whose key and value are strings without escapes, each with the comma behind
    /// it, as long as such members come.
    ///
    /// Most of what policy files and our own files hold looks like that. Whatever looks different, mistakes included, is
    /// left to the tokenizer, which begins where the last of these members ended.
    mutating func takePlainMembers() {
        let bytes = tokenizer.utf8
        while objects + 2 <= limits.objects {
            var index = JSONParser.skipBlanks(bytes, from: tokenizer.offset)
            let keyOffset = index
            guard let key = JSONParser.plainString(bytes, &index) else { return }
            index = JSONParser.skipBlanks(bytes, from: index)
            guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { return }
            index = JSONParser.skipBlanks(bytes, from: index + 1)
            let offset = index
            guard let value = JSONParser.plainString(bytes, &index) else { return }
            index = JSONParser.skipBlanks(bytes, from: index)
            guard index < bytes.count, bytes[index] == UInt8(ascii: ",") else { return }
            objects += 2
            let node = Node(.scalar(.string(value)), offset: offset)
            let last = containers.count - 1
            containers[last].entries.append(Node.Entry(key: Key(key), keyOffset: keyOffset, value: node))
            containers[last].comma = index
            tokenizer.offset = index + 1
        }
    }

    /// The offset of the next byte that is no blank.
    @inline(__always)
    private static func skipBlanks(_ bytes: [UInt8], from start: Int) -> Int {
        var index = start
        while index < bytes.count, TextScanner.isBlank(bytes[index]) { index += 1 }
        return index
    }

    /// Takes a string without escapes; `nil` where there is something else.
    @inline(__always)
    private static func plainString(_ bytes: [UInt8], _ index: inout Int) -> String? {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
        let start = index + 1
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            guard bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\\") else { return nil }
            end += 1
        }
        guard end < bytes.count else { return nil }
        index = end + 1
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
