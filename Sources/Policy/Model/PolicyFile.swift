package import Platform
package import PropertyList

/// A policy file that parsed without a mistake.
///
/// A class, so that whoever keeps or sorts what was found of a file copies one reference and not a score of fields.
package final class PolicyFile: Sendable {
    /// The identifier and the path, which the origins of the entries share.
    let source: Origin.Source
    /// Where the identifier stands.
    package let identifierPosition: Position
    /// The version that the administrator counts, where given.
    package let version: Integer?
    /// The field `Description`, empty where it is missing.
    package let summary: String
    /// Whom to ask, shown to the user whose key is forced; empty where it is missing.
    package let contact: String
    /// Whom the file applies to, its end as temporary policy included; `nil` is everyone.
    package let target: Target?
    /// Where the field `Target` stands.
    package let targetPosition: Position
    /// Whether no later file overrides this one.
    package let enforced: Bool
    /// What becomes of writes to the keys that this file forces.
    package let onOverride: OverrideMode
    /// What the file says of itself where it is temporary policy; `nil` for any other file.
    package let temporary: Temporary?
    /// The entries in file order.
    package let entries: [PolicyEntry]
    /// The domains of which every key is forced, in file order.
    package let seals: [Seal]
    /// What users' values must be like, in file order.
    package let constraints: [ConstraintEntry]
    /// How the forced entries of several files are joined, in file order.
    package let combine: [CombineEntry]
    /// The exceptions, in file order.
    package let waivers: [Waiver]
    /// The timetables that the schedules of all files may refer to, in file order.
    package let calendars: [NamedCalendar]
    /// What people are told about keys, in file order.
    package let metadata: [MetadataEntry]
    /// The digest of the file's bytes.
    package let digest: Digest

    /// The identifier, in reverse DNS form.
    package var identifier: String { source.policy }
    /// The path beneath the root.
    package var path: String { source.file }

    /// Makes a policy file.
    package convenience init(
        identifier: String, identifierPosition: Position = .start, version: Integer? = nil, summary: String = "",
        contact: String = "", target: Target? = nil, targetPosition: Position = .start, enforced: Bool = false,
        onOverride: OverrideMode = .refuse, temporary: Temporary? = nil,
        entries: [PolicyEntry] = [], seals: [Seal] = [], constraints: [ConstraintEntry] = [],
        combine: [CombineEntry] = [], waivers: [Waiver] = [], calendars: [NamedCalendar] = [],
        metadata: [MetadataEntry] = [], path: String, digest: Digest
    ) {
        self.init(
            Origin.Source(policy: identifier, file: path), identifierPosition: identifierPosition, version: version,
            summary: summary, contact: contact, target: target, targetPosition: targetPosition, enforced: enforced,
            onOverride: onOverride, temporary: temporary, entries: entries, seals: seals, constraints: constraints,
            combine: combine, waivers: waivers, calendars: calendars, metadata: metadata, digest: digest)
    }

    /// Makes a policy file whose entries share their origin's identifier and path with it.
    init(
        _ source: Origin.Source, identifierPosition: Position, version: Integer?, summary: String, contact: String,
        target: Target?, targetPosition: Position, enforced: Bool, onOverride: OverrideMode, temporary: Temporary?,
        entries: [PolicyEntry],
        seals: [Seal], constraints: [ConstraintEntry], combine: [CombineEntry], waivers: [Waiver],
        calendars: [NamedCalendar], metadata: [MetadataEntry], digest: Digest
    ) {
        self.source = source
        self.identifierPosition = identifierPosition
        self.version = version
        self.summary = summary
        self.contact = contact
        self.target = target
        self.targetPosition = targetPosition
        self.enforced = enforced
        self.onOverride = onOverride
        self.temporary = temporary
        self.entries = entries
        self.seals = seals
        self.constraints = constraints
        self.combine = combine
        self.waivers = waivers
        self.calendars = calendars
        self.metadata = metadata
        self.digest = digest
    }
}
