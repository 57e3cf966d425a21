package import MDPropertyList

extension Manifest {
    /// The field that says whether a manifest has all keys; ours, beside those of ProfileManifests.
    static let wholeField = "md_all_keys"

    /// The manifest as a property list, which ``parse(bytes:shownPath:)`` reads as the same.
    package var propertyList: Value {
        var fields: [Key: Value] = ["pfm_domain": .string(domain.string)]
        fields["pfm_title"] = title.isEmpty ? nil : .string(title)
        fields["pfm_description"] = description.isEmpty ? nil : .string(description)
        fields["pfm_subkeys"] = .array(keys.values.sorted { $0.name < $1.name }.map(\.propertyList))
        if isWhole { fields[Key(Manifest.wholeField)] = .boolean(true) }
        return .dictionary(fields)
    }
}

extension ManifestKey {
    /// The fields that a program can say of its own key.
    fileprivate var propertyList: Value {
        var fields: [Key: Value] = [:]
        fields["pfm_name"] = name.string.isEmpty ? nil : .string(name.string)
        fields["pfm_type"] = type.map { .string($0.rawValue) }
        fields["pfm_title"] = title.isEmpty ? nil : .string(title)
        fields["pfm_description"] = description.isEmpty ? nil : .string(description)
        fields["pfm_range_min"] = minimum
        fields["pfm_range_max"] = maximum
        fields["pfm_range_list"] = oneOf.map { .array($0) }
        fields["pfm_default"] = defaultValue
        if isSensitive { fields["pfm_sensitive"] = .boolean(true) }
        if !subkeys.isEmpty { fields["pfm_subkeys"] = .array(subkeys.map(\.propertyList)) }
        return .dictionary(fields)
    }
}

extension ManifestType {
    /// The type of a value.
    package init(of value: Value) {
        self =
            switch value {
            case .string: .string
            case .boolean: .boolean
            case .integer: .integer
            case .real: .real
            case .date: .date
            case .data: .data
            case .array: .array
            case .dictionary: .dictionary
            }
    }
}
