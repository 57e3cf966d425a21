import MDPropertyList
import Testing

/// Where things are in a text: keys and values of JSON, and lines and columns; and the index of names.
struct TextPlacesTests {
    /// The pieces that strings are made of.
    private static let pieces = ["a", "Key", " ", "\u{e4}", "\u{1f600}", "\\n", "\\u0041", "\\\"", "\\\\"]

    @Test(arguments: 0..<60)
    func `reads members of every kind, with the places of keys and values`(_ seed: Int) throws {
        var random = SystemRandomNumberGenerator()
        var text = "{"
        var expected: [(key: Int, value: Int, type: String)] = []
        let count = seed % 12
        for number in 0..<count {
            let isLast = number == count - 1
            text += [" ", "\n\t", "", "/* x */", "// y\n"].randomElement(using: &random) ?? ""
            let key = text.utf8.count
            text += "\"\(number)\(Self.pieces.randomElement(using: &random) ?? "")\""
            text += [":", " : ", "\n:\n"].randomElement(using: &random) ?? ":"
            let value = text.utf8.count
            let (content, type) =
                [
                    ("\"v\"", "string"), ("\"\(Self.pieces.randomElement(using: &random) ?? "")\"", "string"),
                    ("17", "integer"), ("{ \"a\": \"b\", \"c\": \"d\" }", "dictionary"), ("[\"a\"]", "array"),
                ].randomElement(using: &random) ?? ("1", "integer")
            text += content
            expected.append((key, value, type))
            text +=
                isLast
                ? ["", ",", "\n"].randomElement(using: &random) ?? ""
                : [",", " ,", "\n,\n"].randomElement(using: &random) ?? ","
        }
        text += "}"
        let document = try JSONReader.read(SourceText(decoding: Array(text.utf8)))
        let entries = try document.rootEntries()
        #expect(entries.map(\.keyOffset) == expected.map(\.key), "\(text)")
        #expect(entries.map(\.value.offset) == expected.map(\.value), "\(text)")
        #expect(entries.map(\.value.typeName) == expected.map(\.type), "\(text)")
    }

    @Test(arguments: 0..<60)
    func `computes positions in order as it does one by one`(_ seed: Int) throws {
        let pieces: [[UInt8]] = [
            [0x61], [0x0a], [0x0d], [0x0d, 0x0a], [0xc3, 0xa4], Array(repeating: 0x62, count: 30), [0x20],
            [0xf0, 0x9f, 0x98, 0x80],
        ]
        let plain = seed % 2 == 0
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0..<200) {
            bytes += (plain ? pieces[..<4] + pieces[5...6] : pieces[...]).randomElement() ?? []
        }
        let text = try SourceText(decoding: bytes)
        var last = Position.start
        var (line, column) = (1, 1)
        for offset in 0...bytes.count {
            let position = text.position(at: offset)
            #expect(position == Position(line: line, column: column, offset: offset))
            if Int.random(in: 0..<3) == 0 || offset == bytes.count {
                last = text.position(at: offset, behind: last)
                #expect(last == position)
            }
            guard offset < bytes.count else { break }
            let isReturn = bytes[offset] == 0x0d && (offset + 1 == bytes.count || bytes[offset + 1] != 0x0a)
            if bytes[offset] == 0x0a || isReturn {
                (line, column) = (line + 1, 1)
            } else if bytes[offset] & 0xc0 != 0x80 {
                column += 1
            }
        }
    }

    @Test func `numbers names, and finds those that differ by case only`() {
        let keys = (0..<3_000).map { Key("Key\($0 % 1_000)") } + ["", "key1", "KEY1", "k[", "k{", "K{"].map { Key($0) }
        var table = HashIndex(minimumCapacity: 0)
        var names: [Key] = []
        for key in keys {
            if table.isFull { table.grow { names[$0].quickHash() } }
            let known = table.number(hash: key.quickHash(), orAdd: names.count) { names[$0] == key }
            #expect(known == names.firstIndex(of: key))
            if known == nil { names.append(key) }
        }
        #expect(names.count == 1_006)
        #expect(table.number(hash: Key("none").quickHash()) { names[$0] == "none" } == nil)
        for one in names.suffix(8) {
            for other in names.suffix(8) {
                let isSame = one.string.lowercased() == other.string.lowercased()
                #expect(one.isSameIgnoringCase(as: other) == isSame)
                if isSame { #expect(one.quickHash(ignoringCase: true) == other.quickHash(ignoringCase: true)) }
            }
        }
    }
}
