import MDPlatform
import MDPolicyFormats
import MDPolicyModel
package import MDPropertyList

/// Writes the bytes of a compiled table: little-endian numbers, and texts after their length.
///
/// Bytes are collected in a small buffer and moved to the table by the thousand: a hundred thousand entries have a
/// million numbers, and an array checks for each whether it is shared and has capacity.
@safe
package struct TableWriter: ~Copyable {
    /// The bytes that have left the buffer.
    private var bytes: [UInt8] = []
    /// The buffer, ``TableWriter/bufferSize`` bytes that belong to this value alone.
    private let buffer: UnsafeMutableRawPointer
    /// The number of bytes in the buffer, ``TableWriter/bufferSize`` at most.
    private var filled = 0

    /// The size of the buffer.
    private static let bufferSize = 4_096
    /// The most bytes of a number of 64 bits, seven bits a byte.
    private static let longestNumber = 10

    /// Begins without bytes.
    init() {
        // Deallocated in `deinit` only.
        unsafe buffer = UnsafeMutableRawPointer.allocate(byteCount: TableWriter.bufferSize, alignment: 8)
    }

    deinit {
        // The value cannot be copied, so that this is the only owner.
        unsafe buffer.deallocate()
    }

    /// The number of bytes.
    package var size: Int { bytes.count + filled }

    /// Reserves capacity in the table.
    package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    /// Returns the bytes and starts an empty table.
    package mutating func finish() -> [UInt8] {
        empty()
        defer { bytes = [] }
        return bytes
    }

    /// Overwrites bytes that were written before.
    package mutating func replace(at offset: Int, with other: [UInt8]) {
        empty()
        for (index, byte) in other.enumerated() { bytes[offset + index] = byte }
    }

    /// Ensures that the buffer has a number of free bytes, which its size must not exceed.
    @inline(__always)
    private mutating func need(_ count: Int) {
        if TableWriter.bufferSize - filled < count { empty() }
    }

    /// Moves the content of the buffer to the table.
    private mutating func empty() {
        // This many bytes of the buffer are filled.
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: buffer, count: filled))
        filled = 0
    }

    /// Appends a byte.
    package mutating func byte(_ value: UInt8) {
        need(1)
        // There is a free byte.
        unsafe buffer.storeBytes(of: value, toByteOffset: filled, as: UInt8.self)
        filled += 1
    }

    /// Appends a number of 32 bits.
    package mutating func word(_ value: UInt32) {
        need(4)
        // There are four free bytes.
        unsafe buffer.storeBytes(of: value.littleEndian, toByteOffset: filled, as: UInt32.self)
        filled += 4
    }

    /// Appends a number of 64 bits.
    package mutating func long(_ value: UInt64) {
        need(8)
        // There are eight free bytes.
        unsafe buffer.storeBytes(of: value.littleEndian, toByteOffset: filled, as: UInt64.self)
        filled += 8
    }

    /// Appends a slot: the upper half of the hash, and the range; zeros if the slot is free.
    mutating func slot(_ target: (hash: UInt64, range: TableRange)?) {
        let hash = UInt32(truncatingIfNeeded: (target?.hash ?? 0) >> 32)
        let offset = UInt32(truncatingIfNeeded: target?.range.offset ?? 0)
        let length = UInt32(truncatingIfNeeded: target?.range.length ?? 0)
        word(hash)
        word(offset)
        word(length)
    }

    /// Appends an offset or a length in four bytes; a table beyond 4 GiB exceeds its limit and is never written.
    mutating func fixedIndex(_ value: Int) { word(UInt32(truncatingIfNeeded: value)) }

    /// Reserves space for the length of what follows; returns its offset.
    mutating func reserveLength() -> Int {
        fixedIndex(0)
        return size
    }

    /// Writes the length of what was appended since into the reserved space.
    mutating func fill(_ start: Int) {
        let length = UInt32(truncatingIfNeeded: size - start)
        let offset = start - 4 - bytes.count
        if offset >= 0 {
            // The four bytes were written together, and are still in the buffer.
            unsafe buffer.storeBytes(of: length.littleEndian, toByteOffset: offset, as: UInt32.self)
        } else {
            for index in 0..<4 { bytes[start - 4 + index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index)) }
        }
    }

    /// Appends a count, which is not negative.
    package mutating func count(_ value: Int) { number(UInt64(bitPattern: Int64(value))) }

    /// Appends a number, seven bits a byte, the lowest first.
    private mutating func number(_ value: UInt64) {
        need(TableWriter.longestNumber)
        var (rest, end) = (value, filled)
        while rest > 0x7f {
            // There are as many free bytes as the longest number needs.
            unsafe buffer.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: end, as: UInt8.self)
            rest >>= 7
            end += 1
        }
        unsafe buffer.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: end, as: UInt8.self)
        filled = end + 1
    }

    /// Appends bytes after their number.
    package mutating func run(_ value: [UInt8]) {
        count(value.count)
        raw(value)
    }

    /// Appends a text after the number of its bytes.
    package mutating func text(_ value: String) {
        count(value.utf8.count)
        bytes(of: value)
    }

    /// Appends a path in the form that the kernel needs, with a slash before it and a NUL after it, after the number of
    /// all these bytes.
    package mutating func path(_ value: String) {
        count(value.utf8.count + 2)
        byte(UInt8(ascii: "/"))
        bytes(of: value)
        byte(0)
    }

    /// Appends the bytes of a text.
    private mutating func bytes(of value: String) {
        // The bytes are read during the closure.
        let isDone: Void? = unsafe value.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe raw(UnsafeRawBufferPointer(bytes))
        }
        // Every string that is not bridged has contiguous bytes, and below the public interface none is bridged.
        if isDone == nil { raw(Array(value.utf8)) }
    }

    /// Appends bytes without their number.
    mutating func raw(_ value: [UInt8]) {
        // The bytes are read during the closure.
        unsafe value.withUnsafeBytes { unsafe raw($0) }
    }

    /// Appends bytes without their number.
    private mutating func raw(_ value: UnsafeRawBufferPointer) {
        guard value.count <= TableWriter.bufferSize else {
            empty()
            // The table copies the bytes.
            return unsafe bytes.append(contentsOf: value)
        }
        need(value.count)
        guard let start = value.baseAddress else { return }
        // There are as many free bytes, and the buffer does not overlap other memory.
        unsafe (buffer + filled).copyMemory(from: start, byteCount: value.count)
        filled += value.count
    }

    /// Appends a place in a file.
    package mutating func position(_ value: Position) {
        for number in [value.line, value.column, value.offset] { count(number) }
    }

    /// Appends a whole number: its sign, then its bits.
    package mutating func integer(_ value: Integer) {
        byte(value.isNegative ? 1 : 0)
        // The complement of the bits of a small negative number is short.
        number(value.uint64 ?? ~UInt64(bitPattern: value.int64 ?? 0))
    }

    /// Appends a value: its kind, then its content.
    package mutating func value(_ value: Value) {
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
