import Platform
import PropertyList

/// Gathers the bytes of a compiled table: little-endian numbers, and texts behind their length.
///
/// What is appended goes to a small room first, and from there to the table by the thousand bytes: a hundred thousand
/// entries have a million numbers, and an array asks for each whether it is shared and has room.
@safe
struct TableWriter: ~Copyable {
    /// The bytes that have left the room.
    private var bytes: [UInt8] = []
    /// The room, ``TableWriter/roomSize`` bytes that belong to this value alone.
    private let room: UnsafeMutableRawPointer
    /// How many bytes of the room are filled, ``TableWriter/roomSize`` at most.
    private var filled = 0

    /// The bytes of the room.
    private static let roomSize = 4_096
    /// The most bytes of a number of 64 bits, seven bits a byte.
    private static let longestNumber = 10

    /// Begins without bytes.
    init() {
        // Given back in `deinit`, and nowhere else.
        unsafe room = UnsafeMutableRawPointer.allocate(byteCount: TableWriter.roomSize, alignment: 8)
    }

    deinit {
        // Nobody else has it: the value cannot be copied.
        unsafe room.deallocate()
    }

    /// How many bytes there are.
    var size: Int { bytes.count + filled }

    /// Makes room in the table.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    /// Gives the bytes away.
    mutating func take() -> [UInt8] {
        empty()
        defer { bytes = [] }
        return bytes
    }

    /// Writes over bytes that are there.
    mutating func replace(at offset: Int, with other: [UInt8]) {
        empty()
        for (index, byte) in other.enumerated() { bytes[offset + index] = byte }
    }

    /// Has the room at least so many free bytes, which are no more than it has in all.
    @inline(__always)
    private mutating func need(_ count: Int) {
        if TableWriter.roomSize - filled < count { empty() }
    }

    /// Moves what is in the room to the table.
    private mutating func empty() {
        // So many bytes of the room are filled.
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: room, count: filled))
        filled = 0
    }

    /// Appends a byte.
    mutating func byte(_ value: UInt8) {
        need(1)
        // There is a free byte.
        unsafe room.storeBytes(of: value, toByteOffset: filled, as: UInt8.self)
        filled += 1
    }

    /// Appends a number of 32 bits.
    mutating func word(_ value: UInt32) {
        need(4)
        // There are four free bytes.
        unsafe room.storeBytes(of: value.littleEndian, toByteOffset: filled, as: UInt32.self)
        filled += 4
    }

    /// Appends a number of 64 bits.
    mutating func long(_ value: UInt64) {
        need(8)
        // There are eight free bytes.
        unsafe room.storeBytes(of: value.littleEndian, toByteOffset: filled, as: UInt64.self)
        filled += 8
    }

    /// Appends the slot of a piece: the upper half of its hash, and its place; zeros where there is none.
    mutating func slot(_ piece: (hash: UInt64, place: TablePlace)?) {
        let hash = UInt32(truncatingIfNeeded: (piece?.hash ?? 0) >> 32)
        let offset = UInt32(truncatingIfNeeded: piece?.place.offset ?? 0)
        let length = UInt32(truncatingIfNeeded: piece?.place.length ?? 0)
        word(hash)
        word(offset)
        word(length)
    }

    /// Appends an offset or a length in four bytes; a table beyond 4 GiB is beyond its limit anyway and never written.
    mutating func place(_ value: Int) { word(UInt32(truncatingIfNeeded: value)) }

    /// Leaves room for the length of what follows; where the room is.
    mutating func reservePlace() -> Int {
        place(0)
        return size
    }

    /// Writes the length of what was appended since into the room before it.
    mutating func fill(_ start: Int) {
        let length = UInt32(truncatingIfNeeded: size - start)
        let offset = start - 4 - bytes.count
        if offset >= 0 {
            // The four bytes were written as one, and are in the room still.
            unsafe room.storeBytes(of: length.littleEndian, toByteOffset: offset, as: UInt32.self)
        } else {
            for index in 0..<4 { bytes[start - 4 + index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index)) }
        }
    }

    /// Appends a count, which is not negative.
    mutating func count(_ value: Int) { number(UInt64(bitPattern: Int64(value))) }

    /// Appends a number, seven bits a byte, the lowest first.
    private mutating func number(_ value: UInt64) {
        need(TableWriter.longestNumber)
        var (rest, end) = (value, filled)
        while rest > 0x7f {
            // There are as many free bytes as any number takes.
            unsafe room.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: end, as: UInt8.self)
            rest >>= 7
            end += 1
        }
        unsafe room.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: end, as: UInt8.self)
        filled = end + 1
    }

    /// Appends bytes behind their number.
    mutating func run(_ value: [UInt8]) {
        count(value.count)
        raw(value)
    }

    /// Appends a text behind the number of its bytes.
    mutating func text(_ value: String) {
        count(value.utf8.count)
        bytes(of: value)
    }

    /// Appends a path, with the slash before it and the NUL behind it that the kernel wants, behind the number of all
    /// these bytes.
    mutating func path(_ value: String) {
        count(value.utf8.count + 2)
        byte(UInt8(ascii: "/"))
        bytes(of: value)
        byte(0)
    }

    /// Appends the bytes of a text.
    private mutating func bytes(of value: String) {
        // The bytes are read while they are lent.
        let isDone: Void? = unsafe value.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe raw(UnsafeRawBufferPointer(bytes))
        }
        // Every string that is not bridged lends its bytes, and below the public interface none is.
        if isDone == nil { raw(Array(value.utf8)) }
    }

    /// Appends bytes as they are.
    mutating func raw(_ value: [UInt8]) {
        // The bytes are read while they are lent.
        unsafe value.withUnsafeBytes { unsafe raw($0) }
    }

    /// Appends bytes as they are.
    private mutating func raw(_ value: UnsafeRawBufferPointer) {
        guard value.count <= TableWriter.roomSize else {
            empty()
            // The table takes a copy.
            return unsafe bytes.append(contentsOf: value)
        }
        need(value.count)
        guard let start = value.baseAddress else { return }
        // There are as many free bytes, and the room is nobody else's memory.
        unsafe (room + filled).copyMemory(from: start, byteCount: value.count)
        filled += value.count
    }

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
