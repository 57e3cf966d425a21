import PropertyList

/// A source of numbers that gives the same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    /// The state.
    private var state: UInt64

    /// Makes a source.
    init(seed: UInt64) { state = seed }

    /// The next number.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

/// Makes values of every type, with the numbers and characters that codecs stumble over.
enum RandomValue {
    /// A value of at most some levels.
    static func make(depth: Int, using random: inout SeededGenerator) -> Value {
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
    private static func count(using random: inout SeededGenerator) -> Int {
        [0, 1, 1, 2, 3, 5, 14, 15, 16, 40][Int.random(in: 0..<10, using: &random)]
    }

    /// A number of any size, or one at a border.
    private static func integer(using random: inout SeededGenerator) -> Integer {
        let borders: [Integer] = [
            Integer(0), Integer(-1), Integer(255), Integer(256), Integer(65_535), Integer(65_536), Integer(Int64.max),
            Integer(Int64.min), Integer(UInt64.max), Integer(UInt64(Int64.max) + 1), Integer(4_294_967_295),
            Integer(4_294_967_296), Integer(-2_147_483_649), Integer(9_007_199_254_740_993),
        ]
        if .random(using: &random) { return borders[Int.random(in: 0..<borders.count, using: &random)] }
        return Integer(Int64(bitPattern: random.next() >> UInt64.random(in: 0..<64, using: &random)))
    }

    /// Any bits, or a number that people write.
    private static func real(using random: inout SeededGenerator) -> Double {
        let usual = [
            0, -0.0, 1, 0.1, 1.5, 1e20, 1e-7, .leastNonzeroMagnitude, .infinity, -.infinity, .nan, 1e16, 123_456.0,
        ]
        if .random(using: &random) { return usual[Int.random(in: 0..<usual.count, using: &random)] }
        let value = Double(bitPattern: random.next())
        return value.isNaN ? .nan : value
    }

    /// A text of ASCII, control and wide characters.
    private static func text(using random: inout SeededGenerator) -> String {
        let pieces: [String] = [
            "a", "Key", "$date", "$", "\"", "\\", "\n", "\u{0}", "\u{1b}[31m", "\u{e9}", "e\u{301}", "\u{1f600}",
            "\u{202e}", "\u{2028}", "\u{feff}", "\u{7f}", "\u{9b}", "0123456789abcdef", "\u{ffff}", "/", " ",
        ]
        let count = [0, 1, 1, 1, 2, 3, 8][Int.random(in: 0..<7, using: &random)]
        return (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }.joined()
    }
}
