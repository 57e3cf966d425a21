import MDPlatform
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Which other files lint knows beside those that it checks, and how messages refer to them.
enum LintScope {
    /// All files of a machine.
    case machine
    /// Files named by their paths, or those of a folder: other files are unknown.
    case given
    /// Files named by their paths, with the rest of their folder.
    case folder

    /// The beginning of a clause that says that none of the files does something.
    var noFile: String {
        switch self {
        case .machine: "no file"
        case .given: "none of the files that are checked here"
        case .folder: "no file of this folder"
        }
    }

    /// The beginning of a clause that says that a file does not do something.
    var file: String {
        switch self {
        case .machine: "policy file"
        case .given: "file that is checked here"
        case .folder: "file of this folder"
        }
    }
}

/// Checks several files together.
struct LintSet {
    private(set) var findings: [Diagnostic] = []

    /// Compares files, which are in order of application.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - otherPolicy: other policy that controls keys.
    ///   - time: the time of the check; waivers that ended before lift nothing. `nil` for a time before all waivers.
    ///   - users: the users of the machine; `nil` if unknown.
    ///   - manifests: the descriptions of keys, which say which ones are sensitive.
    init(
        files: [LintFile], otherPolicy: LintOtherPolicy = .none, time: Timestamp? = nil, users: LintUsers? = nil,
        manifests: ManifestSet = ManifestSet()
    ) {
        checkIdentifiers(files)
        checkCalendars(files)
        let names = LintNames(files)
        findings += LintSimilarity(files: files, names: names).findings
        findings += LintEntries(files: files, names: names, manifests: manifests).findings
        findings += LintRules(files: files, names: names, otherPolicy: otherPolicy).findings
        findings += LintWaivers(files: files, names: names, otherPolicy: otherPolicy, time: time, users: users).findings
    }

    /// Reports identifiers that more than one file has; all those files apply.
    private mutating func checkIdentifiers(_ files: [LintFile]) {
        var first: [Key: LintFile] = [:]
        first.reserveCapacity(files.count)
        for file in files {
            let identifier = Key(file.policy.identifier)
            guard let other = first[identifier] else {
                first[identifier] = file
                continue
            }
            let place = other.place(other.policy.identifierPosition)
            findings.append(
                file.error(
                    .duplicateIdentifier, at: file.policy.identifierPosition,
                    "the Identifier \"\(Printable.escape(identifier.string))\" is also that of \(place); both files"
                        + " apply, and no record can tell them apart"))
        }
    }

    /// Reports calendars that more than one file has; only one of them counts.
    private mutating func checkCalendars(_ files: [LintFile]) {
        var winners: [Key: (file: LintFile, position: Position)] = [:]
        for file in files {
            for calendar in file.policy.calendars {
                guard let other = winners[calendar.name] else {
                    winners[calendar.name] = (file, calendar.position)
                    continue
                }
                let isStronger = !other.file.policy.enforced
                let winner = isStronger ? file.shownPath : other.file.shownPath
                findings.append(
                    file.warning(
                        .duplicateCalendar, at: calendar.position,
                        "the calendar \"\(Printable.escape(calendar.name.string))\" is also at"
                            + " \(other.file.place(other.position)); for all schedules that name it, the one of"
                            + " \(winner) counts"))
                if isStronger { winners[calendar.name] = (file, calendar.position) }
            }
        }
    }
}

/// Policy that controls keys beside the files that lint compares: recorded copies of broken files, and unknown policy.
struct LintOtherPolicy {
    private var keys: Set<LintName> = []
    private var seals: Set<Key> = []
    /// Whether there are files with unknown content.
    private let isUnknown: Bool
    /// Which other files are known.
    let scope: LintScope

    /// No other policy.
    static let none = LintOtherPolicy([])

    /// Gathers the keys of recorded copies that replace broken files.
    ///
    /// - Parameters:
    ///   - policies: the recorded copies.
    ///   - isUnknown: whether there are other files with unknown content.
    ///   - scope: which other files are known.
    init(_ policies: [PolicyFile], isUnknown: Bool = false, scope: LintScope = .machine) {
        (self.isUnknown, self.scope) = (isUnknown, scope)
        for policy in policies {
            for entry in policy.entries where entry.level == .forced || entry.level == .absent {
                keys.insert(LintName(domain: entry.domain, key: entry.key))
            }
            for item in policy.constraints { keys.insert(LintName(domain: item.domain, key: item.key)) }
            for seal in policy.seals { seals.insert(seal.domain) }
        }
    }

    /// Whether a key may be forced, absent, sealed or constrained by this policy.
    func mayHold(_ domain: Key, _ key: Key) -> Bool {
        isUnknown || seals.contains(domain) || keys.contains(LintName(domain: domain, key: key))
    }
}
