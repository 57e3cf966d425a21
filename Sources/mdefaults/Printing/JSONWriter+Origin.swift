import Platform
import Policy
import PropertyList

extension JSONWriter {
    /// Writes the member `origin`: policy, file, line and column; the byte offset in a binary file.
    mutating func origin(_ origin: Origin, in root: Root) {
        member("origin")
        originObject(origin, in: root)
    }

    /// Writes an origin as a value.
    mutating func originObject(_ origin: Origin, in root: Root) {
        beginObject()
        field("policy", origin.policy)
        field("file", root.display(origin.file))
        field("line", origin.position.line)
        field("column", origin.position.column)
        if origin.position.isBinary { field("offset", origin.position.offset) }
        endObject()
    }
}
