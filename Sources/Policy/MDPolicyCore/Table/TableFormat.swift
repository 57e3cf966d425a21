import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// The shape of a compiled table: a header of fixed size, the body, and the sums of the body's blocks.
///
/// | offset | bytes | content |
/// | --- | --- | --- |
/// | 0 | 8 | ``magic`` |
/// | 8 | 4 | the least ``version`` of a reader |
/// | 12 | 4 | the size of the table in bytes |
/// | 16 | 8 | the sum of the header, itself counting as zero, and of the sums of all blocks |
/// | 24 | 4 | where the body ends and the sums begin, eight bytes for each block |
/// | 28 | 8 | the daemon's generation in which it was made; 0 without a daemon |
/// | 36 | 12 each | number of pieces, offset and length of each ``TableSection`` |
///
/// Numbers of fixed size are little-endian, and offsets count from the beginning of the table. Everywhere else a number
/// takes seven bits a byte, the lowest first.
///
/// The sums find damage, not forgery; forgery is kept away by owner and mode.
///
/// The table is what engines of different versions agree on. What is new comes in a ``LaterSection``, which older readers
/// skip. If they would decide wrongly without it, ``LaterSection/needs`` names the domains, for whose readers the policy of
/// these is unknown then; only what concerns no domain raises the number of the table.
enum TableFormat {
    /// The first eight bytes, `MDEFTABL`.
    static let magic = Array("MDEFTABL".utf8)
    /// The same as a little-endian number.
    private static let magicNumber: UInt64 = 0x4c42_4154_4645_444d
    /// The version of this reader and writer: incremented at every addition to the format, and at every change of the
    /// content of policy files and of the rules by which entries win.
    static let version: UInt32 = 12
    /// The least version of a reader that decides rightly by the tables of this writer, but for the domains that need more;
    /// tables with an earlier number are not read.
    static let leastReader: UInt32 = 10
    /// The size of the header before the section list.
    private static let prefixSize = 36
    /// The size of the header.
    static let headerSize = prefixSize + 12 * TableSection.allCases.count
    /// The size of a block of the body; the last one may be shorter.
    static let blockSize = 4_096
    /// The largest table that is written or read, in bytes: 100,000 entries of a few hundred bytes.
    static let sizeLimit = 64 << 20
    /// The offset of the header's sum.
    private static let sumOffset = 16

    /// The hash of a key, which determines its slot.
    ///
    /// It need not resist attacks: only administrators choose the keys.
    static func hash(_ domain: Key, _ key: Key) -> UInt64 { hash(hash(domain), key) }

    /// The part of the hash that all keys of a domain share.
    static func hash(_ domain: Key) -> UInt64 {
        (feed(domain, into: 0xcbf2_9ce4_8422_2325) ^ 0xff) &* prime
    }

    /// The hash of a key, given the part of its domain.
    static func hash(_ domain: UInt64, _ key: Key) -> UInt64 {
        var state = feed(key, into: domain)
        state ^= state >> 32
        return state &* 0x9e37_79b9_7f4a_7c15
    }

    /// The factor for each byte of a name.
    private static let prime: UInt64 = 0x100_0000_01b3

    /// Continues a hash with the bytes of a name.
    private static func feed(_ name: Key, into start: UInt64) -> UInt64 {
        // The bytes are read during the closure.
        let state = unsafe name.string.utf8.withContiguousStorageIfAvailable { bytes in
            var (state, index) = (start, 0)
            while index < bytes.count {
                state = unsafe (state ^ UInt64(bytes[index])) &* prime
                index += 1
            }
            return state
        }
        // Every string that is not bridged has contiguous bytes, and below the public interface none is bridged.
        return state ?? name.string.utf8.reduce(start) { ($0 ^ UInt64($1)) &* prime }
    }

