/// Reads JSON in the plainest form in which this program writes it, without allocating anything: no blanks between
/// tokens, texts of printable ASCII characters without escapes, whole numbers.
///
/// A reader leaves any other form to the parser. What this reads, the parser would accept and read alike.
package struct PlainScanner {
    /// The most digits of a whole number.
    @usableFromInline static let mostDigits = 15

    /// The text that has the tokens.
    package let bytes: [UInt8]
    /// The next byte.
    package var index: Int
    /// The end of what may be read.
    package let end: Int

    /// Makes a scanner at a place in a text.
    @inlinable
    package init(_ bytes: [UInt8], from start: Int, to end: Int) {
        (self.bytes, index, self.end) = (bytes, max(start, 0), min(end, bytes.count))
    }

    /// Whether a place has a word.
    @inlinable
    package func `is`(_ word: [UInt8], at place: Range<Int>) -> Bool {
        guard word.count == place.count else { return false }
        for offset in word.indices where bytes[place.lowerBound + offset] != word[offset] { return false }
        return true
    }

    /// Passes over a piece, if it is there.
    @inlinable
    package mutating func skip(_ piece: [UInt8]) -> Bool {
        guard end - index >= piece.count else { return false }
        for offset in piece.indices where bytes[index + offset] != piece[offset] { return false }
        index += piece.count
        return true
    }

    /// Passes over a character of ASCII, if it is there.
    @inlinable
    @inline(__always)
    package mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard index < end, UInt32(bytes[index]) == character.value else { return false }
        index += 1
        return true
    }

    /// Reads the name of a member, of up to eight letters, and its colon.
    ///
    /// - Returns: the letters as one number, the last one lowest.
    @inlinable
    @inline(__always)
    package mutating func name() -> UInt64? {
        guard index < end, bytes[index] == UInt8(ascii: "\"") else { return nil }
        var (letters, next): (UInt64, Int) = (0, index + 1)
        while next < end, next - index <= 9 {
            let byte = bytes[next]
            if byte == UInt8(ascii: "\"") {
                guard next + 1 < end, bytes[next + 1] == UInt8(ascii: ":") else { return nil }
                index = next + 2
                return letters
            }
            // No other byte can make a number that another name has, and an escape may be for any letter.
            guard byte > 0x20, byte != UInt8(ascii: "\\"), next - index <= 8 else { return nil }
            letters = letters << 8 | UInt64(byte)
            next += 1
        }
        return nil
    }

    /// Reads a text with its quotes; the place without the quotes.
    @inlinable
    @inline(__always)
    package mutating func text() -> Range<Int>? {
        guard index < end, bytes[index] == UInt8(ascii: "\"") else { return nil }
        let start = index + 1
        var next = start
        // Eight bytes at once, to find the first that ends the text.
        while end - next >= 8 {
            // Eight bytes are there, because the end is within the array, and they are read while it is alive.
            let word = unsafe bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: next, as: UInt64.self).littleEndian
            let stops = PlainScanner.stops(in: word)
            if stops != 0 {
                next += stops.trailingZeroBitCount / 8
                return close(start, next)
            }
            next += 8
        }
        while next < end {
            if bytes[next] == UInt8(ascii: "\"") { return close(start, next) }
            if bytes[next] < 0x20 || bytes[next] >= 0x7f || bytes[next] == UInt8(ascii: "\\") { return nil }
            next += 1
        }
        return nil
    }

    /// Ends a text at a quote; `nil` if there is another character that needs the parser.
    @inlinable
    mutating func close(_ start: Int, _ end: Int) -> Range<Int>? {
        guard bytes[end] == UInt8(ascii: "\"") else { return nil }
        index = end + 1
        return start..<end
    }

    /// The upper bit of each byte that is a quote, a backslash or no printable character of ASCII; bits above the lowest
    /// one may be wrong.
    @inlinable
    static func stops(in word: UInt64) -> UInt64 {
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let (quote, backslash) = (word ^ ones &* 0x22, word ^ ones &* 0x5c)
        let (control, delete) = (word &- ones &* 0x20, word ^ ones &* 0x7f)
        let found =
            (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (delete &- ones) & ~delete | control & ~word
        return (found | word) & highs
    }

    /// Reads a whole number that is not negative, as it is written.
    @inlinable
    @inline(__always)
    package mutating func number() -> Int? {
        let start = index
        var number = 0
        while index < end, index - start <= PlainScanner.mostDigits, (0x30...0x39).contains(bytes[index]) {
            number = number &* 10 &+ Int(bytes[index] &- 0x30)
            index += 1
        }
        let count = index - start
        // No other number than zero begins with it.
        guard (1...PlainScanner.mostDigits).contains(count), count == 1 || bytes[start] != 0x30 else { return nil }
        return number
    }

    /// Reads a text, a truth value or a whole number; the place of all of it.
    @inlinable
    package mutating func value() -> Range<Int>? {
        let start = index
        guard index < end else { return nil }
        switch bytes[index] {
        case UInt8(ascii: "\""): return text() == nil ? nil : start..<index
        case UInt8(ascii: "t"): return skip("t") && skip("r") && skip("u") && skip("e") ? start..<index : nil
        case UInt8(ascii: "f"):
            return skip("f") && skip("a") && skip("l") && skip("s") && skip("e") ? start..<index : nil
        case UInt8(ascii: "-"):
            index += 1
            // Zero has no sign.
            guard let number = number(), number > 0 else { return nil }
            return start..<index
        default: return number() == nil ? nil : start..<index
        }
    }

    /// Reads the members of a reference to a policy, after its first brace, and its last brace.
    @inlinable
    package mutating func policy() -> Bool {
        if skip("}") { return true }
        let order = PolicyMember.order
        var next = 0
        repeat {
            guard let name = name(), let place = order.place(of: name, from: next) else { return false }
            switch order.members[place] {
            case .id, .file: if text() == nil { return false }
            case .line: if number() == nil { return false }
            case .sha256: if !digest() { return false }
            }
            next = place + 1
        } while skip(",")
        return skip("}")
    }

    /// Passes over a value of any kind, also one whose texts need the parser.
    ///
    /// - Returns: the place of all of it; `nil` if there is none, or one with blanks.
    package mutating func anyValue() -> Range<Int>? {
        let start = index
        guard index < end else { return nil }
        switch bytes[index] {
        case UInt8(ascii: "\""): return anyText() ? start..<index : nil
        case UInt8(ascii: "{"), UInt8(ascii: "["): return container() ? start..<index : nil
        default:
            while index < end, PlainScanner.isOfNumberOrWord(bytes[index]) { index += 1 }
            return index > start ? start..<index : nil
        }
    }

    /// Passes over a text, which may have escapes and characters that are not of ASCII.
    private mutating func anyText() -> Bool {
        if text() != nil { return true }
        index += 1
        while index < end {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return true
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return false
    }

    /// Passes over an object or an array.
    private mutating func container() -> Bool {
        var depth = 0
        while index < end {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                guard anyText() else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case 0...0x20: return false
            default: break
            }
            index += 1
            if depth == 0 { return true }
        }
        return false
    }

    /// Whether a byte can be part of a number or of a word.
    private static func isOfNumberOrWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"),
            UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// Reads a digest of 64 small hexadecimal digits.
    @inlinable
    mutating func digest() -> Bool {
        guard let digits = text(), digits.count == 64 else { return false }
        for index in digits where !(0x30...0x39).contains(bytes[index]) && !(0x61...0x66).contains(bytes[index]) {
            return false
        }
        return true
    }
}
