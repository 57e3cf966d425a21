import MDPropertyList
import Testing

struct BinaryReaderTests {
    @Test(
        arguments: [
            ([0x08], Value.boolean(false)),
            ([0x09], .boolean(true)),
            ([0x10, 0xff], .integer(255)),
            ([0x11, 0xff, 0xff], .integer(65_535)),
            ([0x12, 0xff, 0xff, 0xff, 0xff], .integer(4_294_967_295)),
            ([0x13, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], .integer(-1)),
            (
                [0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0xff, count: 8),
                .integer(Integer(UInt64.max))
            ),
            ([0x14] + [UInt8](repeating: 0xff, count: 15) + [0xfe], .integer(-2)),
            ([0x22, 0x3f, 0xc0, 0, 0], .real(1.5)),
            ([0x23, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0], .real(1.5)),
            ([0x23, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0], .real(.nan)),
            ([0x33, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0], .date(1.5)),
            ([0x42, 1, 2], .data([1, 2])),
            ([0x4f, 0x10, 2, 1, 2], .data([1, 2])),
            ([0x50], .string("")),
            ([0x52, 0x61, 0x00], .string("a\0")),
            ([0x62, 0xd8, 0x3d, 0xde, 0x00], .string("\u{1f600}")),
            ([0xa0], .array([])),
            ([0xd0], .dictionary([:])),
        ] as [([UInt8], Value)])
    func `reads objects of every type`(object: [UInt8], expected: Value) throws {
        let document = try BinaryReader.read(BinaryFile.of([object]))
        #expect(document.root.value == expected)
        #expect(document.root.typeName == expected.typeName)
        #expect(document.root.offset == 8)
        #expect(document.format == .binary)
    }

