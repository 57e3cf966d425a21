/// The encodings of a property list that are read and written.
package enum Format: String, Sendable, CaseIterable {
    /// XML with the `plist` root element (`PropertyList-1.0.dtd`).
    case xml
    /// Binary, `bplist00`.
    case binary
    /// OpenStep text: `{ key = value; }`.
    case openStep = "openstep"
    /// JSON, with comments and trailing commas when read.
    case json
}
