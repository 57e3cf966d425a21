/// Decodes the `$` forms of a JSON property list, which represent values that JSON lacks.
struct JSONForms {
    /// The text, for positions.
    let source: SourceText

    /// The entry of a dictionary that is a form: its only key begins with `$`.
    ///
    /// - Returns: `nil` for any other dictionary; of a duplicate key, the last entry.
    static func form(of entries: [Node.Entry]) -> Node.Entry? {
        guard let last = entries.last, last.key.string.utf8.first == UInt8(ascii: "$") else { return nil }
        return entries.allSatisfy { $0.key == last.key } ? last : nil
    }

    /// Decodes the forms in a value and in all its parts.
    ///
    /// The parser's depth limit bounds the recursion.
    func decode(_ node: Node) throws(PropertyListError) -> Node {
        switch node.content {
        case .scalar: return node
        case .array(let nodes):
            var decoded: [Node] = []
            decoded.reserveCapacity(nodes.count)
            for node in nodes { decoded.append(try decode(node)) }
            return Node(.array(decoded), offset: node.offset)
        case .dictionary(let entries):
            guard let form = JSONForms.form(of: entries) else {
                return Node(.dictionary(try decode(entries)), offset: node.offset)
            }
            return Node(try content(of: form), offset: node.offset)
        }
    }

    /// Decodes the forms in the values of a dictionary.
    private func decode(_ entries: [Node.Entry]) throws(PropertyListError) -> [Node.Entry] {
        var decoded: [Node.Entry] = []
        decoded.reserveCapacity(entries.count)
        for entry in entries {
            decoded.append(Node.Entry(key: entry.key, keyOffset: entry.keyOffset, value: try decode(entry.value)))
        }
        return decoded
    }

    /// The point in time of a date's content: a text, or seconds since 2001 for dates beyond the calendar.
    private static func seconds(_ content: Node.Content) -> Double? {
        switch content {
        case .scalar(.string(let text)): CalendarDate.parse(iso8601: text.utf8)
        case .scalar(.real(let seconds)): seconds.isFinite ? seconds : nil
        default: nil
        }
    }

    /// The value that a form represents.
    private func content(of form: Node.Entry) throws(PropertyListError) -> Node.Content {
        switch form.key.string {
        case "$date":
            guard let seconds = JSONForms.seconds(form.value.content) else {
                throw error(.date, "$date needs a time in UTC like \"2026-11-20T08:00:00Z\"", form)
            }
            return .scalar(.date(seconds))
        case "$data":
            guard case .scalar(.string(let text)) = form.value.content else {
                throw error(.data, "$data needs a string in Base64", form)
            }
            return .scalar(.data(try data(text, form)))
        case "$real":
            guard case .scalar(.string(let text)) = form.value.content, let value = JSONForms.reals[Key(text)] else {
                throw error(.number, "$real needs \"nan\", \"inf\" or \"-inf\"", form)
            }
            return .scalar(.real(value))
        case "$int":
            guard case .scalar(.string(let text)) = form.value.content, let value = Integer(decimal: text),
                Key(value.description) == Key(text)
            else { throw error(.number, "$int needs a string of digits that fits 64 bits", form) }
            return .scalar(.integer(value))
        case "$dict":
            guard let entries = form.value.entries else {
                throw error(.syntax, "$dict needs a dictionary, which is then taken as it stands", form)
            }
            return .dictionary(try decode(entries))
        default:
            throw PropertyListError(
                .unsupported,
                "a dictionary whose only key begins with '$' is one of $date, $data, $real or $int; to mean a "
                    + "dictionary, wrap it in {\"$dict\":{…}}",
                at: source.position(at: form.keyOffset))
        }
    }

    /// The reals that JSON has no digits for.
    private static let reals: [Key: Double] = ["nan": .nan, "inf": .infinity, "-inf": -.infinity]

    /// Decodes Base64; the position of an error is exact if no escape comes before it.
    private func data(_ text: String, _ form: Node.Entry) throws(PropertyListError) -> [UInt8] {
        do {
            return try Base64.decode(text.utf8)
        } catch {
            let content = form.value.offset + 1
            let isVerbatim = source.utf8.dropFirst(content).prefix(error.offset).elementsEqual(
                text.utf8.prefix(error.offset))
            throw PropertyListError(
                .data, error.message,
                at: source.position(at: isVerbatim ? content + error.offset : form.value.offset))
        }
    }

    /// An error in the value of a form.
    private func error(_ code: PropertyListError.Code, _ message: String, _ form: Node.Entry) -> PropertyListError {
        PropertyListError(code, message, at: source.position(at: form.value.offset))
    }
}

extension JSONWriter {
    /// Writes a property list.
    ///
    /// Dates, data, NaN and infinities have the forms `{"$date":…}`, `{"$data":…}`, `{"$real":…}`; a dictionary whose
    /// only key begins with `$` is wrapped in `{"$dict":…}`. Keys are sorted by their bytes. A date outside of the
    /// years 0 to 9999, which has no text form, is written as seconds since 2001: `{"$date":1e15}`.
    package mutating func value(_ value: Value) {
        write(value)
    }

    /// Writes a property list so that every date reads back exactly.
    ///
    /// As ``value(_:)``, with a date that is not a whole second as seconds since 2001: `{"$date":0.5}`.
    package mutating func exactValue(_ value: Value) {
        write(value, keepsFractions: true)
    }

    /// Writes a property list for readers that store numbers as doubles (I-JSON, RFC 7493).
    ///
    /// As ``value(_:)``, with whole numbers beyond ±(2^53 - 1) as `{"$int":"9007199254740993"}`.
    package mutating func iJSONValue(_ value: Value) {
        write(value, marksLargeIntegers: true)
    }

    /// Writes a property list of any type.
    private mutating func write(_ value: Value, marksLargeIntegers: Bool = false, keepsFractions: Bool = false) {
        switch value {
        case .string(let value): string(value)
        case .boolean(let value): boolean(value)
        case .integer(let value):
            if marksLargeIntegers && JSONWriter.isBeyondDouble(value) {
                form("$int", value.description)
            } else {
                integer(value)
            }
        case .real(let value): real(value)
        case .date(let seconds):
            let isWhole = !keepsFractions || seconds.rounded() == seconds
            if isWhole, let text = CalendarDate.iso8601(seconds) {
                form("$date", text)
            } else {
                beginObject()
                member("$date")
                real(seconds)
                endObject()
            }
        case .data(let bytes): form("$data", Base64.encode(bytes))
        case .array(let values):
            beginArray()
            for value in values {
                write(value, marksLargeIntegers: marksLargeIntegers, keepsFractions: keepsFractions)
            }
            endArray()
        case .dictionary(let values):
            let isForm = values.count == 1 && values.first?.key.string.utf8.first == UInt8(ascii: "$")
            if isForm {
                beginObject()
                member("$dict")
            }
            beginObject()
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                member(key.string)
                write(value, marksLargeIntegers: marksLargeIntegers, keepsFractions: keepsFractions)
            }
            endObject()
            if isForm { endObject() }
        }
    }

    /// Whether a number is outside of ±(2^53 - 1), so that doubles cannot represent all of its neighbours.
    private static func isBeyondDouble(_ value: Integer) -> Bool {
        let bound = 1 << 53 - 1
        guard let number = value.int64 else { return true }
        return number > bound || number < -bound
    }
}
