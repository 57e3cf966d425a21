/// Writes property lists in the binary encoding, `bplist00`.
///
/// As in CoreFoundation, equal scalars are stored once, and numbers, offsets and references are as narrow as possible.
/// The output depends only on the value, because keys are sorted by their bytes.
package enum BinaryWriter {
    /// Writes a whole file.
    ///
    /// - Parameters:
    ///   - value: the root.
    ///   - writesUIDs: whether a dictionary with the single key `CF$UID` is written as the UID of a keyed archive.
    /// - Returns: the file.
    /// - Throws: `tooDeep`, beyond what readers accept.
    package static func write(_ value: Value, writesUIDs: Bool = false) throws(PropertyListError) -> [UInt8] {
        var objects = BinaryObjectList()
        objects.writesUIDs = writesUIDs
        let root = try objects.add(value, depth: 0)
        let referenceWidth = width(of: UInt64(objects.list.count))
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        offsets.reserveCapacity(objects.list.count)
        for object in objects.list {
            offsets.append(bytes.count)
            append(object, referenceWidth: referenceWidth, to: &bytes)
        }
        let tableOffset = bytes.count
        let offsetWidth = width(of: UInt64(tableOffset))
        for offset in offsets { append(UInt64(offset), width: offsetWidth, to: &bytes) }
        bytes.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)])
        append(UInt64(objects.list.count), width: 8, to: &bytes)
        append(UInt64(root), width: 8, to: &bytes)
        append(UInt64(tableOffset), width: 8, to: &bytes)
        return bytes
    }

    /// Appends one object.
    private static func append(_ object: BinaryObjectList.Object, referenceWidth: Int, to bytes: inout [UInt8]) {
        switch object {
        case .scalar(let scalar): append(scalar, to: &bytes)
        case .array(let references):
            appendMarker(0xa0, count: references.count, to: &bytes)
            for reference in references { append(UInt64(reference), width: referenceWidth, to: &bytes) }
        case .dictionary(let keys, let values):
            appendMarker(0xd0, count: keys.count, to: &bytes)
            for reference in keys { append(UInt64(reference), width: referenceWidth, to: &bytes) }
            for reference in values { append(UInt64(reference), width: referenceWidth, to: &bytes) }
        }
    }

    /// Appends a value without parts.
    private static func append(_ scalar: BinaryObjectList.StoredScalar, to bytes: inout [UInt8]) {
        switch scalar {
        case .boolean(let value): bytes.append(value ? 0x09 : 0x08)
        case .integer(let value): append(value, to: &bytes)
        case .real(let bits):
            bytes.append(0x23)
            append(bits, width: 8, to: &bytes)
        case .date(let bits):
            bytes.append(0x33)
            append(bits, width: 8, to: &bytes)
        case .data(let data):
            appendMarker(0x40, count: data.count, to: &bytes)
            bytes.append(contentsOf: data)
        case .uid(let uid):
            let width = width(of: uid)
            bytes.append(0x80 | UInt8(width - 1))
            append(uid, width: width, to: &bytes)
        case .string(let text):
            if text.string.utf8.allSatisfy({ $0 < 0x80 }) {
                appendMarker(0x50, count: text.string.utf8.count, to: &bytes)
                bytes.append(contentsOf: text.string.utf8)
            } else {
                appendMarker(0x60, count: text.string.utf16.count, to: &bytes)
                for unit in text.string.utf16 { append(UInt64(unit), width: 2, to: &bytes) }
            }
        }
    }

    /// Appends an integer: 1, 2 or 4 bytes unsigned, 8 bytes signed, and 16 bytes above `Int64.max`.
    private static func append(_ value: Integer, to bytes: inout [UInt8]) {
        guard let signed = value.int64 else {
            bytes.append(0x14)
            append(0, width: 8, to: &bytes)
            append(value.uint64 ?? 0, width: 8, to: &bytes)
            return
        }
        let bits = UInt64(bitPattern: signed)
        let width = width(of: bits)
        bytes.append(0x10 | UInt8(width.trailingZeroBitCount))
        append(bits, width: width, to: &bytes)
    }

    /// Appends a marker with its count.
    private static func appendMarker(_ marker: UInt8, count: Int, to bytes: inout [UInt8]) {
        guard count >= 15 else { return bytes.append(marker | UInt8(count)) }
        bytes.append(marker | 0x0f)
        append(Integer(count), to: &bytes)
    }

    /// Appends the low bytes of a number, big-endian.
    private static func append(_ number: UInt64, width: Int, to bytes: inout [UInt8]) {
        for index in (0..<width).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
    }

    /// The width of a number in bytes: 1, 2, 4 or 8.
    private static func width(of number: UInt64) -> Int {
        switch number {
        case ...0xff: 1
        case ...0xffff: 2
        case ...0xffff_ffff: 4
        default: 8
        }
    }
}

