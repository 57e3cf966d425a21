import PropertyList

extension PolicyParser {
    /// Reads `Metadata`: domains, keys, what people are told.
    mutating func parseMetadata(_ node: Node) {
        forEachKey(node, "Metadata", content: "metadata") { parser, domain, entry, place in
            let position = parser.cursor.position(of: entry.keyOffset)
            guard let fields = entry.value.entries else {
                return parser.reportType(
                    entry.value, place, expected: "a dictionary with Title, Description, Controls or Sensitive")
            }
            let metadata = parser.keyMetadata(fields, place)
            parser.metadata.append(
                MetadataEntry(domain: domain, key: entry.key, metadata: metadata, origin: parser.origin(position)))
        }
    }

    /// Reads the metadata of one key.
    private mutating func keyMetadata(_ fields: [Node.Entry], _ place: String) -> KeyMetadata {
        var metadata = KeyMetadata()
        for entry in fields {
            switch MetadataField(rawValue: entry.key.string) {
            case .title: metadata.title = string(entry.value, "\(place).Title") ?? ""
            case .description: metadata.description = string(entry.value, "\(place).Description") ?? ""
            case .controls:
                guard let elements = entry.value.elements else {
                    reportType(entry.value, "\(place).Controls", expected: "an array of strings")
                    offerList(entry.value)
                    continue
                }
                metadata.controls = strings(elements, "\(place).Controls").map(\.text)
            case .sensitive: metadata.isSensitive = boolean(entry.value, "\(place).Sensitive") ?? false
            case nil: reportUnknown(entry, among: fields, in: place, known: MetadataField.names)
            }
        }
        return metadata
    }
}
