/// Builds nodes of the objects of a binary property list.
///
/// Each object is decoded once and shared by all that refer to it. What it unfolds to is added up and checked, so a
/// small file that stands for a huge value is refused before the value exists. Containers that are open are kept in an
/// array: nesting costs no stack.
struct BinaryParser {
    /// A finished value and what it unfolds to.
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
    /// The bounds; that of values and keys depends on the size of the file.
    private var limits: Limits
    /// For each object, 0, or the number of its value in `finished` from 1 up, or `isOpen`.
    private var slots: [UInt32] = []
    /// The values that are finished.
    private var finished: [Finished] = []
    /// What is open, the innermost last.
    private var containers: [Container] = []
    /// The bytes of all objects that were read.
    private var consumed = 0
    /// The keys that stand twice.
    private(set) var warnings: [PropertyListError] = []

    /// The values and keys that every file may unfold to, however small it is.
    private static let objectFloor = 10_000
    /// The values and keys that a larger file may unfold to for each of its bytes.
    ///
    /// Each value takes the byte of a reference, so only a container that is referred to more than once unfolds to more
    /// than one value a byte. The usual writers, ours included, share nothing but strings, numbers, dates and data.
    private static let objectsPerByte = 4

    /// Makes a parser of a file whose outline was checked.
    init(_ layout: BinaryLayout, limits: Limits) {
        self.layout = layout
        self.limits = limits
        let fileLimit = max(BinaryParser.objectFloor, BinaryParser.objectsPerByte * layout.bytes.count)
        self.limits.objects = min(limits.objects, fileLimit)
    }

    /// Reads the root object and all that it refers to.
    mutating func parse() throws(PropertyListError) -> Node {
        guard layout.objectCount <= min(limits.objects, Int(BinaryParser.isOpen) - 1) else {
            throw layout.mistake(
                .tooManyObjects, "the file has \(layout.objectCount) objects; at most \(limits.objects) are read",
                at: layout.tableOffset)
        }
        slots = Array(repeating: 0, count: layout.objectCount)
        var value = try begin(layout.root)
        while true {
            guard let last = containers.indices.last else {
                guard let value else { throw layout.mistake(.reference, "there is no root", at: 0) }
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
            throw layout.mistake(
                .reference, "object \(index) contains itself", at: try layout.offset(ofObject: index))
        }
        if slot != 0 {
            let value = finished[Int(slot) - 1]
            guard containers.count + value.height <= limits.depth else { throw tooDeep(value.node.offset) }
            return value
        }
        let offset = try layout.offset(ofObject: index)
        let object = try layout.object(at: offset)
        // Objects of their own bytes never add up to more than there are: a table that points many times at the same
        // bytes would unfold a small file into a huge value.
        consumed += object.end - offset
        guard consumed <= layout.tableOffset - BinaryLayout.headerSize else {
            throw layout.mistake(.reference, "the object here overlaps another one", at: offset)
        }
        switch object.content {
        case .scalar(let value):
            return finish(
                Finished(node: Node(.scalar(value), offset: offset), bytes: object.end - object.payload), as: index)
        case .uid(let uid):
            let number = Node(.scalar(.integer(Integer(uid))), offset: offset)
            let entry = Node.Entry(key: URLArchive.uid, keyOffset: offset, value: number)
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
        // Before memory is set aside for that many.
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
        // A container must not be opened here, so its type is looked at first.
        let offset = try layout.offset(ofObject: index)
        let kind = layout.bytes[offset] >> 4
        guard kind == 0x5 || kind == 0x6, let key = try begin(index), case .scalar(.string(let text)) = key.node.content
        else { throw layout.mistake(.unsupported, "this is a key, and a key is a string", at: offset) }
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

    /// Takes the innermost container away, finished.
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

    /// Keeps the value of an object for whatever refers to it again.
    private mutating func finish(_ value: Finished, as index: Int) -> Finished {
        finished.append(value)
        slots[index] = UInt32(truncatingIfNeeded: finished.count)
        return value
    }

    /// Adds what a part unfolds to.
    ///
    /// Both summands stay below the bounds, so the sums do not overflow.
    private mutating func count(_ value: Finished, in last: Int) throws(PropertyListError) {
        containers[last].objects += value.objects
        containers[last].bytes += value.bytes
        guard containers[last].objects <= limits.objects else {
            throw tooManyObjects(containers[last].offset)
        }
        guard containers[last].bytes <= limits.bytes else {
            throw layout.mistake(
                .tooLarge, "the file unfolds to more than \(limits.bytes) bytes of text and data",
                at: containers[last].offset)
        }
    }

    /// The error of a file that unfolds to too many values.
    private func tooManyObjects(_ offset: Int) -> PropertyListError {
        layout.mistake(
            .tooManyObjects,
            "the file has \(layout.bytes.count) bytes and unfolds to more than \(limits.objects) values and keys",
            at: offset)
    }

    /// The mistake of a container that is nested too deeply.
    private func tooDeep(_ offset: Int) -> PropertyListError {
        layout.mistake(
            .tooDeep, "arrays and dictionaries are nested more than \(limits.depth) levels deep", at: offset)
    }
}