/// The objects of a binary property list to be written, without duplicate scalars.
struct BinaryObjectList {
    /// A value without parts; equal values have equal bytes.
    enum StoredScalar: Hashable {
        /// Text, by its UTF-8 bytes.
        case string(Key)
        /// A boolean.
        case boolean(Bool)
        /// A whole number.
        case integer(Integer)
        /// The bits of a floating-point number.
        case real(UInt64)
        /// The bits of a date's seconds.
        case date(UInt64)
        /// Bytes.
        case data([UInt8])
        /// The UID of a keyed archive.
        case uid(UInt64)
    }

    /// An object; references are indices into the list.
    enum Object {
        /// A value without parts.
        case scalar(StoredScalar)
        /// The elements of an array.
        case array([Int])
        /// The keys of a dictionary, and the values in the same order.
        case dictionary(keys: [Int], values: [Int])
    }

    /// Whether a dictionary with the single key `CF$UID` is written as a UID.
    var writesUIDs = false
    /// The objects so far.
    private(set) var list: [Object] = []
    /// The indices of the scalars so far.
    private var indices: [StoredScalar: Int] = [:]

    /// Adds a value with all its parts, and returns its index.
    ///
    /// - Throws: `tooDeep`, beyond what readers accept.
    mutating func add(_ value: Value, depth: Int) throws(PropertyListError) -> Int {
        switch value {
        case .string(let text): return add(.string(Key(text)))
        case .boolean(let value): return add(.boolean(value))
        case .integer(let value): return add(.integer(value))
        case .real(let value): return add(.real(value.bitPattern))
        case .date(let seconds): return add(.date(seconds.bitPattern))
        case .data(let bytes): return add(.data(bytes))
        case .array(let values):
            let index = try addContainer(depth: depth)
            var elements: [Int] = []
            elements.reserveCapacity(values.count)
            for value in values { elements.append(try add(value, depth: depth + 1)) }
            list[index] = .array(elements)
            return index
        case .dictionary(let values):
            if writesUIDs, values.count == 1, case .integer(let number)? = values[BinaryObject.uidKey],
                let uid = number.uint64
            {
                return add(.uid(uid))
            }
            let index = try addContainer(depth: depth)
            let entries = values.sorted { $0.key < $1.key }
            let keys = entries.map { add(.string($0.key)) }
            var contents: [Int] = []
            contents.reserveCapacity(entries.count)
            for entry in entries { contents.append(try add(entry.value, depth: depth + 1)) }
            list[index] = .dictionary(keys: keys, values: contents)
            return index
        }
    }

    /// Adds a scalar, unless there is an equal one.
    private mutating func add(_ scalar: StoredScalar) -> Int {
        if let index = indices[scalar] { return index }
        list.append(.scalar(scalar))
        indices[scalar] = list.count - 1
        return list.count - 1
    }

    /// Reserves the index of a container, which comes before its parts.
    private mutating func addContainer(depth: Int) throws(PropertyListError) -> Int {
        guard depth < Limits.standard.depth else {
            throw PropertyListError(
                .tooDeep, "arrays and dictionaries are nested more than \(Limits.standard.depth) levels deep",
                at: Position(byte: 0))
        }
        list.append(.array([]))
        return list.count - 1
    }
}
