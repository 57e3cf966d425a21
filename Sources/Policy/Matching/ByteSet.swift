/// A set of bytes, as `[…]` in a glob names it; ASCII letters are in it in lower case.
struct ByteSet: Hashable, Sendable {
    /// One bit for each byte value.
    private var words: [UInt64] = [0, 0, 0, 0]
    /// Whether the set holds what was not named.
    private let isNegated: Bool

    /// Reads a set such as `[a-f0-9]` or `[!x]`; `nil` where it never ends or a range runs backwards.
    ///
    /// - Parameters:
    ///   - pattern: the bytes of the glob.
    ///   - index: where the `[` stands; afterwards, where its `]` stands.
    init?(pattern: [UInt8], from index: inout Int) {
        var cursor = index + 1
        let negations = [UInt8(ascii: "!"), UInt8(ascii: "^")]
        isNegated = cursor < pattern.count && negations.contains(pattern[cursor])
        if isNegated { cursor += 1 }
        let first = cursor
        while cursor < pattern.count {
            let low = pattern[cursor]
            // A bracket that comes first is a member, as in every shell.
            if low == UInt8(ascii: "]"), cursor > first {
                index = cursor
                return
            }
            if cursor + 2 < pattern.count, pattern[cursor + 1] == UInt8(ascii: "-"),
                pattern[cursor + 2] != UInt8(ascii: "]")
            {
                let high = pattern[cursor + 2]
                guard low <= high else { return nil }
                for byte in low...high { insert(byte) }
                cursor += 3
            } else {
                insert(low)
                cursor += 1
            }
        }
        return nil
    }

    /// Whether a byte, already in lower case, is in the set.
    func contains(_ byte: UInt8) -> Bool {
        (words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1) != isNegated
    }

    /// Adds a byte.
    private mutating func insert(_ byte: UInt8) {
        let byte = ByteSet.lowercase(byte)
        words[Int(byte >> 6)] |= 1 << UInt64(byte & 63)
    }

    /// An ASCII letter in lower case; any other byte as it is.
    static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
