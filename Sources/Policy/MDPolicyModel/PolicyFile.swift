package import MDPlatform
package import MDPropertyList

/// A policy file that parsed without an error.
///
/// A class, so that sorting and storing files copies one reference instead of twenty fields.
package final class PolicyFile: Sendable {
    /// The identifier and the path, shared with the origins of the entries.
    package let source: Origin.Source
    /// The place of the identifier.
    package let identifierPosition: Position
    /// The version that the administrator assigns, if given.
    package let version: Integer?
    /// The place of the version.
    package let versionPosition: Position
    /// The field `Description`, empty if it is missing.
    package let summary: String
    /// The person or office to ask, shown to the user whose key is forced; empty if it is missing.
    package let contact: String
    /// The target, which includes the end of temporary policy; `nil` applies to everyone.
    package let target: Target?
    /// The place of the field `Target`.
    package let targetPosition: Position
    /// Whether no later file can override this one.
    package let enforced: Bool
    /// The effect of writes to the keys that this file forces.
    package let onOverride: OverrideMode
    /// The field `Temporary`; `nil` for a file that is not temporary policy.
    package let temporary: Temporary?
    /// The entries in file order.
    package let entries: [PolicyEntry]
    /// The sealed domains, in file order.
    package let seals: [Seal]
    /// The constraints on users' values, in file order.
    package let constraints: [ConstraintEntry]
    /// The combination operators, in file order.
    package let combine: [CombineEntry]
    /// The exceptions, in file order.
    package let waivers: [Waiver]
    /// The calendars that the schedules of all files may refer to, in file order.
    package let calendars: [NamedCalendar]
    /// The descriptions of keys, in file order.
    package let metadata: [MetadataEntry]
    /// The findings of lint that its author knows and means; without effect on what is in force.
    package let acknowledged: [LintAcknowledgement]
    /// The digest of the file's bytes.
    package let digest: Digest

    /// The identifier: any word, else the name of the file.
    package var identifier: String { source.policy }
    /// The path beneath the root.
    package var path: String { source.file }

    package convenience init(
        identifier: String, identifierPosition: Position = .start, version: Integer? = nil,
        versionPosition: Position = .start, summary: String = "", contact: String = "", target: Target? = nil,
        targetPosition: Position = .start, enforced: Bool = false,
        onOverride: OverrideMode = .refuse, temporary: Temporary? = nil,
        entries: [PolicyEntry] = [], seals: [Seal] = [], constraints: [ConstraintEntry] = [],
        combine: [CombineEntry] = [], waivers: [Waiver] = [], calendars: [NamedCalendar] = [],
        metadata: [MetadataEntry] = [], path: String, digest: Digest
    ) {
        self.init(
            Origin.Source(policy: identifier, file: path), identifierPosition: identifierPosition, version: version,
            versionPosition: versionPosition, summary: summary, contact: contact, target: target,
            targetPosition: targetPosition, enforced: enforced,
            onOverride: onOverride, temporary: temporary, entries: entries, seals: seals, constraints: constraints,
            combine: combine, waivers: waivers, calendars: calendars, metadata: metadata, digest: digest)
    }

    /// Makes a policy file that shares its source with the origins of its entries.
    package init(
        _ source: Origin.Source, identifierPosition: Position, version: Integer?, versionPosition: Position,
        summary: String, contact: String, target: Target?, targetPosition: Position, enforced: Bool,
        onOverride: OverrideMode, temporary: Temporary?,
        entries: [PolicyEntry],
        seals: [Seal], constraints: [ConstraintEntry], combine: [CombineEntry], waivers: [Waiver],
        calendars: [NamedCalendar], metadata: [MetadataEntry], acknowledged: [LintAcknowledgement] = [],
        digest: Digest
    ) {
        self.source = source
        self.identifierPosition = identifierPosition
        self.version = version
        self.versionPosition = versionPosition
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
        self.acknowledged = acknowledged
        self.digest = digest
    }
}

/// A warning of lint that the author of a file means to have, with the reason.
package struct LintAcknowledgement: Hashable, Sendable {
    package let code: LintCode
    package let reason: String

    package init(code: LintCode, reason: String) {
        (self.code, self.reason) = (code, reason)
    }
}