    @Test(
        arguments: [
            ([0x00], .unsupported, "a null"),
            ([0x0c], .unsupported, "a URL"),
            ([0x0d], .unsupported, "a URL"),
            ([0x0e], .unsupported, "a UUID"),
            ([0x0f], .syntax, "0x0f"),
            ([0x15], .truncated, "longer"),
            ([0x15] + [UInt8](repeating: 0, count: 32), .number, "not 32"),
            ([0x14, 1] + [UInt8](repeating: 0, count: 15), .number, "does not fit"),
            ([0x14] + [UInt8](repeating: 0xff, count: 8) + [UInt8](repeating: 0, count: 8), .number, "does not fit"),
            ([0x21, 0, 0], .number, "not 2"),
            ([0x32, 0, 0, 0, 0], .date, "8 bytes"),
            ([0x33, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0], .date, "no number of seconds"),
            ([0x33, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0], .date, "no number of seconds"),
            ([0x43, 1, 2], .truncated, "longer"),
            ([0x4f], .truncated, "longer"),
            ([0x4f, 0x10], .truncated, "longer"),
            ([0x4f, 0x13, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], .truncated, "longer"),
            ([0x4f, 0x13, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], .truncated, "longer"),
            ([0x4f, 0x09, 1], .syntax, "a count is an integer"),
            ([0x4f, 0x14] + [UInt8](repeating: 0, count: 16), .syntax, "a count is an integer"),
            ([0x52, 0x61, 0x80], .encoding, "not ASCII"),
            ([0x61, 0xd8, 0x3d], .encoding, "surrogate"),
            ([0x62, 0x00, 0x61, 0xde, 0x00], .encoding, "surrogate"),
            ([0x6f, 0x13, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], .truncated, "longer"),
            ([0x71, 0x61], .unsupported, "UTF-8 string"),
            ([0x80, 1], .unsupported, "a UID"),
            ([0x9f], .syntax, "0x9f"),
            ([0xa1, 0], .reference, "contains itself"),
            ([0xa1, 1], .reference, "object 1, and there are 1"),
            ([0xa1], .truncated, "longer"),
            ([0xaf, 0x13, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], .truncated, "longer"),
            ([0xb0], .unsupported, "an ordered set"),
            ([0xc0], .unsupported, "a set"),
            ([0xd1, 0, 0], .unsupported, "a key is a string"),
            ([0xd1, 0], .truncated, "longer"),
            ([0xdf, 0x13, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], .truncated, "longer"),
            ([0xe0], .syntax, "0xe0"),
        ] as [([UInt8], PropertyListError.Code, String)])
    func `names what is broken or unsupported`(object: [UInt8], code: PropertyListError.Code, words: String) {
        let error = #expect(throws: PropertyListError.self) { try BinaryReader.read(BinaryFile.of([object])) }
        #expect(error?.code == code, "\(error?.description ?? "")")
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.position.isBinary == true)
    }

    @Test func `an error has the offset of its byte`() {
        let file = BinaryFile.of([[0xa2, 1, 2], [0x09], [0xc1, 1]])
        let error = #expect(throws: PropertyListError.self) { try BinaryReader.read(file) }
        #expect(error?.description == "byte 12: a set is no value of a property list")
    }

    @Test func `nodes hold the offsets of their objects, shared ones too`() throws {
        let file = BinaryFile.of([[0xd1, 1, 2], [0x51, 0x61], [0xa2, 3, 3], [0x09]])
        let document = try BinaryReader.read(file)
        let entry = try #require(document.root.entries?.first)
        #expect((entry.keyOffset, entry.value.offset) == (11, 13))
        #expect(entry.value.elements?.map(\.offset) == [16, 16])
        #expect(document.position(of: 16).description == "byte 16")
    }

    @Test func `the last value of a duplicate key counts, with a warning`() throws {
        let document = try BinaryReader.read(
            BinaryFile.of([[0xd2, 1, 2, 3, 4], [0x51, 0x61], [0x51, 0x61], [0x08], [0x09]]))
        #expect(document.root.value == .dictionary(["a": .boolean(true)]))
        #expect(
            document.warnings.map(\.description)
                == ["byte 15: the key \"a\" stands at byte 13 already; the last value counts"])
    }

    @Test func `circles of any length are refused`() {
        for length in 2...20 {
            let objects = (0..<length).map { [0xa1, UInt8(($0 + 1) % length)] as [UInt8] }
            let error = #expect(throws: PropertyListError.self) { try BinaryReader.read(BinaryFile.of(objects)) }
            #expect(error?.code == .reference)
        }
    }

    @Test func `a small file that unfolds without bound is refused at once`() {
        // Sixty levels of two references each: 2^60 values.
        let objects = (0..<60).map { [0xa2, UInt8($0 + 1), UInt8($0 + 1)] as [UInt8] } + [[0x51, 0x61]]
        let error = #expect(throws: PropertyListError.self) { try BinaryReader.read(BinaryFile.of(objects)) }
        #expect(error?.code == .tooManyObjects)
    }

    @Test func `what a file unfolds to is bounded by its size`() throws {
        /// A file whose levels hold the next one twice each, but for the last, which are as they are.
        func doubling(_ levels: Int, _ last: [[UInt8]]) -> [UInt8] {
            BinaryFile.of((1...levels).map { [0xa2, UInt8($0), UInt8($0)] } + last)
        }
        // 2^20 arrays: within the limit of every file, and far more than the usual values of so few bytes.
        let small = doubling(20, [[0x51, 0x61]])
        let error = #expect(throws: PropertyListError.self) { try BinaryReader.read(small) }
        #expect(error?.code == .tooManyObjects)
        #expect(
            error?.message == "the file has \(small.count) bytes and unfolds to more than 10000 values and keys")
        // The innermost container that is too large: 13 levels are 2^13 arrays and as many texts.
        #expect(error?.position == Position(byte: 8 + 3 * 7))
        // 2^13 - 1 arrays and 2^12 texts more than once: below 10,000.
        #expect(throws: Never.self) { try BinaryReader.read(doubling(12, [[0x51, 0x61]])) }
        // Beyond that, a file of n bytes may unfold to 4 n values; here 2^15 - 1.
        for (size, isRead) in [(8_200, true), (8_000, false)] {
            let unused = [0x4f, 0x11, UInt8(size >> 8), UInt8(size & 0xff)] + [UInt8](repeating: 0, count: size)
            let file = doubling(14, [[0x09], unused])
            #expect(((try? BinaryReader.read(file)) != nil) == isRead, "\(file.count)")
        }
        // A list of one value that is referred to by each byte is what a writer makes of equal values.
        let flat = BinaryFile.of(
            [[0xaf, 0x12, 0, 1, 0x86, 0xa0] + Array(repeating: 1, count: 100_000), [0x09]])
        #expect(try BinaryReader.read(flat).root.elements?.count == 100_000)
    }

    @Test func `a long text that unfolds many times is refused`() {
        let text = [0x4f, 0x12, 0, 1, 0, 0] + [UInt8](repeating: 0, count: 65_536)
        let references = [0xaf, 0x11, 0x20, 0] + [UInt8](repeating: 1, count: 0x2000)
        let error = #expect(throws: PropertyListError.self) {
            try BinaryReader.read(BinaryFile.of([references, text]))
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func `objects that overlap are refused`() {
        var file = BinaryFile.of([[0xa2, 1, 2], [0x43, 1, 2, 3], [0x41, 1]])
        file[file.count - 33] = 11
        let error = #expect(throws: PropertyListError.self) { try BinaryReader.read(file) }
        #expect(error?.code == .reference)
        #expect(error?.message.contains("overlaps") == true)
    }

    @Test func `limits on depth, objects and bytes hold, through shared objects too`() throws {
        /// Nested arrays, each a separate object.
        func nested(_ depth: Int) -> [[UInt8]] {
            (1..<depth).map { [0xa1, UInt8($0 >> 8), UInt8($0 & 0xff)] } + [[0xa0]]
        }
        #expect(throws: Never.self) { try BinaryReader.read(BinaryFile.of(nested(512), referenceWidth: 2)) }
        let deep = #expect(throws: PropertyListError.self) {
            try BinaryReader.read(BinaryFile.of(nested(513), referenceWidth: 2))
        }
        #expect(deep?.code == .tooDeep)
        // The array that holds itself a level deeper is finished first and met again deeper.
        let shared = BinaryFile.of([[0xa2, 1, 2], [0xa1, 4], [0xa1, 3], [0xa1, 1], [0xa0]])
        let limits = Limits(bytes: 1000, depth: 5, objects: 9)
        #expect(throws: Never.self) { try BinaryReader.read(shared, limits: limits) }
        #expect(
            #expect(throws: PropertyListError.self) {
                try BinaryReader.read(shared, limits: Limits(bytes: 1000, depth: 4, objects: 9))
            }?.code == .tooDeep)
        #expect(
            #expect(throws: PropertyListError.self) {
                try BinaryReader.read(shared, limits: Limits(bytes: 1000, depth: 5, objects: 6))
            }?.code == .tooManyObjects)
        #expect(
            #expect(throws: PropertyListError.self) {
                try BinaryReader.read(shared, limits: Limits(bytes: 50, depth: 5, objects: 9))
            }?.code == .tooLarge)
    }

    @Test func `every field of header and trailer is checked`() {
        let good = BinaryFile.of([[0x09]])
        #expect(throws: Never.self) { try BinaryReader.read(good) }
        for (offset, byte) in [
            (0, 0x42), (6, 0x31), (7, 0x31), (good.count - 26, 0), (good.count - 26, 9), (good.count - 25, 0),
            (good.count - 25, 9), (good.count - 17, 0), (good.count - 17, 2), (good.count - 24, 0x80),
            (good.count - 9, 1), (good.count - 16, 0xff), (good.count - 1, 0), (good.count - 1, 200),
            (good.count - 8, 0xff), (9, 7), (9, 9), (9, 0xff),
        ] as [(Int, UInt8)] {
            var bad = good
            bad[offset] = byte
            #expect(throws: PropertyListError.self, "byte \(offset) = \(byte)") { try BinaryReader.read(bad) }
        }
        for bad in [[], Array("bplist00".utf8), Array("bplist".utf8), Array("{}".utf8)] {
            #expect(throws: PropertyListError.self) { try BinaryReader.read(bad) }
        }
    }
}
