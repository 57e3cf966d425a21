import MDPlatform
import MDPropertyList

/// What documents of OSCAL have in common: objects, arrays and properties.
protocol OSCALDocument {
    /// The writer of the document.
    var json: JSONWriter { get set }
}

extension OSCALDocument {
    /// Writes an object.
    mutating func object(_ body: (inout Self) -> Void) {
        json.beginObject()
        body(&self)
        json.endObject()
    }

    /// Writes a member that is an array; nothing if there are no items, because OSCAL has no empty arrays.
    mutating func array<Item>(_ name: String, _ items: [Item], _ body: (inout Self, Item) -> Void) {
        guard !items.isEmpty else { return }
        json.member(name)
        json.beginArray()
        for item in items { object { body(&$0, item) } }
        json.endArray()
    }

    /// Writes properties that only this program knows; a value is one line and not empty.
    ///
    /// Their namespace is a URI as OSCAL demands, and the name of no domain.
    mutating func properties(_ properties: [(String, String)]) {
        array("props", properties.filter { !$0.1.isEmpty }) { document, item in
            document.json.field("name", item.0)
            document.json.field("ns", "urn:uuid:f561230c-34e8-53b0-8c06-d099099c95f6")
            document.json.field("value", Printable.escape(item.1))
        }
    }
}
