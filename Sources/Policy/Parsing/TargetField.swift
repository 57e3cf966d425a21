/// The fields of `Target`; its `Except` and a waiver have the first four.
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

    /// The weekly windows.
    case schedule = "Schedule"
    /// The first moment at which the file applies.
    case notBefore = "NotBefore"
    /// The first moment at which the file does not apply any more.
    case notAfter = "NotAfter"

    /// Every name of a field of `Target`, for suggestions.
    static let names: [String] = allCases.map(\.rawValue)
    /// The clauses that name somebody or something, which `Except` has too.
    static let clauses: [String] = [users, groups, hosts, tags].map(\.rawValue)
}
