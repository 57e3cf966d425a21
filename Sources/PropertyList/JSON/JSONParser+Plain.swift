extension JSONParser {
    /// Takes members of the innermost object whose key and value are strings without escapes, each with the comma behind
    /// it, as long as such members come; the last one of the object too, before its closing brace.
    ///
    /// Most of what policy files and our own files hold looks like that. Whatever looks different, mistakes included, is
    /// left to the tokenizer, which begins where the last of these members ended.
    mutating func takePlainMembers() {
        let last = containers.count - 1
        let room = (limits.objects - objects) / 2
        let start = tokenizer.offset
        // The list is here alone while members are added to it.
        var entries: [Node.Entry] = []
        swap(&entries, &containers[last].entries)
        let before = entries.count
        // Every index is held against the count, and the bytes are read while they are lent.
        let (end, isLast) = unsafe tokenizer.utf8.withUnsafeBytes { bytes in
            var (end, isLast) = (start, false)
            while !isLast, entries.count - before < room,
                let next = unsafe JSONParser.plainMember(bytes, from: end, &entries, &isLast)
            {
                end = next
            }
            return (end, isLast)
        }
        objects += 2 * (entries.count - before)
        if entries.count > before {
            containers[last].comma = isLast ? nil : end - 1
            tokenizer.offset = end
        }
        swap(&entries, &containers[last].entries)
    }

    /// Takes one member and the comma behind it, if it is not the last; where that ends, or `nil` where there is something
    /// else.
    @inline(__always)
    private static func plainMember(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ entries: inout [Node.Entry], _ isLast: inout Bool
    ) -> Int? {
        var index = unsafe skipBlanks(bytes, from: start)
        let keyOffset = index
        guard let key = unsafe plainString(bytes, &index) else { return nil }
        index = unsafe skipBlanks(bytes, from: index)
        guard index < bytes.count, unsafe bytes[index] == UInt8(ascii: ":") else { return nil }
        index = unsafe skipBlanks(bytes, from: index + 1)
        let offset = index
        guard let value = unsafe plainString(bytes, &index) else { return nil }
        index = unsafe skipBlanks(bytes, from: index)
        guard index < bytes.count else { return nil }
        isLast = unsafe bytes[index] == UInt8(ascii: "}")
        guard unsafe isLast || bytes[index] == UInt8(ascii: ",") else { return nil }
        // Both texts are made only now that nothing is wrong with the member.
        let node = Node(.scalar(.string(unsafe text(bytes, value))), offset: offset)
        entries.append(Node.Entry(key: Key(unsafe text(bytes, key)), keyOffset: keyOffset, value: node))
        return isLast ? index : index + 1
    }

    /// The offset of the next byte that is no blank.
    @inline(__always)
    private static func skipBlanks(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index < bytes.count, unsafe TextScanner.isBlank(bytes[index]) { index += 1 }
        return index
    }

    /// Takes a string without escapes; `nil` where there is something else.
    @inline(__always)
    private static func plainString(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) -> Range<Int>? {
        guard index < bytes.count, unsafe bytes[index] == UInt8(ascii: "\"") else { return nil }
        let start = index + 1
        var end = start
        while bytes.count - end >= 8 {
            // Eight bytes are left.
            let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self))
            let ends = JSONParser.ends(in: word)
            end += ends.trailingZeroBitCount / 8
            if ends != 0 { break }
        }
        while end < bytes.count, unsafe bytes[end] != UInt8(ascii: "\"") {
            guard unsafe bytes[end] >= 0x20, unsafe bytes[end] != UInt8(ascii: "\\") else { return nil }
            end += 1
        }
        guard end < bytes.count else { return nil }
        index = end + 1
        return start..<end
    }

    /// A word that is zero where none of eight bytes ends a string, and of which the lowest bit that is set otherwise lies in the
    /// first byte that does, or that must not stand in one: a quote, a backslash or a control character.
    @inline(__always)
    private static func ends(in word: UInt64) -> UInt64 {
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let (quotes, escapes) = (word ^ (ones &* 0x22), word ^ (ones &* 0x5c))
        // The lowest bit of each difference is exact; those above may follow from a borrow.
        let zeros = (quotes &- ones) & ~quotes | (escapes &- ones) & ~escapes | (word &- (ones &* 0x20)) & ~word
        return zeros & highs
    }

    /// The text of some bytes.
    @inline(__always)
    private static func text(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
        // The range lies within the bytes.
        unsafe String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }
}
