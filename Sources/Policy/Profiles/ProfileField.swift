/// The fields at the top of a profile that mean something here.
enum ProfileField {
    /// The profile's name.
    static let identifier = "PayloadIdentifier"
    /// The payloads.
    static let content = "PayloadContent"
    /// The payloads, encrypted for one machine.
    static let encryptedContent = "EncryptedPayloadContent"
    /// `Configuration` for a profile; else what a payload is.
    static let type = "PayloadType"
    /// The administrator's count of versions.
    static let version = "PayloadVersion"
    /// A short name for people.
    static let displayName = "PayloadDisplayName"
    /// What the profile is for.
    static let description = "PayloadDescription"
    /// Whose profile it is.
    static let organization = "PayloadOrganization"
    /// `System` or `User`.
    static let scope = "PayloadScope"
    /// When the profile expires.
    static let expiration = "PayloadExpirationDate"
    /// When the profile is removed.
    static let removalDate = "RemovalDate"
    /// How long after its installation the profile is removed.
    static let duration = "DurationUntilRemoval"
    /// Whether a payload counts; without effect.
    static let enabled = "PayloadEnabled"

    /// The domains in an export of what came before profiles.
    static let applicationData = "mcx_application_data"
    /// When what a profile sets once was made, so that a later one is set again.
    static let stamp = "mcx_data_timestamp"
    /// What a profile forces, or sets once, in a domain.
    static let settings = "mcx_preference_settings"

    /// Every field that Apple defines at the top of a profile.
    static let root: Set<String> = [
        identifier, content, encryptedContent, type, version, displayName, description, organization, scope, expiration,
        removalDate, duration, enabled, "PayloadUUID", "PayloadRemovalDisallowed", "ConsentText", "HasRemovalPasscode",
        "IsEncrypted", "TargetDeviceType", "PayloadSource", "PayloadInstallDate", "PayloadAcceptance",
    ]

    /// Every field that Apple defines for all payloads, besides their settings.
    static let payload: Set<String> = [
        identifier, type, version, displayName, description, organization, scope, enabled, "PayloadUUID",
        "PayloadRemovalDisallowed", "PayloadExpirationDate", "PayloadRequirement",
    ]
}
