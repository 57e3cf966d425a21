/// Builds nodes from the tokens of a JSON text.
///
/// Open containers are on an explicit stack, so nesting does not use the thread's stack.
struct JSONParser {
    /// The accepted syntax.
    enum Dialect {
        /// RFC 8259.
        case plain
        /// With comments and trailing commas.
        case propertyList
        /// Of other programs: with comments and trailing commas; `null` is left out with a warning.
        case foreign
        /// As foreign, and with what browsers accept in their own files.
        case browser

        /// Whether `null` is left out.
        var skipsNull: Bool { self == .foreign || self == .browser }
    }

    /// An array or object that is still open.
    private struct Container {
        /// Whether it is an object.
        let isObject: Bool
        /// The offset of its opening bracket.
        let offset: Int
        /// The elements so far, in an array.
        var elements: [Node] = []
        /// The members so far, in an object.
        var entries: [Node.Entry] = []
        /// The key of the member whose value is being read.
        var key = Key("")
        /// The offset of that key.
        var keyOffset = 0
        /// The offset of the comma before, or `nil` right after the opening bracket.
        var comma: Int?
    }

    /// The source of tokens.
    private var tokenizer: JSONTokenizer
    /// The accepted syntax.
    private let dialect: Dialect
    /// The limits.
    private let limits: Limits
    /// The open containers, innermost last.
    private var containers: [Container] = []
    /// The values and keys so far.
    private var objects = 0
    /// The duplicate keys.
    private(set) var warnings: [PropertyListError] = []
    /// Whether the value that was just read is a `null`, which is left out.
    private var isNull = false
    /// Whether some object has a single key that begins with `$`.
    private(set) var holdsForms = false

    /// Makes a parser at the beginning of a text.
    init(_ source: SourceText, dialect: Dialect, limits: Limits) {
        tokenizer = JSONTokenizer(source, allowsComments: dialect != .plain, isLenient: dialect == .browser)
        self.dialect = dialect
        self.limits = limits
    }

    /// Reads the whole text.
    mutating func parse() throws(PropertyListError) -> Node {
        guard tokenizer.utf8.count <= limits.bytes else {
            throw PropertyListError(
                .tooLarge, "the text has \(tokenizer.utf8.count) bytes; at most \(limits.bytes) are read", at: .start)
        }
        let first = try tokenizer.token()
        if case .end = first.kind {
            throw PropertyListError(.empty, "the text is empty", at: .start)
        }
        var finished = try begin(first)
        while true {
            if containers.isEmpty, let root = finished {
                try expectEnd()
                return root
            }
            finished = if let value = finished { try add(value) } else { try beginMember() }
        }
    }

    /// Checks that nothing follows the root value.
    private mutating func expectEnd() throws(PropertyListError) {
        let offset: Int
        do {
            let token = try tokenizer.token()
            if case .end = token.kind { return }
            offset = token.offset
        } catch {
            // Any further content is an error, well-formed or not; an unclosed comment has its own sentence.
            if error.code == .truncated { throw error }
            offset = error.position.offset
        }
        throw error(.trailingContent, "something follows the value; a file holds one value", at: offset)
    }
}

extension JSONParser {
    /// Begins the value whose first token is given: a finished scalar, or `nil` after opening a container.
    private mutating func begin(_ token: JSONToken) throws(PropertyListError) -> Node? {
        try countObject(at: token.offset)
        switch token.kind {
        case .string(let value): return Node(.scalar(.string(value)), offset: token.offset)
        case .integer(let value): return Node(.scalar(.integer(value)), offset: token.offset)
        case .real(let value): return Node(.scalar(.real(value)), offset: token.offset)
        case .boolean(let value): return Node(.scalar(.boolean(value)), offset: token.offset)
        case .null where dialect.skipsNull && !containers.isEmpty:
            if warnings.count < DuplicateKeys.maximumWarnings {
                warnings.append(error(.unsupported, "null is no value, and is left out", at: token.offset))
            }
            isNull = true
            return Node(.scalar(.boolean(false)), offset: token.offset)
        case .null:
            throw error(
                .unsupported,
                "a property list cannot hold null; leave the key out, or list it under Absent to force that it has "
                    + "no value", at: token.offset)
        case .beginObject, .beginArray:
            guard containers.count < limits.depth else {
                throw error(
                    .tooDeep, "arrays and objects are nested more than \(limits.depth) levels deep", at: token.offset)
            }
            var isObject = false
            if case .beginObject = token.kind { isObject = true }
            containers.append(Container(isObject: isObject, offset: token.offset))
            return nil
        case .end: throw unfinished(at: token.offset)
        case .comma: throw error("a value is missing before this comma", at: token.offset)
        case .colon: throw error("a value is missing before this colon", at: token.offset)
        case .endObject, .endArray: throw error("a value is missing before this bracket", at: token.offset)
        }
    }

