package import MDPropertyList

/// JSON as other programs read it: `$` has no meaning, and there are no dates and no data.
package enum PlainJSON {
    /// The most bytes of a file of another program that is read.
    package static let sizeLimit = 16 << 20

    /// Whether a value can be written.
    package static func accepts(_ value: Value) -> Bool {
        switch value {
        case .string, .boolean, .integer: true
        case .real(let number): number.isFinite
        case .date, .data: false
        case .array(let elements): elements.allSatisfy(accepts)
        case .dictionary(let members): members.values.allSatisfy(accepts)
        }
    }

    /// Writes a value, indented, with members in byte order and a line feed at the end.
    ///
    /// - Returns: the text; `nil` if the value cannot be written.
    package static func encode(_ value: Value) -> [UInt8]? {
        guard accepts(value) else { return nil }
        var writer = JSONWriter(pretty: true)
        write(value, to: &writer)
        return writer.utf8 + [0x0a]
    }

    private static func write(_ value: Value, to writer: inout JSONWriter) {
        switch value {
        case .array(let elements):
            writer.beginArray()
            for element in elements { write(element, to: &writer) }
            writer.endArray()
        case .dictionary(let members):
            writer.beginObject()
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                writer.member(name.string)
                write(member, to: &writer)
            }
            writer.endObject()
        default: writer.value(value)
        }
    }

    /// Reads an object, with comments and trailing commas, although few programs accept them.
    ///
    /// - Throws: the first error, with its position.
    package static func object(_ bytes: [UInt8]) throws(PropertyListError) -> [Key: Value] {
        let document = try JSONReader.readForeign(try SourceText(decoding: bytes))
        _ = try document.rootEntries()
        guard case .dictionary(let members) = document.root.value else { return [:] }
        return members
    }
}
