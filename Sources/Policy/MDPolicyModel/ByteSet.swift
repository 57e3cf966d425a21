import MDPlatform

/// The bytes that `[…]` of a glob names; ASCII letters are stored in lower case.
package struct ByteSet: Hashable, Sendable {
    /// One bit for each byte value.
    private var words: [UInt64] = [0, 0, 0, 0]
    /// Whether the set holds every byte that was not named.
    private let isNegated: Bool

    /// Parses a set such as `[a-f0-9]` or `[!x]`; `nil` if it never ends or a range runs backwards.
    ///
    /// - Parameters:
    ///   - pattern: the bytes of the glob.
    ///   - index: the index of the `[`; afterwards, of its `]`.
    package init?(pattern: [UInt8], from index: inout Int) {
        var cursor = index + 1
        let negations = [UInt8(ascii: "!"), UInt8(ascii: "^")]
        isNegated = cursor < pattern.count && negations.contains(pattern[cursor])
        if isNegated { cursor += 1 }
        let first = cursor
        while cursor < pattern.count {
            let low = pattern[cursor]
            // A `]` directly after the opening is a member, as in every shell.
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
    package func contains(_ byte: UInt8) -> Bool {
        (words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1) != isNegated
    }

    /// Adds a byte.
    private mutating func insert(_ byte: UInt8) {
        let byte = ByteSet.lowercase(byte)
        words[Int(byte >> 6)] |= 1 << UInt64(byte & 63)
    }

    /// An ASCII letter in lower case; any other byte unchanged.
    package static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension String {
    /// Whether the text is empty or consists of whitespace only.
    package var isBlank: Bool {
        unicodeScalars.allSatisfy { $0.properties.isWhitespace || Printable.isHidden($0) }
    }

    /// Whether each byte of the UTF-8 satisfies a condition.
    ///
    /// Names are checked by the hundred thousand; iterating a `UTF8View` would ask for contiguous storage at each byte.
    @inline(__always)
    package func hasOnlyBytes(_ isFit: (UInt8) -> Bool) -> Bool {
        // The bytes are valid for the duration of the closure.
        let answer = unsafe utf8.withContiguousStorageIfAvailable { bytes in
            var index = 0
            while index < bytes.count, unsafe isFit(bytes[index]) { index += 1 }
            return index == bytes.count
        }
        return answer ?? utf8.allSatisfy(isFit)
    }
}