/// An exception: a subject for which a key is not forced, absent, sealed or constrained.
///
/// It lifts the key from its own file and from all files that are not `Enforced`; in an `Enforced` file, from those
/// too.
package struct Waiver: Hashable, Sendable {
    /// The subjects: each clause that was given must match, by any of its items; without clauses, every subject of the
    /// file.
    package let clauses: Target.Clauses
    package let domain: Key
    package let key: Key
    /// The end; `nil` if the waiver never ends.
    package let until: Timestamp?
    /// Why; empty if not given.
    package let reason: String
    /// The person that approved it; empty if not given.
    package let approvedBy: String
    package let origin: Origin

    package init(
        clauses: Target.Clauses = Target.Clauses(), domain: Key, key: Key, until: Timestamp? = nil, reason: String = "",
        approvedBy: String = "", origin: Origin
    ) {
        self.clauses = clauses
        self.domain = domain
        self.key = key
        self.until = until
        self.reason = reason
        self.approvedBy = approvedBy
        self.origin = origin
    }
}

/// The field `Temporary` of a file of temporary policy: the verb that made it, its end, the person that asked for it,
/// and the reason.
package struct Temporary: Hashable, Sendable {
    /// The verb that made the file; the raw value is the word of the policy file.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// `policy exam`: a file of a set.
        case exam
        /// `policy grant`: an exception for one user and one key.
        case grant
    }

    package let kind: Kind
    /// The set that an exam's file comes from; `nil` for a grant.
    package let set: Key?
    /// The end of the file; `nil` if only the next boot ends it.
    package let until: Timestamp?
    /// The person that asked for it; empty if not given.
    package let by: String
    /// Why; empty if not given.
    package let reason: String
    /// The digest of the file of the set that an exam's file was made from, if given.
    package let digest: Digest?
    package let position: Position

    package init(
        kind: Kind, set: Key? = nil, until: Timestamp? = nil, by: String = "", reason: String = "",
        digest: Digest? = nil, position: Position = .start
    ) {
        self.kind = kind
        self.set = set
        self.until = until
        self.by = by
        self.reason = reason
        self.digest = digest
        self.position = position
    }
}

extension PolicyFile {
    /// The exceptions that stand in the file, without what those of common settings are for programs.
    package var writtenWaivers: [Waiver] { waivers.filter { !$0.origin.source.isExpanded } }

    /// Whether `policy grant` made the file; if so, it counts as ended while the clock is wrong.
    package var isGrant: Bool { temporary?.kind == .grant }

    /// The set of the exam that the file belongs to; `nil` for any other file.
    package var examSet: Key? { temporary?.kind == .exam ? temporary?.set : nil }

    /// The target with the end that `Temporary` gives the file, unless the target ends earlier.
    package static func target(_ target: Target?, endingWith temporary: Temporary?) -> Target? {
        guard let end = temporary?.until else { return target }
        return Target(
            include: target?.include ?? Target.Clauses(), except: target?.except ?? Target.Clauses(),
            schedule: target?.schedule, notBefore: target?.notBefore, notAfter: min(target?.notAfter ?? end, end))
    }
}

/// The description of a key for users and administrators.
package struct KeyMetadata: Hashable, Sendable {
    /// A short name; empty if no file gives one.
    package var title: String
    /// What the key does; empty if no file says so.
    package var description: String
    /// The rules that require it: CIS, STIG, BSI or the school's own, in the order given.
    package var controls: [String]
    /// Whether its values are never printed, logged or reported in clear text.
    package var isSensitive: Bool

    package init(title: String = "", description: String = "", controls: [String] = [], isSensitive: Bool = false) {
        self.title = title
        self.description = description
        self.controls = controls
        self.isSensitive = isSensitive
    }

    package var isEmpty: Bool { self == KeyMetadata() }
}

/// The metadata of a key in a policy file.
///
/// It applies while its file is in force, whatever the file's target: a key that is sensitive for one user is so for
/// all.
package struct MetadataEntry: Hashable, Sendable {
    package let domain: Key
    package let key: Key
    package let metadata: KeyMetadata
    /// The paths, or globs of paths, of the programs that should ask for the key; empty if the file names none.
    ///
    /// Only reports need them, so the compiled table has none.
    package let programs: [HostPattern]
    /// How grave it is if the key is not as it is required; `nil` if the file does not say.
    package let severity: RuleSeverity?
    /// The place of the key.
    package let origin: Origin

    package init(
        domain: Key, key: Key, metadata: KeyMetadata, programs: [HostPattern] = [], severity: RuleSeverity? = nil,
        origin: Origin
    ) {
        self.domain = domain
        self.key = key
        self.metadata = metadata
        self.programs = programs
        self.severity = severity
        self.origin = origin
    }
}

/// How grave it is if a requirement does not hold, from the least on; the raw value is the word of policy files.
package enum RuleSeverity: String, Sendable, CaseIterable, Comparable {
    case info
    case low
    case medium
    case high

    package static func < (left: RuleSeverity, right: RuleSeverity) -> Bool { left.rank < right.rank }

    /// The place among all, from 0 on.
    package var rank: Int { RuleSeverity.allCases.firstIndex(of: self) ?? 0 }
}
