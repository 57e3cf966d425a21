import MDPlatform

/// Unpacks data in the DEFLATE format (RFC 1951) from an untrusted source.
struct Inflate {
    /// The place of the next byte that is not among the bits.
    private var next: Int
    /// The place behind the last byte.
    private let end: Int
    /// Bits that were read and not used yet, the next one lowest.
    private var bits: UInt64 = 0
    /// The number of those bits.
    private var count = 0
    /// The number of bytes of the result.
    private var filled = 0

    /// Unpacks a part of some bytes, which must be used up.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - part: the part.
    ///   - size: the exact number of bytes of the result.
    /// - Returns: the result.
    /// - Throws: if the bytes are no such data, or become another number of bytes.
    static func unpack(_ bytes: [UInt8], in part: Range<Int>, size: Int) throws(Gunzip.Fault) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: size)
        var state = Inflate(next: part.lowerBound, end: part.upperBound)
        var output = result.mutableSpan
        var isLast = false
        while !isLast {
            state.fill(bytes.span)
            isLast = try state.take(1) == 1
            switch try state.take(2) {
            case 0: try state.copyStored(bytes.span, &output)
            case 1: try state.decode(bytes.span, &output, HuffmanTable.fixed)
            case 2: try state.decode(bytes.span, &output, try state.tables(bytes.span))
            default: throw Gunzip.Fault("it has a block of an unknown kind")
            }
        }
        guard state.next - state.count / 8 == part.upperBound else { throw Gunzip.Fault("something follows its end") }
        guard state.filled == size else { throw Gunzip.Fault("it has another size than it says") }
        return result
    }

    private init(next: Int, end: Int) { (self.next, self.end) = (next, end) }

    /// Reads bytes until there are at least 56 bits, or no bytes are left.
    @inline(__always) private mutating func fill(_ input: Span<UInt8>) {
        if end - next >= 8 {
            // Eight bytes from the place on are in the input, which has at least as many bytes as the end says.
            let eight = unsafe input.bytes.unsafeLoadUnaligned(fromByteOffset: next, as: UInt64.self).littleEndian
            bits |= eight << UInt64(count)
            next += (63 - count) >> 3
            count |= 56
            return
        }
        while count < 56, next < end {
            bits |= UInt64(input[next]) << UInt64(count)
            next += 1
            count += 8
        }
    }

    /// Takes bits, which must be there.
    @inline(__always) private mutating func take(_ number: Int) throws(Gunzip.Fault) -> Int {
        guard number <= count else { throw Gunzip.Fault("it is cut") }
        let value = Int(truncatingIfNeeded: bits & (1 << UInt64(number) - 1))
        bits >>= UInt64(number)
        count -= number
        return value
    }

    /// Takes a symbol.
    @inline(__always) private mutating func symbol(
        _ entries: Span<UInt16>, _ mask: UInt64
    ) throws(Gunzip.Fault) -> Int {
        let entry = entries[Int(truncatingIfNeeded: bits & mask)]
        let length = Int(entry & 15)
        guard length > 0 else { throw Gunzip.Fault("it has a code without a meaning") }
        guard length <= count else { throw Gunzip.Fault("it is cut") }
        bits >>= UInt64(length)
        count -= length
        return Int(entry >> 4)
    }

    /// Copies a block that is not packed.
    private mutating func copyStored(_ input: Span<UInt8>, _ output: inout MutableSpan<UInt8>) throws(Gunzip.Fault) {
        _ = try take(count & 7)
        fill(input)
        let (length, complement) = (try take(16), try take(16))
        guard length == complement ^ 0xffff else { throw Gunzip.Fault("it has a block of a damaged size") }
        next -= count / 8
        (bits, count) = (0, 0)
        guard length <= end - next else { throw Gunzip.Fault("it is cut") }
        guard length <= output.count - filled else { throw Gunzip.Fault("it has another size than it says") }
        for index in 0..<length { output[filled + index] = input[next + index] }
        next += length
        filled += length
    }

    /// Unpacks a block.
    private mutating func decode(
        _ input: Span<UInt8>, _ output: inout MutableSpan<UInt8>,
        _ tables: (symbols: HuffmanTable, places: HuffmanTable)
    ) throws(Gunzip.Fault) {
        // A copy of the state in local variables stays in registers.
        var state = self
        defer { self = state }
        let (symbols, places) = (tables.symbols.entries.span, tables.places.entries.span)
        let (symbolMask, placeMask) = (tables.symbols.mask, tables.places.mask)
        let (lengthBases, lengthBits) = (Inflate.lengthBases, Inflate.lengthBits)
        let (placeBases, placeBits) = (Inflate.placeBases, Inflate.placeBits)
        while true {
            // A symbol, a place and their further bits have at most 48 bits.
            state.fill(input)
            let symbol = try state.symbol(symbols, symbolMask)
            if symbol < 256 {
                guard state.filled < output.count else { throw Gunzip.Fault("it has another size than it says") }
                output[state.filled] = UInt8(truncatingIfNeeded: symbol)
                state.filled += 1
                continue
            }
            if symbol == 256 { return }
            guard symbol - 257 < lengthBases.count else { throw Gunzip.Fault("it has a code without a meaning") }
            let length = lengthBases[symbol - 257] + (try state.take(lengthBits[symbol - 257]))
            let place = try state.symbol(places, placeMask)
            guard place < placeBases.count else { throw Gunzip.Fault("it has a code without a meaning") }
            let distance = placeBases[place] + (try state.take(placeBits[place]))
            guard distance <= state.filled else { throw Gunzip.Fault("it repeats what is not there") }
            guard length <= output.count - state.filled else { throw Gunzip.Fault("it has another size than it says") }
            for index in state.filled..<(state.filled + length) { output[index] = output[index - distance] }
            state.filled += length
        }
    }

    /// Reads the codes of a block that brings its own.
    private mutating func tables(
        _ input: Span<UInt8>
    ) throws(Gunzip.Fault) -> (symbols: HuffmanTable, places: HuffmanTable) {
        fill(input)
        let symbols = 257 + (try take(5))
        let places = 1 + (try take(5))
        let known = 4 + (try take(4))
        guard symbols <= 286, places <= 30 else { throw Gunzip.Fault("it has too many codes") }
        var lengths = [UInt8](repeating: 0, count: 19)
        for index in Inflate.order.prefix(known) {
            fill(input)
            lengths[index] = UInt8(try take(3))
        }
        let code = try HuffmanTable(lengths[...], isWhole: true)
        lengths = []
        while lengths.count < symbols + places {
            fill(input)
            let symbol = try self.symbol(code.entries.span, code.mask)
            if symbol < 16 {
                lengths.append(UInt8(symbol))
                continue
            }
            let repeated: UInt8
            let times: Int
            switch symbol {
            case 16:
                guard let last = lengths.last else { throw Gunzip.Fault("it repeats what is not there") }
                (repeated, times) = (last, 3 + (try take(2)))
            case 17: (repeated, times) = (0, 3 + (try take(3)))
            default: (repeated, times) = (0, 11 + (try take(7)))
            }
            guard lengths.count + times <= symbols + places else { throw Gunzip.Fault("it has too many codes") }
            lengths += repeatElement(repeated, count: times)
        }
        guard lengths[256] > 0 else { throw Gunzip.Fault("it has a block without an end") }
        return (
            try HuffmanTable(lengths[..<symbols], isWhole: false), try HuffmanTable(lengths[symbols...], isWhole: false)
        )
    }

    /// The order in which lengths of the codes of lengths are stored.
    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    /// The least length of each symbol for one, and how many bits are added to it.
    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    /// The least distance of each symbol for one, and how many bits are added to it.
    private static let placeBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1_025, 1_537, 2_049, 3_073,
        4_097,
        6_145, 8_193, 12_289, 16_385, 24_577,
    ]
    private static let placeBits = [
        0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
    ]
}

