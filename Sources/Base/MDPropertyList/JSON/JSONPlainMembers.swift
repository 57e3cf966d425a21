extension JSONParser {
    /// Reads members of the innermost object as long as their keys and values are strings without escapes.
    ///
    /// The comma after each member is read too; the closing brace after the last one is not. Most of the content of
    /// policy files, and of the files that this package writes, has this form. Everything else, including errors, is
    /// left to the tokenizer, which continues after the last of these members.
    mutating func readPlainMembers() {
        let last = containers.count - 1
        let room = (limits.objects - objects) / 2
        let start = tokenizer.offset
        // The list has a single reference while members are added, so it is not copied.
        var entries: [Node.Entry] = []
        swap(&entries, &containers[last].entries)
        let before = entries.count
        // Every index is checked against the count, and the bytes are valid within the closure.
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

    /// Reads one member and the comma after it, unless it is the last.
    ///
    /// Returns the end of the member, or `nil` if something else comes next.
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
        // Both texts are created only after the whole member was checked.
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

    /// Reads a string without escapes; `nil` if something else comes next.
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

    /// Finds a quote, a backslash or a control character among eight bytes.
    ///
    /// The result is zero if there is none. Otherwise the lowest bit that is set belongs to the first such byte.
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
