package import MDPropertyList

/// The stable codes of findings, as printed in brackets.
package enum LintCode: String, Sendable, CaseIterable {
    // Errors of the property list itself: PropertyListError.Code under the same names.

    /// The file exceeds the size limit.
    case tooLarge = "too-large"
    /// Arrays and dictionaries are nested too deeply.
    case tooDeep = "too-deep"
    /// There are too many values and keys.
    case tooManyObjects = "too-many-objects"
    /// The file is empty, or has only blanks and comments.
    case empty
    /// The file ends within a value.
    case truncated
    /// A character or byte that is not allowed at its place.
    case syntax
    /// Content after the root value.
    case trailingContent = "trailing-content"
    /// The root is not a dictionary.
    case rootNotDictionary = "root-not-dictionary"
    /// A key occurs twice in one dictionary.
    case duplicateKey = "duplicate-key"
    /// Bytes that are not valid text.
    case encoding
    /// A number that is malformed or out of range.
    case number
    /// A date that is malformed or out of range.
    case date
    /// Base64 or hexadecimal data that does not decode.
    case data
    /// A construction that a property list cannot hold, null for example.
    case unsupported
    /// A reference in a binary file that leads outside of it, or into a cycle.
    case reference

    // Errors of one policy file.

    /// A kind of file, or a field, that this version refuses.
    case notSupported = "not-supported"
    /// A field that no policy file has.
    case unknownField = "unknown-field"
    /// A field of another type than it must have.
    case wrongType = "wrong-type"
    /// A required field is missing.
    case missingField = "missing-field"
    /// A field of the right type with content that is not allowed.
    case invalidValue = "invalid-value"
    /// An identifier that is not in reverse DNS form.
    case invalidIdentifier = "invalid-identifier"
    /// A name that is not valid for a domain.
    case invalidDomain = "invalid-domain"
    /// A key that is not valid.
    case invalidKey = "invalid-key"
    /// A host pattern, or the pattern of a constraint, that does not parse.
    case invalidPattern = "invalid-pattern"
    /// A variable that does not exist or is not closed.
    case unknownVariable = "unknown-variable"
    /// An entry that is both forced and absent in one file.
    case forcedAndAbsent = "forced-and-absent"
    /// A signed profile whose message is damaged or encrypted, or is only a signature.
    case signedMessage = "signed-message"
    /// A payload of a profile that only macOS carries out, or that is encrypted; nothing of it is in force.
    case notApplicable = "not-applicable"
    /// A field of a profile that has no effect here.
    case noEffect = "no-effect"
    /// A manifest, or one of its fields, that cannot be read.
    case manifest
    /// A placeholder that a management server would have filled in.
    case placeholder
    /// A clause without items, which matches no user.
    case emptyClause = "empty-clause"
    /// A constraint that no value satisfies.
    case unsatisfiableConstraint = "unsatisfiable-constraint"

    /// An entry that a program that does not use this library cannot carry out.
    case notObeyed = "not-obeyed"
    /// A domain that no program is known to read.
    case unknownDomain = "unknown-domain"
    /// A common setting that does not exist, or a value that it cannot have.
    case commonSetting = "common-setting"
    /// A mistake in a data file that says what common settings mean to programs.
    case programData = "program-data"
    /// A policy file without content.
    case noEntries = "no-entries"
    /// A file in a checked folder without any field of a policy file.
    case noPolicy = "no-policy"

    // Findings about the times of a file, and the end of a waiver (`LintTime`).

    /// A target whose `NotAfter` has passed.
    case expired
    /// A target that never applies: it ends before it begins, or no window of its schedule ever opens.
    case neverStarts = "never-starts"
    /// A calendar that no schedule uses.
    case unusedCalendar = "unused-calendar"
    /// A waiver without `Reason`.
    case waiverWithoutReason = "waiver-without-reason"
    /// A waiver without `Until`.
    case waiverWithoutEnd = "waiver-without-end"
    /// A waiver whose `Until` has passed.
    case expiredWaiver = "expired-waiver"

    // Findings about the place of a file, its trust and its copies.

    /// A file in a policy directory that is ignored because of its name.
    case ignoredName = "ignored-name"
    /// A policy file that the file of the same name in the other directory replaces or switches off.
    case replaced
    /// A file with `Temporary` outside of `/run`, or one that contradicts its field.
    case temporary
    /// A file, a link or a directory above it that a user other than root can change.
    case untrusted
    /// A policy file, or a directory above it, that some users cannot read.
    case notReadable = "not-readable"
    /// A file that is used although its group can write it (only beneath `--root`).
    case groupWritable = "group-writable"
    /// A file or directory that could not be read.
    case unreadable
    /// A file that cannot be used now; its recorded copy is in force.
    case lastGood = "last-good"
    /// A file that cannot be used and has no recorded copy: it forces nothing.
    case notInForce = "not-in-force"
    /// A recorded copy that is damaged.
    case damagedCopy = "damaged-copy"
    /// A compiled table that is damaged or that other users can write.
    case damagedTable = "damaged-table"
    /// Findings that could not be recorded.
    case notRecorded = "not-recorded"
    /// An account file that could not be read correctly.
    case accounts

    /// A file without a signature on a machine that requires one.
    case unsigned
    /// A signature by an untrusted signer, or of other bytes.
    case badSignature = "bad-signature"
    /// A signature whose check has not been recorded yet.
    case signatureUnknown = "signature-unknown"
    /// A signed file with a lower `Version` than was recorded of its identifier.
    case oldVersion = "old-version"

    // Findings about several files together.

    /// Two files have one identifier.
    case duplicateIdentifier = "duplicate-identifier"
    /// Two files for overlapping targets force one key to different values.
    case conflictingValues = "conflicting-values"
    /// An entry that another file overrides for every target of it.
    case neverWins = "never-wins"
    /// An entry of temporary policy, in `/run`, that a file in `/etc` overrides.
    case temporaryLoses = "temporary-loses"
    /// A waiver that lifts an entry of temporary policy, in `/run`.
    case temporaryLifted = "temporary-lifted"
    /// A waiver that cannot free its key, because an enforced file holds it.
    case waiverWithoutEffect = "waiver-without-effect"
    /// A value that a constraint does not allow.
    case outsideConstraint = "outside-constraint"
    /// A value that the manifest of its domain does not allow.
    case outsideManifest = "outside-manifest"
    /// A value for a key that the manifest of its domain calls deprecated.
    case deprecated
    /// Two files combine one key by different operators.
    case combineDisagrees = "combine-disagrees"
    /// An entry whose type the operator of its key cannot combine.
    case cannotCombine = "cannot-combine"
    /// A waiver or an operator for a key that no file decides, or metadata for a key that no file mentions.
    case idleRule = "idle-rule"
    /// Two calendars have one name.
    case duplicateCalendar = "duplicate-calendar"
    /// The global domain is sealed.
    case sealedGlobalDomain = "sealed-global-domain"
    /// Two keys, or two domains, that differ only by case or normalization.
    case similarKeys = "similar-keys"
    /// A user of a target that does not exist on the machine.
    case unknownUser = "unknown-user"
    /// A group of a target that does not exist on the machine.
    case unknownGroup = "unknown-group"
    /// A user or group of a target that a directory service spells otherwise.
    case otherSpelling = "other-spelling"
    /// A target whose host patterns do not match this machine.
    case noMatchingHost = "no-matching-host"
    /// A target whose tags this machine does not have.
    case noMatchingTag = "no-matching-tag"
    /// A target that matches no user of this machine for another reason.
    case matchesNobody = "matches-nobody"
    /// A time zone that cannot be read: its window counts as open.
    case unknownZone = "unknown-zone"
    /// A calendar that no file in force defines: it counts as open.
    case unknownCalendar = "unknown-calendar"

    /// Makes the code of an error of the property list.
    package init(_ code: PropertyListError.Code) {
        switch code {
        case .tooLarge: self = .tooLarge
        case .tooDeep: self = .tooDeep
        case .tooManyObjects: self = .tooManyObjects
        case .empty: self = .empty
        case .truncated: self = .truncated
        case .syntax: self = .syntax
        case .trailingContent: self = .trailingContent
        case .rootNotDictionary: self = .rootNotDictionary
        case .duplicateKey: self = .duplicateKey
        case .encoding: self = .encoding
        case .number: self = .number
        case .date: self = .date
        case .data: self = .data
        case .unsupported: self = .unsupported
        case .reference: self = .reference
        }
    }
}
