/// Turns the `$` forms of a JSON property list into the values that they stand for.
struct JSONForms {
    /// The text, for places.
    let source: SourceText

    /// The entry of a dictionary that is a form: its only key begins with `$`.
    ///
    /// - Returns: `nil` for any other dictionary; of a key that stands twice, the last entry.
    static func form(of entries: [Node.Entry]) -> Node.Entry? {
        guard let last = entries.last, last.key.string.utf8.first == UInt8(ascii: "$") else { return nil }
        return entries.allSatisfy { $0.key == last.key } ? last : nil
    }

    /// Decodes the forms in a value and in all its parts.
    ///
    /// Recursion is bounded by the depth that the parser let through.
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

    /// The point in time of a date's content: a text, or the seconds since 2001 that dates beyond the calendar are
    /// written as.
    private static func seconds(_ content: Node.Content) -> Double? {
        switch content {
        case .scalar(.string(let text)): CalendarDate.parse(iso8601: text.utf8)
        case .scalar(.real(let seconds)): seconds.isFinite ? seconds : nil
        default: nil
        }
    }

    /// What a form stands for.
    private func content(of form: Node.Entry) throws(PropertyListError) -> Node.Content {
        switch form.key.string {
        case "$date":
            guard let seconds = JSONForms.seconds(form.value.content) else {
                throw mistake(.date, "$date needs a time in UTC like \"2026-11-20T08:00:00Z\"", form)
            }
            return .scalar(.date(seconds))
        case "$data":
            guard case .scalar(.string(let text)) = form.value.content else {
                throw mistake(.data, "$data needs a string in Base64", form)
            }
            return .scalar(.data(try data(text, form)))
        case "$real":
            guard case .scalar(.string(let text)) = form.value.content, let value = JSONForms.reals[Key(text)] else {
                throw mistake(.number, "$real needs \"nan\", \"inf\" or \"-inf\"", form)
            }
            return .scalar(.real(value))
        case "$int":
            guard case .scalar(.string(let text)) = form.value.content, let value = Integer(decimal: text),
                Key(value.description) == Key(text)
            else { throw mistake(.number, "$int needs a string of digits that fits 64 bits", form) }
            return .scalar(.integer(value))
        case "$dict":
            guard let entries = form.value.entries else {
                throw mistake(.syntax, "$dict needs a dictionary, which is then taken as it stands", form)
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

    /// Decodes Base64, placing a mistake at its very digit where the string has no escapes before it.
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

    /// A mistake in the value of a form.
    private func mistake(_ code: PropertyListError.Code, _ message: String, _ form: Node.Entry) -> PropertyListError {
        PropertyListError(code, message, at: source.position(at: form.value.offset))
    }
}
