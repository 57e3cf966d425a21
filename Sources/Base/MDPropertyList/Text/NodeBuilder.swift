/// Builds nodes from the events of a reader, without recursion, and enforces the limits.
///
/// A reader reports openings, keys, values and closings in file order. Open containers are on an explicit stack, so
/// deep nesting does not use the thread's stack.
struct NodeBuilder {
    /// An array or a dictionary that is not closed yet.
    private struct Container {
        /// Whether it is a dictionary.
        let isDictionary: Bool
        /// The offset of its beginning.
        let offset: Int
        /// The elements of an array.
        var elements: [Node] = []
        /// The entries of a dictionary.
        var entries: [Node.Entry] = []
        /// The key whose value comes next.
        var key: (name: Key, offset: Int)?
        /// Whether each key sorts after the one before, so that none can occur twice.
        var isAscending = true
    }

    /// Converts offsets into positions.
    private let source: SourceText
    /// The limits.
    private let limits: Limits
    /// The open containers, outermost first.
    private var containers: [Container] = []
    /// The values and keys so far.
    private var objects = 0
    /// The value that was completed outside of every container.
    private(set) var root: Node?
    /// Readable content that is probably an error.
    private(set) var warnings: [PropertyListError] = []

    /// Makes a builder of one document.
    init(source: SourceText, limits: Limits) {
        self.source = source
        self.limits = limits
    }

    /// Whether an array or a dictionary is open.
    var isInContainer: Bool { !containers.isEmpty }

    /// Whether the innermost open container is a dictionary.
    var isInDictionary: Bool { containers.last?.isDictionary ?? false }

    /// Whether the innermost open container is also the outermost.
    var isOutermost: Bool { containers.count == 1 }

    /// The offset at which the innermost open container begins.
    var containerOffset: Int? { containers.last?.offset }

    /// The key that waits for its value.
    var pendingKey: (name: Key, offset: Int)? { containers.last?.key }

    /// Adds a key to the innermost dictionary.
    mutating func add(key: Key, at offset: Int) throws(PropertyListError) {
        try count(at: offset)
        let last = containers.count - 1
        guard last >= 0 else { return }
        if containers[last].isAscending, let previous = containers[last].entries.last, !(previous.key < key) {
            containers[last].isAscending = false
        }
        containers[last].key = (key, offset)
    }

    /// Adds a value without parts.
    mutating func add(_ value: Value, at offset: Int) throws(PropertyListError) {
        try count(at: offset)
        place(Node(.scalar(value), offset: offset))
    }

    /// Begins an array or a dictionary.
    mutating func open(dictionary isDictionary: Bool, at offset: Int) throws(PropertyListError) {
        try count(at: offset)
        guard containers.count < limits.depth else {
            throw PropertyListError(
                .tooDeep, "arrays and dictionaries are nested more than \(limits.depth) deep",
                at: source.position(at: offset))
        }
        containers.append(Container(isDictionary: isDictionary, offset: offset))
    }

    /// Ends the innermost array or dictionary.
    mutating func close() {
        guard let container = containers.popLast() else { return }
        if container.isDictionary {
            if !container.isAscending {
                let source = source
                DuplicateKeys.report(container.entries, into: &warnings) { source.position(at: $0) }
            }
            place(Node(.dictionary(container.entries), offset: container.offset))
        } else {
            place(Node(.array(container.elements), offset: container.offset))
        }
    }

    /// Counts a value or key.
    private mutating func count(at offset: Int) throws(PropertyListError) {
        objects += 1
        guard objects <= limits.objects else {
            throw PropertyListError(
                .tooManyObjects, "there are more than \(limits.objects) values and keys",
                at: source.position(at: offset))
        }
    }

    /// Adds a complete node to the innermost container.
    private mutating func place(_ node: Node) {
        let last = containers.count - 1
        if last < 0 {
            root = node
        } else if !containers[last].isDictionary {
            containers[last].elements.append(node)
        } else if let key = containers[last].key {
            containers[last].entries.append(Node.Entry(key: key.name, keyOffset: key.offset, value: node))
            containers[last].key = nil
        }
    }

    /// Adds a tolerated error as a warning, unless the list is full.
    mutating func warn(_ error: PropertyListError) {
        guard warnings.count < DuplicateKeys.maximumWarnings else { return }
        warnings.append(error)
    }

    /// Adds a warning, unless the list is full.
    mutating func warn(_ code: PropertyListError.Code, _ message: String, at offset: Int) {
        guard warnings.count < DuplicateKeys.maximumWarnings else { return }
        warnings.append(PropertyListError(code, message, at: source.position(at: offset)))
    }
}
