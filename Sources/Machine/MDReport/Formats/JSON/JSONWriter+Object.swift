import MDPropertyList

extension JSONWriter {
    /// Writes a member that is an object.
    mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
        member(name)
        beginObject()
        body(&self)
        endObject()
    }
}
