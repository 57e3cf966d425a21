/// The fields at the top of a policy file.
enum PolicyField: String, CaseIterable {
    /// The policy's name in reverse DNS form; required.
    case identifier = "Identifier"
    /// The administrator's count of versions.
    case version = "Version"
    /// What the policy is for.
    case description = "Description"
    /// Whom to ask.
    case contact = "Contact"
    /// Whom the file applies to.
    case target = "Target"
    /// Whether no later file overrides this one.
    case enforced = "Enforced"
    /// Entries ahead of every user domain.
    case forced = "Forced"
    /// Entries behind every user domain.
    case recommended = "Recommended"
    /// Forced entries without a value.
    case absent = "Absent"
    /// What becomes of writes to forced keys.
    case onOverride = "OnOverride"
    /// The JSON Schema that an editor checks the file with; without effect here.
    case schema = "$schema"

    /// Fields of the format that this version refuses, so that no part of a policy is ever silently not in force.
    static let unsupported: Set<String> = [
        "SetOnce", "Sealed", "Constraints", "Combine", "Waivers", "Calendars", "Metadata", "Sensitive",
    ]

    /// Every name of a field, for suggestions.
    static let names: [String] = allCases.map(\.rawValue) + unsupported.sorted()
}
