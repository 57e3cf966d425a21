import MDTestSupport

@testable import MDPropertyList

/// Makes values of every type, with the numbers and characters that codecs stumble over.
enum RandomValue {
    /// A value of at most some levels.
    static func make(depth: Int, using random: inout SplitMix) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &random) {
        case 0: return .boolean(.random(using: &random))
        case 1: return .integer(integer(using: &random))
        case 2: return .real(real(using: &random))
        case 3: return .date(Double(Int.random(in: -60_000_000_000...200_000_000_000, using: &random)))
        case 4:
            let count = [0, 1, 2, 3, 14, 15, 16, 255, 256][Int.random(in: 0..<9, using: &random)]
            return .data((0..<count).map { _ in .random(in: 0...255, using: &random) })
        case 5, 6: return .string(text(using: &random))
        case 7: return .array((0..<count(using: &random)).map { _ in make(depth: depth - 1, using: &random) })
        default:
            var values: [Key: Value] = [:]
            for _ in 0..<count(using: &random) {
                values[Key(text(using: &random))] = make(depth: depth - 1, using: &random)
            }
            return .dictionary(values)
        }
    }

    /// A number of elements, mostly small.
    private static func count(using random: inout SplitMix) -> Int {
        [0, 1, 1, 2, 3, 5, 14, 15, 16, 40][Int.random(in: 0..<10, using: &random)]
    }

    /// A number of any size, or one at a border.
    private static func integer(using random: inout SplitMix) -> Integer {
        let borders: [Integer] = [
            Integer(0), Integer(-1), Integer(255), Integer(256), Integer(65_535), Integer(65_536), Integer(Int64.max),
            Integer(Int64.min), Integer(UInt64.max), Integer(UInt64(Int64.max) + 1), Integer(4_294_967_295),
            Integer(4_294_967_296), Integer(-2_147_483_649), Integer(9_007_199_254_740_993),
        ]
        if .random(using: &random) { return borders[Int.random(in: 0..<borders.count, using: &random)] }
        return Integer(Int64(bitPattern: random.next() >> UInt64.random(in: 0..<64, using: &random)))
    }

    /// Any bits, or a number that people write.
    private static func real(using random: inout SplitMix) -> Double {
        let usual = [
            0, -0.0, 1, 0.1, 1.5, 1e20, 1e-7, .leastNonzeroMagnitude, .infinity, -.infinity, .nan, 1e16, 123_456.0,
        ]
        if .random(using: &random) { return usual[Int.random(in: 0..<usual.count, using: &random)] }
        let value = Double(bitPattern: random.next())
        return value.isNaN ? .nan : value
    }

    /// A text of ASCII, control and wide characters.
    private static func text(using random: inout SplitMix) -> String {
        let pieces: [String] = [
            "a", "Key", "$date", "$", "\"", "\\", "\n", "\u{0}", "\u{1b}[31m", "\u{e9}", "e\u{301}", "\u{1f600}",
            "\u{202e}", "\u{2028}", "\u{feff}", "\u{7f}", "\u{9b}", "0123456789abcdef", "\u{ffff}", "/", " ",
        ]
        let count = [0, 1, 1, 1, 2, 3, 8][Int.random(in: 0..<7, using: &random)]
        return (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }.joined()
    }
}

/// A text in which `❶` marks the position of the expected error.
struct MarkedText {
    /// The text without the mark.
    let bytes: [UInt8]
    /// The position of the mark, or `nil` if there is none.
    let position: Position?

    /// Removes the mark from a text.
    init(_ text: String) {
        let parts = text.split(separator: "❶", maxSplits: 1, omittingEmptySubsequences: false)
        bytes = Array(parts.joined().utf8)
        position = parts.count == 2 ? SourceText(unchecked: bytes).position(at: parts[0].utf8.count) : nil
    }

    /// The error that a reader finds, or `nil`.
    func error(_ read: ([UInt8]) throws(PropertyListError) -> Document) -> PropertyListError? {
        do throws(PropertyListError) {
            _ = try read(bytes)
            return nil
        } catch {
            return error
        }
    }
}

/// Puts binary property lists together by hand, broken ones too.
enum BinaryFile {
    /// Makes a file of objects; the first is the root.
    static func of(_ objects: [[UInt8]], referenceWidth: UInt8 = 1) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        let width = table > 0xffff ? 4 : table > 0xff ? 2 : 1
        for offset in offsets { bytes += bigEndian(offset, width: width) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(width), referenceWidth]
        return bytes + bigEndian(objects.count, width: 8) + bigEndian(0, width: 8) + bigEndian(table, width: 8)
    }

    /// The bytes of a number.
    private static func bigEndian(_ number: Int, width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
