import MDPlatform

/// Why a report could not be read, with its place.
package struct ReportFault: Error, Hashable, Sendable {
    /// What is wrong, without a full stop.
    package let message: String
    /// The line, counted from 1; 0 if the fault is not in a line.
    package let line: Int
    /// The byte in the line, counted from 1.
    package let column: Int

    package init(_ message: String, line: Int = 0, column: Int = 0) {
        (self.message, self.line, self.column) = (message, line, column)
    }
}

/// Reads JSON (RFC 8259) from its beginning to its end without building a tree: what is not asked for is checked and
/// passed over.
///
/// Every length, depth and number is bounded. The bytes are valid only within the closure of ``read(_:_:)``.
@safe struct ReportCursor {
    /// The most arrays and objects inside each other.
    private static let deepest = 64

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var depth = 0

    private init(_ bytes: UnsafeRawBufferPointer) {
        // The caller's closure ends before the bytes do.
        unsafe self.bytes = bytes
    }

    /// Reads a whole text.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - body: reads the one value of the text.
    /// - Returns: what `body` returned.
    /// - Throws: the first fault.
    static func read<Result>(
        _ bytes: [UInt8], _ body: (inout ReportCursor) throws(ReportFault) -> Result
    ) throws(ReportFault) -> Result {
        // A closure of the standard library passes on any error, so the outcome is a value.
        let outcome: Swift.Result<Result, ReportFault> = unsafe bytes.withUnsafeBytes { bytes in
            var cursor = unsafe ReportCursor(bytes)
            do throws(ReportFault) {
                let result = try body(&cursor)
                cursor.skipBlanks()
                guard cursor.next == nil else { throw cursor.fault("something follows the end of the report") }
                return .success(result)
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// The next byte; `nil` at the end.
    private var next: UInt8? { unsafe offset < bytes.count ? bytes[offset] : nil }

    /// A fault at the next byte.
    func fault(_ message: String) -> ReportFault {
        let message = next == nil ? "the report ends too early" : message
        var (line, start) = (1, 0)
        for index in unsafe 0..<min(offset, bytes.count) where unsafe bytes[index] == 0x0a {
            line += 1
            start = index + 1
        }
        return ReportFault(message, line: line, column: offset - start + 1)
    }

    // MARK: Values

    /// Reads an object, member after member; `body` reads or skips the value of each.
    mutating func object(_ body: (inout ReportCursor, String) throws(ReportFault) -> Void) throws(ReportFault) {
        try open(UInt8(ascii: "{"), "an object is missing here")
        if close(UInt8(ascii: "}")) { return }
        repeat {
            skipBlanks()
            let name = try string(limit: 256)
            skipBlanks()
            guard next == UInt8(ascii: ":") else { throw fault("a colon is missing here") }
            offset += 1
            try body(&self, name)
        } while try isContinued(UInt8(ascii: "}"))
    }

    /// Reads an array, element after element.
    mutating func array(_ body: (inout ReportCursor) throws(ReportFault) -> Void) throws(ReportFault) {
        try open(UInt8(ascii: "["), "an array is missing here")
        if close(UInt8(ascii: "]")) { return }
        repeat { try body(&self) } while try isContinued(UInt8(ascii: "]"))
    }

    /// Reads a string of at most so many bytes.
    mutating func string(limit: Int = 4_096) throws(ReportFault) -> String {
        skipBlanks()
        let start = offset
        let isPlain = try skipString()
        let (first, end) = (start + 1, offset - 1)
        guard end - first <= limit else {
            offset = start
            throw fault("this text has more than \(limit) bytes")
        }
        // The range lies within the bytes, as the two quotes do.
        let content = unsafe UnsafeRawBufferPointer(rebasing: bytes[first..<end])
        guard let text = unsafe isPlain ? String(validating: content, as: UTF8.self) : unescaped(content) else {
            offset = start
            throw fault("this text is not valid UTF-8")
        }
        return text
    }

    /// Reads a whole number from 0 on.
    mutating func count() throws(ReportFault) -> Int {
        skipBlanks()
        let start = offset
        var value = 0
        while let byte = next, (0x30...0x39).contains(byte), offset - start < 16 {
            value = value * 10 + Int(byte - 0x30)
            offset += 1
        }
        let isWhole = next.map { !($0 == 0x2e || $0 | 0x20 == 0x65 || (0x30...0x39).contains($0)) } ?? true
        guard offset > start, isWhole, value <= 1 << 53 else {
            offset = start
            throw fault("a whole number from 0 to 2^53 is missing here")
        }
        return value
    }

    /// Reads `true` or `false`.
    mutating func boolean() throws(ReportFault) -> Bool {
        skipBlanks()
        if take("true") { return true }
        if take("false") { return false }
        throw fault("true or false is missing here")
    }

    /// Passes over any value.
    mutating func skip() throws(ReportFault) {
        skipBlanks()
        switch next {
        case UInt8(ascii: "\""): _ = try skipString()
        case UInt8(ascii: "{"):
            offset += 1
            try descend()
            if close(UInt8(ascii: "}")) { return }
            repeat {
                skipBlanks()
                _ = try skipString()
                skipBlanks()
                guard next == UInt8(ascii: ":") else { throw fault("a colon is missing here") }
                offset += 1
                try skip()
            } while try isContinued(UInt8(ascii: "}"))
        case UInt8(ascii: "["):
            offset += 1
            try descend()
            if close(UInt8(ascii: "]")) { return }
            repeat { try skip() } while try isContinued(UInt8(ascii: "]"))
        case let byte? where byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte): try skipNumber()
        default:
            guard take("true") || take("false") || take("null") else { throw fault("a value is missing here") }
        }
    }

    /// Passes over any value of at most so many bytes and returns these.
    mutating func value(limit: Int) throws(ReportFault) -> [UInt8] {
        skipBlanks()
        let start = offset
        try skip()
        guard offset - start <= limit else {
            offset = start
            throw fault("this has more than \(limit) bytes")
        }
        // The range was read, so it lies within the bytes.
        return unsafe Array(bytes[start..<offset])
    }

    /// Passes over any value and returns the digest of its bytes.
    mutating func digest() throws(ReportFault) -> Digest {
        skipBlanks()
        let start = offset
        try skip()
        var hash = SHA256()
        // The range was read, so it lies within the bytes.
        unsafe hash.update(UnsafeRawBufferPointer(rebasing: bytes[start..<offset]))
        return hash.finish()
    }

    // MARK: Parts

    private mutating func open(_ bracket: UInt8, _ message: String) throws(ReportFault) {
        skipBlanks()
        guard next == bracket else { throw fault(message) }
        offset += 1
        try descend()
    }

    private mutating func descend() throws(ReportFault) {
        depth += 1
        guard depth <= ReportCursor.deepest else {
            throw fault("more than \(ReportCursor.deepest) arrays and objects are inside each other here")
        }
    }

    /// Whether the bracket that closes comes next; then it is read.
    private mutating func close(_ bracket: UInt8) -> Bool {
        skipBlanks()
        guard next == bracket else { return false }
        offset += 1
        depth -= 1
        return true
    }

    /// Whether a comma comes next; else the bracket that closes must.
    private mutating func isContinued(_ bracket: UInt8) throws(ReportFault) -> Bool {
        if close(bracket) { return false }
        guard next == UInt8(ascii: ",") else {
            throw fault("a comma is missing here")
        }
        offset += 1
        return true
    }

    /// Reads a word, if it comes next.
    private mutating func take(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard unsafe offset + count <= bytes.count else { return false }
        for index in 0..<count {
            // Both indices are below the counts; a static string is plain bytes.
            guard unsafe bytes[offset + index] == word.utf8Start[index] else { return false }
        }
        offset += count
        return true
    }

    @inline(__always)
    private mutating func skipBlanks() {
        let count = unsafe bytes.count
        while offset < count {
            let byte = unsafe bytes[offset]
            guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { return }
            offset += 1
            // Indented lines begin with many blanks; eight bytes are left where they are loaded.
            while count - offset >= 8,
                unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) == 0x2020_2020_2020_2020
            {
                offset += 8
            }
        }
    }

    /// Passes over a string; returns whether it has no escapes.
    private mutating func skipString() throws(ReportFault) -> Bool {
        guard next == UInt8(ascii: "\"") else {
            throw fault("a text in quotes is missing here")
        }
        offset += 1
        var isPlain = true
        while true {
            while unsafe bytes.count - offset >= 8 {
                // Eight bytes are left.
                let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let ends = ReportCursor.ends(in: word)
                offset += ends.trailingZeroBitCount / 8
                if ends != 0 { break }
            }
            guard let byte = next else { throw fault("the report ends too early") }
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return isPlain
            case UInt8(ascii: "\\"):
                isPlain = false
                try skipEscape()
            case 0..<0x20: throw fault("a control character stands in a text here")
            default: offset += 1
            }
        }
    }