    /// Begins the next element or member of the innermost container, or closes it.
    private mutating func beginMember() throws(PropertyListError) -> Node? {
        let last = containers.count - 1
        guard last >= 0 else { throw unfinished(at: tokenizer.offset) }
        let isObject = containers[last].isObject
        let token = try tokenizer.token()
        switch token.kind {
        case .endObject where isObject, .endArray where !isObject:
            if let comma = containers[last].comma, dialect == .plain {
                throw error("a comma before the closing bracket is not allowed in this file", at: comma)
            }
            return close()
        case .endObject, .endArray: throw mismatched(token)
        case .end: throw unfinished(at: token.offset)
        case .comma:
            throw error("a \(isObject ? "key" : "value") is missing before this comma", at: token.offset)
        default: return isObject ? try beginValue(ofKey: token) : try begin(token)
        }
    }

    /// Reads the colon after a key and begins its value.
    private mutating func beginValue(ofKey token: JSONToken) throws(PropertyListError) -> Node? {
        guard case .string(let key) = token.kind else {
            throw error("a key is missing here; keys are texts in double quotes", at: token.offset)
        }
        try countObject(at: token.offset)
        let colon = try tokenizer.token()
        switch colon.kind {
        case .colon: break
        case .end: throw unfinished(at: colon.offset)
        default: throw error("a colon is missing after the key", at: colon.offset)
        }
        containers[containers.count - 1].key = Key(key)
        containers[containers.count - 1].keyOffset = token.offset
        return try begin(try tokenizer.token())
    }

    /// Puts a finished value into the innermost container and reads what follows.
    ///
    /// - Returns: the container, if that closes it; `nil` if another member is to come.
    private mutating func add(_ value: Node) throws(PropertyListError) -> Node? {
        let last = containers.count - 1
        let isObject = containers[last].isObject
        if isNull {
            isNull = false
        } else if isObject {
            let entry = Node.Entry(key: containers[last].key, keyOffset: containers[last].keyOffset, value: value)
            containers[last].entries.append(entry)
        } else {
            containers[last].elements.append(value)
        }
        let token = try tokenizer.token()
        switch token.kind {
        case .comma:
            containers[last].comma = token.offset
            return nil
        case .endObject where isObject, .endArray where !isObject: return close()
        case .endObject, .endArray: throw mismatched(token)
        case .end: throw unfinished(at: token.offset)
        case .colon where !isObject: throw error("a colon belongs into an object, in braces", at: token.offset)
        case .colon: throw error("a colon stands only after a key", at: token.offset)
        default: throw error("a comma is missing before this \(isObject ? "key" : "value")", at: token.offset)
        }
    }

    /// Closes the innermost container and returns its node.
    private mutating func close() -> Node? {
        guard let container = containers.popLast() else { return nil }
        guard container.isObject else { return Node(.array(container.elements), offset: container.offset) }
        if !DuplicateKeys.areDistinct(container.entries) {
            let source = tokenizer.source
            DuplicateKeys.report(container.entries, into: &warnings) { source.position(at: $0) }
        }
        if JSONForms.form(of: container.entries) != nil { holdsForms = true }
        return Node(.dictionary(container.entries), offset: container.offset)
    }
}

extension JSONParser {
    /// Counts a value or key.
    private mutating func countObject(at offset: Int) throws(PropertyListError) {
        objects += 1
        guard objects <= limits.objects else {
            throw error(.tooManyObjects, "the text has more than \(limits.objects) values and keys", at: offset)
        }
    }

    /// The error for a text that ends too early.
    private func unfinished(at offset: Int) -> PropertyListError {
        guard let container = containers.last else { return error(.truncated, "the text ends here", at: offset) }
        let line = tokenizer.source.position(at: container.offset).line
        let bracket = container.isObject ? "{" : "["
        return error(.truncated, "the text ends, but the '\(bracket)' of line \(line) is not closed", at: offset)
    }

    /// The error for a closing bracket of the wrong kind.
    private func mismatched(_ token: JSONToken) -> PropertyListError {
        let isObject = containers.last?.isObject ?? false
        let line = tokenizer.source.position(at: containers.last?.offset ?? 0).line
        let (opening, closing, found) = isObject ? ("{", "}", "]") : ("[", "]", "}")
        return error(
            "the '\(opening)' of line \(line) is closed by '\(closing)', not by '\(found)'", at: token.offset)
    }

    /// An error at an offset.
    private func error(_ code: PropertyListError.Code, _ message: String, at offset: Int) -> PropertyListError {
        tokenizer.error(code, message, at: offset)
    }

    /// An error of syntax at an offset.
    private func error(_ message: String, at offset: Int) -> PropertyListError {
        tokenizer.error(.syntax, message, at: offset)
    }
}
