import PropertyList
import Testing

struct BinaryWriterTests {
    @Test func `equal scalars are stored once, of different types apart`() throws {
        let bytes = try BinaryWriter.write(
            .array([.string("ab"), .string("ab"), .integer(1), .real(1), .boolean(true), .integer(1)]))
        #expect(
            bytes
                == BinaryFile.of([
                    [0xa6, 1, 1, 2, 3, 4, 2], [0x52, 0x61, 0x62], [0x10, 1], [0x23, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0],
                    [0x09],
                ]))
    }

    @Test func `keys are sorted by their bytes`() throws {
        let bytes = try BinaryWriter.write(
            .dictionary(["b": .boolean(true), "\u{e9}": .boolean(true), "B": .integer(7)]))
        #expect(
            bytes
                == BinaryFile.of([
                    [0xd3, 1, 2, 3, 4, 5, 5], [0x51, 0x42], [0x51, 0x62], [0x61, 0, 0xe9], [0x10, 7], [0x09],
                ]))
    }

    @Test func `widths grow with the number of objects and their size`() throws {
        for count in [254, 255, 256, 65_534, 65_535, 65_536] {
            let value = Value.array((0..<count).map { .integer($0) })
            let bytes = try BinaryWriter.write(value)
            #expect(try BinaryReader.read(bytes).root.value == value)
        }
    }

    @Test func `values deeper than readers accept are refused`() throws {
        var value = Value.array([])
        for _ in 1..<512 { value = .array([value]) }
        #expect(try BinaryReader.read(BinaryWriter.write(value)).root.value == value)
        let deeper = Value.array([value])
        #expect(throws: PropertyListError.self) { try BinaryWriter.write(deeper) }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `what is written reads back the same`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let value = RandomValue.make(depth: 4, using: &random)
        let bytes = try BinaryWriter.write(value)
        let document = try BinaryReader.read(bytes)
        #expect(document.root.value == value)
        #expect(try BinaryWriter.write(document.root.value) == bytes)
    }
}