/// The symbols of a Huffman code by the bits that they begin with, as many as the longest code has.
struct HuffmanTable: Sendable {
    /// For each value of the bits the symbol, times 16, and the length of its code; 0 for bits that are no code.
    let entries: [UInt16]
    /// The bits that choose an entry.
    var mask: UInt64 { UInt64(entries.count - 1) }

    /// Makes the table of a code from the lengths of its symbols' codes.
    ///
    /// - Parameters:
    ///   - lengths: the lengths, at most 15; 0 for a symbol that does not occur.
    ///   - isWhole: whether each bits must be a code; if not, a single code of one bit is enough, or none.
    /// - Throws: if two codes would be one, or bits are no code.
    init(_ lengths: ArraySlice<UInt8>, isWhole: Bool) throws(Gunzip.Fault) {
        var counts = [Int](repeating: 0, count: 16)
        for length in lengths { counts[Int(length & 15)] += 1 }
        let longest = counts.indices.last { $0 > 0 && counts[$0] > 0 } ?? 0
        var free = 1
        var codes = [Int](repeating: 0, count: 17)
        for length in 1..<16 {
            free = 2 * free - counts[length]
            guard free >= 0 else { throw Gunzip.Fault("it has a code that is no code") }
            codes[length + 1] = (codes[length] + counts[length]) << 1
        }
        guard free == 0 || (!isWhole && longest <= 1) else { throw Gunzip.Fault("it has a code that is no code") }
        var entries = [UInt16](repeating: 0, count: 1 << longest)
        for (symbol, length) in lengths.enumerated() where length > 0 {
            let bits = Int(length)
            let code = codes[bits]
            codes[bits] += 1
            // The first bit of a code comes first, so that it is the lowest.
            var place = 0
            for bit in 0..<bits where code & (1 << bit) != 0 { place |= 1 << (bits - 1 - bit) }
            while place < entries.count {
                entries[place] = UInt16(symbol) << 4 | UInt16(bits)
                place += 1 << bits
            }
        }
        self.entries = entries
    }

    private init(entries: [UInt16]) { self.entries = entries }

    /// The codes of blocks that bring none of their own.
    static let fixed: (symbols: HuffmanTable, places: HuffmanTable) = {
        var lengths = [UInt8](repeating: 8, count: 288)
        for symbol in 144..<256 { lengths[symbol] = 9 }
        for symbol in 256..<280 { lengths[symbol] = 7 }
        // Both are codes, so that neither is refused.
        let symbols = try? HuffmanTable(lengths[...], isWhole: true)
        let places = try? HuffmanTable([UInt8](repeating: 5, count: 32)[...], isWhole: true)
        return (symbols ?? HuffmanTable(entries: [0]), places ?? HuffmanTable(entries: [0]))
    }()
}
