/// The fields of a waiver.
enum WaiverField: String, CaseIterable {
    /// User names.
    case users = "Users"
    /// Group names.
    case groups = "Groups"
    /// Patterns of host names.
    case hosts = "Hosts"
    /// Words of the machine's tags file.
    case tags = "Tags"
    /// The domain of the key.
    case domain = "Domain"
    /// The key that is lifted.
    case key = "Key"
    /// When it ends.
    case until = "Until"
    /// Why.
    case reason = "Reason"
    /// Who approved it.
    case approvedBy = "ApprovedBy"

    /// Every name of a field, for suggestions.
    static let names: [String] = allCases.map(\.rawValue)
}
