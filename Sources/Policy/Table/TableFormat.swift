import PropertyList

/// The shape of a compiled table: a header of fixed size, then sections that the header points at.
///
/// | offset | bytes | content |
/// | --- | --- | --- |
/// | 0 | 8 | ``magic`` |
/// | 8 | 4 | ``version`` |
/// | 12 | 4 | the size of the table in bytes |
/// | 16 | 8 | the checksum over everything, itself counting as zero |
/// | 24 | 12 each | number of pieces, offset and length of each ``TableSection`` |
///
/// Numbers of fixed size are little-endian, and offsets count from the beginning of the table. Everywhere else a number
/// takes seven bits a byte, the lowest first.
enum TableFormat {
    /// The first eight bytes, `MDEFTABL`.
    static let magic = Array("MDEFTABL".utf8)
    /// Grows with every change of the format, of what policy files may hold, and of the rules by which entries win.
    static let version: UInt32 = 2
    /// The bytes of the header.
    static let headerSize = 24 + 12 * TableSection.allCases.count
    /// The largest table that is written or read, in bytes: 100,000 entries of a few hundred bytes.
    static let sizeLimit = 64 << 20
    /// Where the checksum stands.
    static let checksumOffset = 16

    /// The number that says where the group of a key stands among the slots.
    ///
    /// It spreads keys and need not resist anybody: whoever could choose keys that collide writes policy anyway.
    static func hash(_ domain: Key, _ key: Key) -> UInt64 {
        var state: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in domain.string.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
        state = (state ^ 0xff) &* 0x100_0000_01b3
        for byte in key.string.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
        state ^= state >> 32
        return state &* 0x9e37_79b9_7f4a_7c15
    }

    /// The checksum of a table, with the checksum's own bytes counting as zero.
    ///
    /// Each step is a bijection of the state, and of the word that it takes in: a change within one word always changes
    /// the result. It finds damage, not forgery; forgery is kept away by owner and mode.
    static func checksum(_ bytes: [UInt8]) -> UInt64 {
        // The pointer does not leave the closure, and every load lies within the buffer.
        unsafe bytes.withUnsafeBytes { buffer in
            var state: UInt64 = 0x6d61_6e61_6765_6421
            var offset = 0
            while offset < buffer.count {
                var word: UInt64 = 0
                if offset == checksumOffset {
                    word = 0
                } else if buffer.count - offset >= 8 {
                    word = unsafe UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                } else {
                    for index in stride(from: buffer.count - 1, through: offset, by: -1) {
                        word = unsafe word << 8 | UInt64(buffer[index])
                    }
                }
                state = (state ^ word) &* 0x9e37_79b9_7f4a_7c15
                state ^= state >> 29
                offset += 8
            }
            return state
        }
    }
}