    /// Finds a quote, a backslash or a control character among eight bytes.
    ///
    /// The result is zero if there is none. Otherwise the lowest bit that is set belongs to the first such byte.
    @inline(__always)
    private static func ends(in word: UInt64) -> UInt64 {
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let (quotes, escapes) = (word ^ (ones &* 0x22), word ^ (ones &* 0x5c))
        // The lowest bit of each difference is exact; those above may follow from a borrow.
        let zeros = (quotes &- ones) & ~quotes | (escapes &- ones) & ~escapes | (word &- (ones &* 0x20)) & ~word
        return zeros & highs
    }

    private mutating func skipEscape() throws(ReportFault) {
        offset += 1
        switch next {
        case UInt8(ascii: "u"):
            for _ in 0..<4 {
                offset += 1
                guard let digit = next, ReportCursor.value(ofDigit: digit) != nil else {
                    throw fault("four hexadecimal digits are missing here")
                }
            }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            break
        default: throw fault("this is no escape of JSON")
        }
        offset += 1
    }

    private mutating func skipNumber() throws(ReportFault) {
        if next == UInt8(ascii: "-") { offset += 1 }
        let first = offset
        try skipDigits()
        // `first` is the place of a digit.
        if unsafe bytes[first] == 0x30, offset - first > 1 { throw fault("a number begins with 0 here") }
        if next == 0x2e {
            offset += 1
            try skipDigits()
        }
        if let byte = next, byte | 0x20 == 0x65 {
            offset += 1
            if next == 0x2b || next == 0x2d { offset += 1 }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(ReportFault) {
        let first = offset
        while let byte = next, (0x30...0x39).contains(byte) { offset += 1 }
        if offset == first { throw fault("a digit is missing here") }
    }

    private static func value(ofDigit byte: UInt8) -> UInt16? {
        switch byte {
        case 0x30...0x39: UInt16(byte - 0x30)
        case 0x41...0x46: UInt16(byte - 0x37)
        case 0x61...0x66: UInt16(byte - 0x57)
        default: nil
        }
    }

    /// The text of a string with escapes, whose form was checked; `nil` for half a surrogate pair and for invalid
    /// UTF-8.
    private func unescaped(_ content: UnsafeRawBufferPointer) -> String? {
        var units: [UInt8] = []
        var index = 0
        /// Reads the four digits behind `\u`.
        func unit(_ start: Int) -> UInt16 {
            (0..<4).reduce(0) { unsafe $0 << 4 | (ReportCursor.value(ofDigit: content[start + $1]) ?? 0) }
        }
        while index < content.count {
            let byte = unsafe content[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < content.count else {
                units.append(byte)
                continue
            }
            let letter = unsafe content[index]
            index += 1
            switch letter {
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0c)
            case UInt8(ascii: "n"): units.append(0x0a)
            case UInt8(ascii: "r"): units.append(0x0d)
            case UInt8(ascii: "t"): units.append(0x09)
            case UInt8(ascii: "u"):
                guard index + 4 <= content.count else { return nil }
                var pair = [unit(index)]
                index += 4
                if UTF16.isLeadSurrogate(pair[0]) {
                    guard index + 6 <= content.count, unsafe content[index] == UInt8(ascii: "\\"),
                        unsafe content[index + 1] == UInt8(ascii: "u")
                    else { return nil }
                    pair.append(unit(index + 2))
                    index += 6
                }
                guard let text = String(validating: pair, as: UTF16.self) else { return nil }
                units += Array(text.utf8)
            default: units.append(letter)
            }
        }
        return String(validating: units, as: UTF8.self)
    }
}
