/// The fields of `Target` and of its `Except`.
enum TargetField: String, CaseIterable {
    /// User names.
    case users = "Users"
    /// Group names.
    case groups = "Groups"
    /// Patterns of host names.
    case hosts = "Hosts"
    /// Words of the machine's tags file.
    case tags = "Tags"
    /// Who is taken out again.
    case except = "Except"

    /// Fields of the format that this version refuses.
    static let unsupported: Set<String> = ["Schedule", "NotBefore", "NotAfter"]

    /// Every name of a field, for suggestions.
    static let names: [String] = allCases.map(\.rawValue) + unsupported.sorted()
}
