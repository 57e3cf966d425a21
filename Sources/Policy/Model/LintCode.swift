package import PropertyList

/// The stable codes of findings, as printed in brackets.
package enum LintCode: String, Sendable, CaseIterable {
    // Mistakes of the property list itself: PropertyListError.Code under the same names.

    /// The file is larger than is read.
    case tooLarge = "too-large"
    /// Arrays and dictionaries are nested too deeply.
    case tooDeep = "too-deep"
    /// There are too many values and keys.
    case tooManyObjects = "too-many-objects"
    /// The file is empty, or holds nothing but blanks and comments.
    case empty
    /// The file ends within a value.
    case truncated
    /// A character or byte stands where it must not.
    case syntax
    /// Something follows the root value.
    case trailingContent = "trailing-content"
    /// The root is no dictionary.
    case rootNotDictionary = "root-not-dictionary"
    /// A key stands twice in one dictionary.
    case duplicateKey = "duplicate-key"
    /// Bytes that are no valid text.
    case encoding
    /// A number that is none, or does not fit.
    case number
    /// A date that is none, or is out of range.
    case date
    /// Base64 or hexadecimal data that does not decode.
    case data
    /// A construction that a property list cannot hold, null for example.
    case unsupported
    /// A reference in a binary file that leads outside, or into a circle.
    case reference

    // Mistakes of one policy file.

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
    /// A name that cannot be that of a domain.
    case invalidDomain = "invalid-domain"
    /// A key that cannot be that of a default.
    case invalidKey = "invalid-key"
    /// A host pattern, or the pattern of a constraint, that does not parse.
    case invalidPattern = "invalid-pattern"
    /// A variable that does not exist, or does not end.
    case unknownVariable = "unknown-variable"
    /// An entry that one file gives as forced and as absent.
    case forcedAndAbsent = "forced-and-absent"
    /// A signed profile whose message is damaged, encrypted, or holds only a signature.
    case signedMessage = "signed-message"
    /// A payload of a profile that belongs to macOS itself, or is encrypted; nothing of it is in force.
    case notApplicable = "not-applicable"
    /// A field of a profile that changes nothing here.
    case noEffect = "no-effect"
    /// A manifest that cannot be read, or one of its fields.
    case manifest
    /// A mark of a template that a management server would have filled in.
    case placeholder
    /// A clause without items, which matches nobody.
    case emptyClause = "empty-clause"
    /// A constraint that no value satisfies.
    case unsatisfiableConstraint = "unsatisfiable-constraint"

    /// A domain of a program that does not ask this library, so that nothing obeys what is said of it.
    case notObeyed = "not-obeyed"
    /// A policy file that says nothing.
    case noEntries = "no-entries"
    /// A file in a folder that was to be checked, without any field of a policy file.
    case noPolicy = "no-policy"

    // What is wrong with the times that a file names.

    /// A target whose `NotAfter` has passed.
    case expired
    /// A target that never applies: it ends before it begins, or no window of its schedule ever opens.
    case neverStarts = "never-starts"
    /// A calendar that no schedule names.
    case unusedCalendar = "unused-calendar"
    /// A waiver without `Reason`.
    case waiverWithoutReason = "waiver-without-reason"
    /// A waiver without `Until`.
    case waiverWithoutEnd = "waiver-without-end"
    /// A waiver whose `Until` has passed.
    case expiredWaiver = "expired-waiver"

    // What is wrong around a file.

    /// A file that lies in a policy directory and is not read because of its name.
    case ignoredName = "ignored-name"
    /// A policy file that another one of its name, in the other directory, replaces or switches off.
    case replaced
    /// A file with `Temporary` that lies in another place than temporary policy, or is not what it should be.
    case temporary
    /// A file, a link or a directory above it that somebody other than root can change.
    case untrusted
    /// A policy file, or a directory above it, that not everybody can read.
    case notReadable = "not-readable"
    /// A file that is used although its group may write it (only beneath `--root`).
    case groupWritable = "group-writable"
    /// A file or directory that could not be read.
    case unreadable
    /// A file that cannot be used now; its last good copy is in force.
    case lastGood = "last-good"
    /// A file that cannot be used and never was good: it forces nothing.
    case notInForce = "not-in-force"
    /// A good copy that is damaged.
    case damagedCopy = "damaged-copy"
    /// A compiled table that is damaged or that others can write.
    case damagedTable = "damaged-table"
    /// What was found could not be recorded.
    case notRecorded = "not-recorded"
    /// An account file that could not be read as it must be.
    case accounts

    /// A file without a signature on a machine that asks for one.
    case unsigned
    /// A signature that is of nobody whom the machine trusts, or not of this file.
    case badSignature = "bad-signature"
    /// A signature of which nobody has recorded yet whether it is good.
    case signatureUnknown = "signature-unknown"

    // What is wrong between files.

    /// Two files have one identifier.
    case duplicateIdentifier = "duplicate-identifier"
    /// Two files for overlapping targets force one key to different values.
    case conflictingValues = "conflicting-values"
    /// An entry that another file overrides wherever it applies.
    case neverWins = "never-wins"
    /// An entry of temporary policy, in `/run`, that loses against a file in `/etc`.
    case temporaryLoses = "temporary-loses"
    /// A waiver that lifts what temporary policy, in `/run`, says.
    case temporaryLifted = "temporary-lifted"
    /// A waiver that cannot free its key, because an enforced file holds it.
    case waiverWithoutEffect = "waiver-without-effect"
    /// A value that a constraint would not allow.
    case outsideConstraint = "outside-constraint"
    /// A value that the manifest of its domain does not allow.
    case outsideManifest = "outside-manifest"
    /// A value for a key that the manifest of its domain calls deprecated.
    case deprecated
    /// Two files combine one key by different operators.
    case combineDisagrees = "combine-disagrees"
    /// An entry whose type the operator of its key cannot join.
    case cannotCombine = "cannot-combine"
    /// A waiver or an operator for a key that no file holds, or metadata of one that none mentions.
    case idleRule = "idle-rule"
    /// Two calendars have one name.
    case duplicateCalendar = "duplicate-calendar"
    /// The global domain is sealed.
    case sealedGlobalDomain = "sealed-global-domain"
    /// Two keys, or two domains, that differ only by case or normalization.
    case similarKeys = "similar-keys"
    /// A user of a target that the machine does not know.
    case unknownUser = "unknown-user"
    /// A group of a target that the machine does not know.
    case unknownGroup = "unknown-group"
    /// A target whose host patterns do not match this machine.
    case noMatchingHost = "no-matching-host"
    /// A target whose tags this machine does not have.
    case noMatchingTag = "no-matching-tag"
    /// A target that matches nobody on this machine for another reason.
    case matchesNobody = "matches-nobody"
    /// A time zone that cannot be read: its window counts as open.
    case unknownZone = "unknown-zone"
    /// A calendar that no file in force has: it counts as open.
    case unknownCalendar = "unknown-calendar"

    /// The code of a mistake of the property list.
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
