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
    /// Entries that are written into the user's own domain a single time.
    case setOnce = "SetOnce"
    /// Forced entries without a value.
    case absent = "Absent"
    /// Domains of which every key is forced.
    case sealed = "Sealed"
    /// What users' values must be like.
    case constraints = "Constraints"
    /// How the forced entries of several files are joined.
    case combine = "Combine"
    /// Exceptions.
    case waivers = "Waivers"
    /// Timetables that schedules refer to.
    case calendars = "Calendars"
    /// What people are told about keys.
    case metadata = "Metadata"
    /// What becomes of writes to forced keys.
    case onOverride = "OnOverride"
    /// What a file of temporary policy says of itself.
    case temporary = "Temporary"
    /// The JSON Schema that an editor checks the file with; without effect here.
    case schema = "$schema"

    /// Every name of a field, for suggestions.
    static let names: [String] = allCases.map(\.rawValue)
}
