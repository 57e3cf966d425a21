import MDPlatform

/// Unpacks a gzip file (RFC 1952) that comes from anybody: one member, nothing behind it, in bounded memory.
package enum Gunzip {
    /// Why a file was not unpacked.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// What is wrong, without a full stop.
        package let description: String

        init(_ description: String) { self.description = description }
    }

    /// The bytes of a header without its optional parts, and of the end.
    private static let (headLength, tailLength) = (10, 8)
    /// The optional parts of a header.
    private static let (hasDigest, hasExtra, hasName, hasComment): (UInt8, UInt8, UInt8, UInt8) = (2, 4, 8, 16)
    /// The most bytes that one byte of packed data can become.
    private static let mostGrowth = 1_032

    /// Unpacks a file.
    ///
    /// Complexity: O(n) in the bytes of the result, for which the file's own size reserves memory.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - limit: the most bytes of the result.
    /// - Returns: the content, whose size and CRC-32 are those of the file's end.
    /// - Throws: if it is no gzip file, is damaged or cut, or has more bytes than the limit.
    package static func unpack(_ bytes: [UInt8], limit: Int) throws(Fault) -> [UInt8] {
        let start = try endOfHeader(bytes)
        let end = bytes.count - tailLength
        guard start <= end else { throw Fault("it is cut") }
        let size = Int(word(bytes, at: end + 4))
        guard size <= limit else { throw Fault("it unpacks to more than \(limit) bytes") }
        // A few bytes do not reserve much memory.
        guard size / mostGrowth <= end - start else { throw Fault("it has another size than it says") }
        let content = try Inflate.unpack(bytes, in: start..<end, size: size)
        guard CRC32.checksum(content[...]) == word(bytes, at: end) else {
            throw Fault("its content is not what was packed")
        }
        return content
    }

    /// Checks the header and returns where it ends.
    private static func endOfHeader(_ bytes: [UInt8]) throws(Fault) -> Int {
        guard bytes.starts(with: [0x1f, 0x8b]) else { throw Fault("it is no gzip file") }
        guard bytes.count >= headLength + tailLength else { throw Fault("it is cut") }
        let flags = bytes[3]
        guard bytes[2] == 8, flags & 0xe0 == 0 else { throw Fault("it is packed in an unknown way") }
        var place = headLength
        if flags & hasExtra != 0 {
            guard place + 2 <= bytes.count else { throw Fault("it is cut") }
            place += 2 + Int(bytes[place]) + Int(bytes[place + 1]) << 8
        }
        for part in [hasName, hasComment] where flags & part != 0 {
            guard place < bytes.count, let end = bytes[place...].firstIndex(of: 0) else { throw Fault("it is cut") }
            place = end + 1
        }
        if flags & hasDigest != 0 {
            guard place + 2 <= bytes.count else { throw Fault("it is cut") }
            let stored = UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8
            guard CRC32.checksum(bytes[..<place]) & 0xffff == stored else { throw Fault("its header is damaged") }
            place += 2
        }
        return place
    }

    /// Reads four bytes, the lowest first.
    private static func word(_ bytes: [UInt8], at place: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
    }
}

/// The checksum of gzip files: CRC-32 of ISO 3309.
enum CRC32 {
    /// What each value of each of eight bytes contributes; eight bytes are looked up together.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? 0xedb8_8320 ^ value >> 1 : value >> 1 }
            tables[byte] = value
        }
        for index in 256..<tables.count {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xff)]
        }
        return tables
    }()

    /// The checksum of bytes.
    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let (tables, span) = (tables, bytes.span)
        var (sum, place) = (UInt32.max, 0)
        while place + 8 <= span.count {
            // Eight bytes from the place on are in the span, by the condition of the loop.
            let eight = unsafe span.bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian
            let word = eight ^ UInt64(sum)
            sum = 0
            for index in 0..<8 {
                let byte = Int(truncatingIfNeeded: word >> UInt64(8 * index) & 0xff)
                sum ^= tables[(7 - index) << 8 | byte]
            }
            place += 8
        }
        while place < span.count {
            sum = sum >> 8 ^ tables[Int((sum ^ UInt32(span[place])) & 0xff)]
            place += 1
        }
        return ~sum
    }
}
