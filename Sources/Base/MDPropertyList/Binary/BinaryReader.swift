/// Reads property lists in the binary encoding, `bplist00`.
///
/// The layout is that of CoreFoundation's CFBinaryPList.c: a header of 8 bytes, the objects, a table of their offsets,
/// and a trailer of 32 bytes that ends the file. Unreferenced objects and bytes between objects are ignored, as in
/// every reader; between the table and the trailer no bytes are allowed.
package enum BinaryReader {
    /// Whether the bytes begin as a binary property list of any version.
    package static func recognizes(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist".utf8) }

    /// Reads a whole file.
    ///
    /// Each object is decoded once, so time and memory are proportional to the file, but `limits` counts it for each
    /// reference. A file may unfold to at most 10,000 values and keys, or four for each of its bytes if that is more,
    /// so that values are proportional to the file too.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - limits: the limits beyond which it is refused; `bytes` also limits the unfolded text and data.
    ///   - readsUIDs: whether the UID of a keyed archive is read as a dictionary with the key `CF$UID`, as other
    ///     encodings write it.
    /// - Returns: the document, whose offsets are those of objects; a duplicate key is a warning, and its last value
    ///   counts.
    /// - Throws: the first error, with its offset. A null, a set, a UID, a URL and a UUID are errors, and so is a key
    ///   that is not a string.
    package static func read(
        _ bytes: [UInt8], limits: Limits = .standard, readsUIDs: Bool = false
    ) throws(PropertyListError) -> Document {
        guard bytes.count <= limits.bytes else {
            throw PropertyListError(
                .tooLarge, "the file has \(bytes.count) bytes; at most \(limits.bytes) are read",
                at: Position(byte: 0))
        }
        var layout = try BinaryLayout(bytes)
        layout.readsUIDs = readsUIDs
        var parser = BinaryParser(layout, limits: limits)
        let root = try parser.parse()
        return Document(
            root: root, format: .binary, source: SourceText(unchecked: []), warnings: parser.warnings)
    }
}

/// Builds nodes from the objects of a binary property list.
///
/// Each object is decoded once and shared by all references to it. The sizes of the unfolded values are added up and
/// checked, so a small file that represents a huge value is refused before that value exists. Open containers are on an
/// explicit stack, so nesting does not use the thread's stack.
struct BinaryParser {
    /// A finished value and its unfolded size.
    private struct Finished {
        /// The value.
        let node: Node
        /// The values and keys in it, itself included.
        var objects = 1
        /// The bytes of text and data in it.
        var bytes = 0
        /// The levels of arrays and dictionaries in it.
        var height = 0
    }

    /// An array or dictionary that is still open.
    private struct Container {
        /// The index of its object.
        let index: Int
        /// The offset of its object.
        let offset: Int
        /// Whether it is a dictionary.
        let isDictionary: Bool
        /// The number of its elements or entries.
        let count: Int
        /// The offset of its first reference.
        let references: Int
        /// How many elements or entries are finished.
        var position = 0
        /// The elements so far, in an array.
        var elements: [Node] = []
        /// The entries so far, in a dictionary.
        var entries: [Node.Entry] = []
        /// The key of the entry whose value is being read.
        var key = Key("")
        /// The offset of that key's object.
        var keyOffset = 0
        /// The values and keys in it so far, itself included.
        var objects = 1
        /// The bytes of text and data in it so far.
        var bytes = 0
        /// The levels in its tallest part.
        var height = 0
    }

    /// Marks an object that is being read in `slots`.
    private static let isOpen = UInt32.max

    /// The file.
    private let layout: BinaryLayout
    /// The limits; the number of values and keys depends on the size of the file.
    private var limits: Limits
    /// For each object, 0, or the number of its value in `finished` from 1 up, or `isOpen`.
    private var slots: [UInt32] = []
    /// The values that are finished.
    private var finished: [Finished] = []
    /// The open containers, innermost last.
    private var containers: [Container] = []
    /// The bytes of all objects that were read.
    private var consumed = 0
    /// The duplicate keys.
    private(set) var warnings: [PropertyListError] = []

    /// The values and keys that every file may unfold to, however small it is.
    private static let objectFloor = 10_000
    /// The values and keys that a larger file may unfold to for each of its bytes.
    ///
    /// Each value takes at least one byte for its reference, so only containers with several references unfold to more
    /// than one value for each byte. The usual writers, including ``BinaryWriter``, share only strings, numbers, dates
    /// and data.
    private static let objectsPerByte = 4

    /// Makes a parser of a validated file.
    init(_ layout: BinaryLayout, limits: Limits) {
        self.layout = layout
        self.limits = limits
        let fileLimit = max(BinaryParser.objectFloor, BinaryParser.objectsPerByte * layout.bytes.count)
        self.limits.objects = min(limits.objects, fileLimit)
    }

    /// Reads the root object and everything it refers to.
    mutating func parse() throws(PropertyListError) -> Node {
        guard layout.objectCount <= min(limits.objects, Int(BinaryParser.isOpen) - 1) else {
            throw layout.error(
                .tooManyObjects, "the file has \(layout.objectCount) objects; at most \(limits.objects) are read",
                at: layout.tableOffset)
        }
        slots = Array(repeating: 0, count: layout.objectCount)
        var value = try begin(layout.root)
        while true {
            guard let last = containers.indices.last else {
                guard let value else { throw layout.error(.reference, "there is no root", at: 0) }
                return value.node
            }
            if let part = value { try add(part, to: last) }
            value = containers[last].position < containers[last].count ? try beginPart(of: last) : try close()
        }
    }
}

extension BinaryParser {
    /// Begins an object: a finished value, or `nil` after opening a container.
    private mutating func begin(_ index: Int) throws(PropertyListError) -> Finished? {
        let slot = slots[index]
        if slot == BinaryParser.isOpen {
            throw layout.error(
                .reference, "object \(index) contains itself", at: try layout.offset(ofObject: index))
        }
        if slot != 0 {
            let value = finished[Int(slot) - 1]
            guard containers.count + value.height <= limits.depth else { throw tooDeep(value.node.offset) }
            return value
        }
        let offset = try layout.offset(ofObject: index)
        let object = try layout.object(at: offset)
        // Disjoint objects never have more bytes in all than the file. Without this check, a table with many references
        // to the same bytes could unfold a small file into a huge value.
        consumed += object.end - offset
        guard consumed <= layout.tableOffset - BinaryLayout.headerSize else {
            throw layout.error(.reference, "the object here overlaps another one", at: offset)
        }
        switch object.content {
        case .scalar(let value):
            return finish(
                Finished(node: Node(.scalar(value), offset: offset), bytes: object.end - object.payload), as: index)
        case .uid(let uid):
            let number = Node(.scalar(.integer(Integer(uid))), offset: offset)
            let entry = Node.Entry(key: BinaryObject.uidKey, keyOffset: offset, value: number)
            return finish(
                Finished(
                    node: Node(.dictionary([entry]), offset: offset), objects: 3, bytes: object.end - object.payload,
                    height: 1), as: index)
        case .array(let count):
            try open(
                Container(index: index, offset: offset, isDictionary: false, count: count, references: object.payload))
        case .dictionary(let count):
            try open(
                Container(index: index, offset: offset, isDictionary: true, count: count, references: object.payload))
        }
        return nil
    }

    /// Opens a container.
    private mutating func open(_ container: Container) throws(PropertyListError) {
        guard containers.count < limits.depth else { throw tooDeep(container.offset) }
        // Check before reserving memory.
        guard container.count <= limits.objects / (container.isDictionary ? 2 : 1) else {
            throw tooManyObjects(container.offset)
        }
        slots[container.index] = BinaryParser.isOpen
        containers.append(container)
        let last = containers.count - 1
        if container.isDictionary {
            containers[last].entries.reserveCapacity(container.count)
        } else {
            containers[last].elements.reserveCapacity(container.count)
        }
    }

    /// Begins the next element or entry of a container.
    private mutating func beginPart(of last: Int) throws(PropertyListError) -> Finished? {
        let width = layout.referenceWidth
        let reference = containers[last].references + containers[last].position * width
        guard containers[last].isDictionary else { return try begin(try layout.object(referredToAt: reference)) }
        try readKey(at: reference, of: last)
        let count = containers[last].count
        return try begin(try layout.object(referredToAt: reference + count * width))
    }

    /// Reads the key that a reference names.
    private mutating func readKey(at reference: Int, of last: Int) throws(PropertyListError) {
        let index = try layout.object(referredToAt: reference)
        // A container must not be opened here, so its type is checked first.
        let offset = try layout.offset(ofObject: index)
        let kind = layout.bytes[offset] >> 4
        guard kind == 0x5 || kind == 0x6, let key = try begin(index), case .scalar(.string(let text)) = key.node.content
        else { throw layout.error(.unsupported, "this is a key, and a key is a string", at: offset) }
        containers[last].key = Key(text)
        containers[last].keyOffset = offset
        try count(key, in: last)
    }

    /// Puts a finished value into a container.
    private mutating func add(_ value: Finished, to last: Int) throws(PropertyListError) {
        if containers[last].isDictionary {
            let entry = Node.Entry(
                key: containers[last].key, keyOffset: containers[last].keyOffset, value: value.node)
            containers[last].entries.append(entry)
        } else {
            containers[last].elements.append(value.node)
        }
        containers[last].position += 1
        containers[last].height = max(containers[last].height, value.height)
        try count(value, in: last)
    }

    /// Closes the innermost container and returns its value.
    private mutating func close() throws(PropertyListError) -> Finished? {
        guard let container = containers.popLast() else { return nil }
        DuplicateKeys.report(container.entries, into: &warnings) { Position(byte: $0) }
        let content: Node.Content =
            container.isDictionary ? .dictionary(container.entries) : .array(container.elements)
        let value = Finished(
            node: Node(content, offset: container.offset), objects: container.objects, bytes: container.bytes,
            height: container.height + 1)
        return finish(value, as: container.index)
    }

    /// Stores the value of an object for further references to it.
    private mutating func finish(_ value: Finished, as index: Int) -> Finished {
        finished.append(value)
        slots[index] = UInt32(truncatingIfNeeded: finished.count)
        return value
    }

    /// Adds the unfolded size of a part.
    ///
    /// Both summands are below the limits, so the sums do not overflow.
    private mutating func count(_ value: Finished, in last: Int) throws(PropertyListError) {
        containers[last].objects += value.objects
        containers[last].bytes += value.bytes
        guard containers[last].objects <= limits.objects else {
            throw tooManyObjects(containers[last].offset)
        }
        guard containers[last].bytes <= limits.bytes else {
            throw layout.error(
                .tooLarge, "the file unfolds to more than \(limits.bytes) bytes of text and data",
                at: containers[last].offset)
        }
    }

    /// The error for a file that unfolds to too many values.
    private func tooManyObjects(_ offset: Int) -> PropertyListError {
        layout.error(
            .tooManyObjects,
            "the file has \(layout.bytes.count) bytes and unfolds to more than \(limits.objects) values and keys",
            at: offset)
    }

    /// The error for a container that is nested too deeply.
    private func tooDeep(_ offset: Int) -> PropertyListError {
        layout.error(
            .tooDeep, "arrays and dictionaries are nested more than \(limits.depth) levels deep", at: offset)
    }
}
