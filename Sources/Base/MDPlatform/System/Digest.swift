/// The result of SHA-256: 32 bytes, held without an allocation.
package struct Digest: Sendable {
    /// How many bytes a digest has.
    package static let byteCount = 32

    /// The digest as eight big-endian words, in order.
    let words: InlineArray<8, UInt32>

    /// Makes a digest of its eight words.
    init(words: InlineArray<8, UInt32>) {
        self.words = words
    }

    /// Makes a digest of its 32 bytes; `nil` for any other count.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Digest.byteCount else { return nil }
        var words = InlineArray<8, UInt32>(repeating: 0)
        for (index, byte) in bytes.enumerated() { words[index / 4] = words[index / 4] &<< 8 | UInt32(byte) }
        self.words = words
    }

    /// Reads 32 bytes at an offset; `nil` if there are fewer from the offset on.
    package init?(_ bytes: [UInt8], at offset: Int) {
        guard offset >= 0, offset <= bytes.count, bytes.count - offset >= Digest.byteCount else { return nil }
        var words = InlineArray<8, UInt32>(repeating: 0)
        for index in 0..<Digest.byteCount { words[index / 4] = words[index / 4] &<< 8 | UInt32(bytes[offset + index]) }
        self.words = words
    }

    /// Makes a digest of 64 hexadecimal digits, small or capital; `nil` for any other text.
    package init?(hex text: String) { self.init(hex: text.utf8.span) }

    /// Makes a digest of 64 hexadecimal digits in ASCII, small or capital; `nil` for anything else.
    package init?(hex digits: Span<UInt8>) {
        guard digits.count == 2 * Digest.byteCount else { return nil }
        var words = InlineArray<8, UInt32>(repeating: 0)
        var areDigits = true
        for index in words.indices {
            // Within the bounds that were checked above; the bytes are read while the span is valid.
            let eight = unsafe digits.bytes.unsafeLoadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)
            let (word, isWord) = Digest.word(ofDigits: eight.bigEndian)
            words[index] = word
            areDigits = areDigits && isWord
        }
        guard areDigits else { return nil }
        self.words = words
    }

    /// The 32 bytes.
    package var bytes: [UInt8] {
        // The buffer has room for each of the 32 bytes, and all of them are written.
        unsafe [UInt8](unsafeUninitializedCapacity: Digest.byteCount) { bytes, count in
            unsafe store(in: UnsafeMutableRawBufferPointer(bytes), at: 0)
            count = Digest.byteCount
        }
    }

    /// The bytes as 64 small hexadecimal digits.
    package var hex: String {
        // The buffer has room for each of the 64 digits, and all of them are written.
        unsafe String(unsafeUninitializedCapacity: 2 * Digest.byteCount) { digits in
            for index in words.indices {
                let eight = Digest.digits(of: words[index]).bigEndian
                unsafe UnsafeMutableRawBufferPointer(digits).storeBytes(
                    of: eight, toByteOffset: 8 * index, as: UInt64.self)
            }
            return 2 * Digest.byteCount
        }
    }

    /// Writes the 32 bytes, for which there must be room.
    func store(in buffer: UnsafeMutableRawBufferPointer, at place: Int) {
        for index in words.indices {
            unsafe buffer.storeBytes(of: words[index].bigEndian, toByteOffset: place + 4 * index, as: UInt32.self)
        }
    }

    /// Appends the bytes as 64 small hexadecimal digits in ASCII.
    package func appendHex(to bytes: inout [UInt8]) {
        for index in words.indices {
            // The eight bytes are read while they are lent.
            unsafe withUnsafeBytes(of: Digest.digits(of: words[index]).bigEndian) {
                unsafe bytes.append(contentsOf: $0)
            }
        }
    }

    /// Decodes eight hexadecimal digits in ASCII; the first digit becomes the highest four bits.
    ///
    /// Also returns whether all eight are digits.
    ///
    /// All eight are decoded together: their values are random, so that a branch per digit would often be predicted
    /// wrongly.
    private static func word(ofDigits text: UInt64) -> (word: UInt32, areDigits: Bool) {
        let (ones, tops) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        // A byte below 128 plus 128 minus a bound has its top bit set if it is not below that bound.
        let small = text & ~tops
        let isFromZero = small &+ ones &* (128 - 0x30)
        let isBeyondNine = small &+ ones &* (128 - 0x3a)
        let lower = small | ones &* 0x20
        let isFromA = lower &+ ones &* (128 - 0x61)
        let isBeyondF = lower &+ ones &* (128 - 0x67)
        let areDigits = (isFromZero & ~isBeyondNine | isFromA & ~isBeyondF) & ~text & tops
        // A letter has bit 6, which a digit lacks; its low four bits begin with 1.
        let letters = small >> 6 & ones
        var halves = (small & 0x0f0f_0f0f_0f0f_0f0f) &+ letters &* 9
        halves = (halves | halves >> 4) & 0x00ff_00ff_00ff_00ff
        halves = (halves | halves >> 8) & 0x0000_ffff_0000_ffff
        return (UInt32(truncatingIfNeeded: halves | halves >> 16), areDigits == tops)
    }

    /// The eight hexadecimal digits of a word in ASCII, the first one in the highest byte.
    private static func digits(of word: UInt32) -> UInt64 {
        var halves = UInt64(word)
        halves = (halves | halves << 16) & 0x0000_ffff_0000_ffff
        halves = (halves | halves << 8) & 0x00ff_00ff_00ff_00ff
        halves = (halves | halves << 4) & 0x0f0f_0f0f_0f0f_0f0f
        // Six more than nine is sixteen: bit 4 of the sum shows which digits are letters.
        let letters = (halves &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return halves &+ 0x3030_3030_3030_3030 &+ letters &* UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
    }
}

extension Digest: Hashable {
    /// Whether both digests have the same 32 bytes.
    package static func == (left: Digest, right: Digest) -> Bool {
        left.words.indices.allSatisfy { left.words[$0] == right.words[$0] }
    }

    /// Feeds the first bytes, which are as random as the others, into the hasher.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(words[0])
        hasher.combine(words[1])
    }
}

extension Digest: CustomStringConvertible {
    /// The bytes in hexadecimal.
    package var description: String { hex }
}
