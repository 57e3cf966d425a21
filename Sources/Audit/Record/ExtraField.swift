/// A field of a record that this version does not know, kept so that nothing is lost when the record is shown.
package struct ExtraField: Hashable, Sendable {
    /// The field's name.
    package let name: String
    /// The field's value as compact JSON.
    package let json: String

    /// Makes a field.
    package init(name: String, json: String) {
        self.name = name
        self.json = json
    }
}
