import Platform
import PropertyList

/// Gathers the bytes of a compiled table: little-endian numbers, and texts behind their length.
struct TableWriter {
    /// The bytes so far.
    private(set) var bytes: [UInt8] = []

    /// Makes room.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    /// Gives the bytes away.
    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Writes over bytes that are there.
    mutating func replace(at offset: Int, with other: [UInt8]) {
        for (index, byte) in other.enumerated() { bytes[offset + index] = byte }
    }

    /// Appends a byte.
    mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// Appends a number of 32 bits.
    mutating func word(_ value: UInt32) {
        // The four bytes are read while they are lent.
        unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends a number of 64 bits.
    mutating func long(_ value: UInt64) {
        // The eight bytes are read while they are lent.
        unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends the slot of a piece: the upper half of its hash, and its place; zeros where there is none.
    mutating func slot(_ piece: (hash: UInt64, place: TablePlace)?) {
        let hash = UInt32(truncatingIfNeeded: (piece?.hash ?? 0) >> 32)
        let offset = UInt32(truncatingIfNeeded: piece?.place.offset ?? 0)
        let length = UInt32(truncatingIfNeeded: piece?.place.length ?? 0)
        // The twelve bytes are read while they are lent.
        unsafe withUnsafeBytes(of: (hash.littleEndian, offset.littleEndian, length.littleEndian)) {
            unsafe bytes.append(contentsOf: $0)
        }
    }

    /// Appends an offset or a length in four bytes; a table beyond 4 GiB is beyond its limit anyway and never written.
    mutating func place(_ value: Int) { word(UInt32(truncatingIfNeeded: value)) }

    /// Leaves room for the length of what follows; where the room is.
    mutating func reservePlace() -> Int {
        place(0)
        return bytes.count
    }

    /// Writes the length of what was appended since into the room before it.
    mutating func fill(_ start: Int) {
        let length = UInt32(truncatingIfNeeded: bytes.count - start)
        for index in 0..<4 { bytes[start - 4 + index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index)) }
    }

    /// Appends a count, which is not negative.
    mutating func count(_ value: Int) { number(UInt64(bitPattern: Int64(value))) }

    /// Appends a number, seven bits a byte, the lowest first.
    private mutating func number(_ value: UInt64) {
        var rest = value
        while rest > 0x7f {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends bytes behind their number.
    mutating func run(_ value: some Collection<UInt8>) {
        count(value.count)
        bytes.append(contentsOf: value)
    }

    /// Appends a text.
    mutating func text(_ value: String) { run(value.utf8) }

    /// Appends bytes as they are.
    mutating func raw(_ value: [UInt8]) { bytes.append(contentsOf: value) }

    /// Appends a place in a file.
    mutating func position(_ value: Position) {
        for number in [value.line, value.column, value.offset] { count(number) }
    }

    /// Appends a whole number: its sign, then its bits.
    mutating func integer(_ value: Integer) {
        byte(value.isNegative ? 1 : 0)
        // The bits of a negative number have a complement that is short where the number is small.
        number(value.uint64 ?? ~UInt64(bitPattern: value.int64 ?? 0))
    }

    /// Appends a value: its kind, then its content.
    mutating func value(_ value: Value) {
        switch value {
        case .string(let text):
            byte(TableValueKind.string.rawValue)
            self.text(text)
        case .boolean(let truth):
            byte(TableValueKind.boolean.rawValue)
            byte(truth ? 1 : 0)
        case .integer(let number):
            byte(TableValueKind.integer.rawValue)
            integer(number)
        case .real(let number):
            byte(TableValueKind.real.rawValue)
            long(number.bitPattern)
        case .date(let seconds):
            byte(TableValueKind.date.rawValue)
            long(seconds.bitPattern)
        case .data(let data):
            byte(TableValueKind.data.rawValue)
            run(data)
        case .array(let elements):
            byte(TableValueKind.array.rawValue)
            count(elements.count)
            for element in elements { self.value(element) }
        case .dictionary(let entries):
            byte(TableValueKind.dictionary.rawValue)
            count(entries.count)
            for (key, entry) in entries.sorted(by: { $0.key < $1.key }) {
                text(key.string)
                self.value(entry)
            }
        }
    }
}
