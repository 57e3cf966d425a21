/// The fields of the metadata of a key.
enum MetadataField: String, CaseIterable {
    /// A short name.
    case title = "Title"
    /// What the key does.
    case description = "Description"
    /// The rules that ask for it.
    case controls = "Controls"
    /// Whether values are never shown.
    case sensitive = "Sensitive"

    /// Every name of a field, for suggestions.
    static let names: [String] = allCases.map(\.rawValue)
}
