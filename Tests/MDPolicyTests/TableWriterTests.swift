import MDPropertyList
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Bytes on their way through the buffer of a table's writer.
struct TableWriterTests {
    @Test(arguments: 4_070..<4_100) func `keeps what stands across the end of its room`(_ start: Int) {
        var writer = TableWriter()
        writer.raw([UInt8](repeating: 1, count: start))
        writer.long(0x0807_0605_0403_0201)
        writer.byte(9)
        writer.count(300)
        writer.word(0x0403_0201)
        writer.text("abc")
        #expect(writer.size == start + 19)
        let bytes = writer.finish()
        #expect(bytes.count == start + 19)
        #expect(bytes.prefix(start).allSatisfy { $0 == 1 })
        #expect(
            Array(bytes.dropFirst(start)) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0xac, 2, 1, 2, 3, 4, 3, 0x61, 0x62, 0x63])
    }

    @Test(arguments: [0, 1, 4_091, 4_092, 4_093, 4_096, 4_097, 10_000])
    func `writes the length of what follows, wherever its place is by then`(_ count: Int) {
        for before in [0, 4_089, 4_090, 4_092, 4_093, 4_096] {
            var writer = TableWriter()
            for _ in 0..<before { writer.byte(7) }
            let start = writer.reserveLength()
            writer.raw([UInt8](repeating: 5, count: count))
            writer.fill(start)
            let length = (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
            #expect(
                writer.finish() == [UInt8](repeating: 7, count: before) + length + [UInt8](repeating: 5, count: count))
        }
    }

    @Test(
        arguments: [
            (0, [0]), (1, [1]), (0x7f, [0x7f]), (0x80, [0x80, 1]), (0x3fff, [0xff, 0x7f]), (0x4000, [0x80, 0x80, 1]),
            (Int.max, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
            (-1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
        ] as [(Int, [UInt8])])
    func `writes numbers by seven bits`(_ number: Int, _ expected: [UInt8]) {
        var writer = TableWriter()
        writer.count(number)
        #expect(writer.finish() == expected)
    }

    @Test func `keeps long texts and writes over what is there`() {
        var writer = TableWriter()
        let text = String(repeating: "ä", count: 5_000)
        writer.byte(0)
        writer.text(text)
        writer.byte(0xff)
        writer.replace(at: 0, with: [3])
        #expect(writer.finish() == [3, 0x90, 0x4e] + Array(text.utf8) + [0xff])
        #expect(writer.size == 0)
    }
}
