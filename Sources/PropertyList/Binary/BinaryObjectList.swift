/// The objects of a binary property list to be written, equal scalars once.
struct BinaryObjectList {
    /// A value without parts, equal only to what is stored in the same bytes.
    enum Scalar: Hashable {
        /// Text, by its UTF-8 bytes.
        case string(Key)
        /// A truth value.
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
        case scalar(Scalar)
        /// The elements of an array.
        case array([Int])
        /// The keys of a dictionary, and the values in the same order.
        case dictionary(keys: [Int], values: [Int])
    }

    /// Whether a dictionary with the one key `CF$UID` is written as the UID that it stands for.
    var writesUIDs = false
    /// The objects so far.
    private(set) var list: [Object] = []
    /// The indices of the scalars so far.
    private var indices: [Scalar: Int] = [:]

    /// Adds a value with all its parts, and gives its index.
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
            if writesUIDs, values.count == 1, case .integer(let number)? = values[URLArchive.uid],
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
    private mutating func add(_ scalar: Scalar) -> Int {
        if let index = indices[scalar] { return index }
        list.append(.scalar(scalar))
        indices[scalar] = list.count - 1
        return list.count - 1
    }

    /// Keeps a place for a container, which comes before its parts.
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
