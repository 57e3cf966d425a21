import MDPropertyList

extension JSONWriter {
    /// Writes a member that is an object.
    mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
        member(name)
        beginObject()
        body(&self)
        endObject()
    }

    /// Writes a member that is an array of objects.
    mutating func list<Item>(_ name: String, _ items: some Sequence<Item>, _ body: (Item, inout JSONWriter) -> Void) {
        member(name)
        beginArray()
        for item in items {
            beginObject()
            body(item, &self)
            endObject()
        }
        endArray()
    }
}