    /// The checksum of some bytes.
    ///
    /// Each step is a bijection of its state and of the word that it adds: a change within one word always changes the
    /// result. Four states are used in turn, so that none waits for another.
    static func sum(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        /// Adds a word to a state.
        func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
            let mixed = (state ^ word) &* 0x9e37_79b9_7f4a_7c15
            return mixed ^ mixed >> 29
        }
        /// A word within the bytes.
        func word(_ offset: Int) -> UInt64 {
            // Every caller has at least eight bytes left.
            unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        var (one, two) = (mix(0x6d61_6e61_6765_6421, seed), mix(0x6465_6661_756c_7473, seed))
        var (three, four) = (mix(0x706f_6c69_6379_2121, seed), mix(0x7461_626c_6521_2121, seed))
        var offset = 0
        while bytes.count - offset >= 32 {
            one = mix(one, word(offset))
            two = mix(two, word(offset + 8))
            three = mix(three, word(offset + 16))
            four = mix(four, word(offset + 24))
            offset += 32
        }
        while bytes.count - offset >= 8 {
            one = mix(one, word(offset))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = unsafe rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        return mix(mix(mix(mix(one, rest), two), three), four)
    }

    /// A little-endian number at an offset within some bytes.
    private static func number<Number: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Number {
        // Every caller has checked the size before.
        unsafe Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// The number of blocks of a body that ends at an offset.
    private static func blockCount(_ bodyEnd: Int) -> Int { (bodyEnd - headerSize + blockSize - 1) / blockSize }

    /// The end of the body of a table whose header has been read.
    ///
    /// - Throws: an error if it is not a whole table that this version reads.
    static func bodyEnd(_ table: UnsafeRawBufferPointer) throws(StoredFileError) -> Int {
        guard table.count >= headerSize, unsafe number(table, 0) == magicNumber else {
            throw StoredFileError("it is no compiled table")
        }
        guard unsafe (leastReader...version).contains(number(table, 8)) else {
            throw StoredFileError("it is for readers of another version")
        }
        let (size, end): (UInt32, UInt32) = unsafe (number(table, 12), number(table, 24))
        guard Int(size) == table.count, Int(end) >= headerSize, Int(end) <= table.count,
            (table.count - Int(end)) == 8 * blockCount(Int(end))
        else { throw StoredFileError("it is not whole") }
        return Int(end)
    }

    /// The number of blocks of a table whose header and checksums have been read.
    ///
    /// - Throws: an error if the header or a checksum is damaged.
    static func checkedBlockCount(_ table: UnsafeRawBufferPointer, bodyEnd: Int) throws(StoredFileError) -> Int {
        guard unsafe number(table, sumOffset) == headerSum(table, bodyEnd: bodyEnd) else {
            throw StoredFileError("its checksum does not match")
        }
        return blockCount(bodyEnd)
    }

    /// The checksum of the header and of the checksums after the body.
    private static func headerSum(_ table: UnsafeRawBufferPointer, bodyEnd: Int) -> UInt64 {
        var header = unsafe Array(table[..<headerSize])
        for index in sumOffset..<sumOffset + 8 { header[index] = 0 }
        // The array is read during its lifetime, and the checksums lie between the body and the end.
        let first = unsafe header.withUnsafeBytes { unsafe sum($0, seed: 0) }
        return unsafe sum(UnsafeRawBufferPointer(rebasing: table[bodyEnd...]), seed: first)
    }

    /// Makes a table of a header without its fixed fields, and a body after it.
    static func sealed(_ body: consuming [UInt8], leastReader: UInt32 = leastReader) -> [UInt8] {
        var table = body
        while table.count < headerSize { table.append(0) }
        let bodyEnd = table.count
        var tail = TableWriter()
        // Each block lies within the array, which is read during its lifetime.
        unsafe table.withUnsafeBytes { bytes in
            for block in 0..<blockCount(bodyEnd) {
                let start = headerSize + block * blockSize
                let range = start..<min(start + blockSize, bodyEnd)
                unsafe tail.long(sum(UnsafeRawBufferPointer(rebasing: bytes[range]), seed: UInt64(block)))
            }
        }
        table += tail.finish()
        var head = TableWriter()
        head.raw(magic)
        head.word(leastReader)
        head.fixedIndex(table.count)
        head.long(0)
        head.fixedIndex(bodyEnd)
        let prefix = head.finish()
        table.replaceSubrange(0..<prefix.count, with: prefix)
        var whole = TableWriter()
        // The table is read during its lifetime.
        whole.long(unsafe table.withUnsafeBytes { unsafe headerSum($0, bodyEnd: bodyEnd) })
        table.replaceSubrange(sumOffset..<sumOffset + 8, with: whole.finish())
        return table
    }

    /// The offset of the revision, which the sections follow.
    static let generationOffset = 28
}

/// The kinds of items in a group of a compiled table, by their byte.
enum TableItemKind: UInt8 {
    /// A forced entry.
    case forced = 1
    /// An absent entry.
    case absent
    /// A recommended entry.
    case recommended
    /// A set-once entry.
    case setOnce
    /// A constraint.
    case constraint
    /// The combination operator of forced entries.
    case combine
    /// A waiver.
    case waiver
    /// A seal, in the group of its domain and the empty key.
    case seal

    /// The kind of an entry of a level.
    init(_ level: Level) {
        switch level {
        case .forced: self = .forced
        case .absent: self = .absent
        case .recommended: self = .recommended
        case .setOnce: self = .setOnce
        }
    }

    /// The level of an entry of this kind; `nil` if it is not an entry.
    var level: Level? {
        switch self {
        case .forced: .forced
        case .absent: .absent
        case .recommended: .recommended
        case .setOnce: .setOnce
        case .constraint, .combine, .waiver, .seal: nil
        }
    }

    /// Whether items of this kind decide whether a key is forced, and to which value.
    var decidesForced: Bool { self != .recommended && self != .setOnce }
}

/// The kinds of values in a compiled table, by their byte.
enum TableValueKind: UInt8 {
    /// Text.
    case string = 1
    /// A boolean.
    case boolean
    /// A whole number.
    case integer
    /// A floating-point number.
    case real
    /// A point in time.
    case date
    /// Bytes.
    case data
    /// An ordered list.
    case array
    /// A dictionary.
    case dictionary
}
