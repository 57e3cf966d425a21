import Platform
import PropertyList

/// What is wrong between files, apart from their entries.
struct LintSet {
    /// What was found.
    private(set) var findings: [Diagnostic] = []

    /// Compares files, which stand in order of application.
    init(files: [LintFile]) {
        checkIdentifiers(files)
        checkCalendars(files)
        checkSimilarity(files)
        findings += LintEntries(files: files).findings
        findings += LintRules(files: files).findings
    }

    /// Reports identifiers that more than one file has; all those files apply.
    private mutating func checkIdentifiers(_ files: [LintFile]) {
        var first: [Key: LintFile] = [:]
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

    /// Reports calendars that more than one file has; one of them counts for all.
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

    /// Reports domains, and keys of one domain, that differ only by case or normalization.
    private mutating func checkSimilarity(_ files: [LintFile]) {
        // Here, and only here, text is compared as String does it: canonically equivalent spellings are one.
        var domains: [String: (key: Key, place: String)] = [:]
        var keys: [String: [String: (key: Key, place: String)]] = [:]
        var seen: Set<[Key]> = []
        for file in files {
            for (name, position) in LintSet.names(of: file.policy) {
                let place = file.place(position)
                let domain = Self.fold(name.domain)
                if let first = domains[domain] {
                    if first.key != name.domain, seen.insert([name.domain]).inserted {
                        report(file, position, "domain", name.domain, first)
                    }
                } else {
                    domains[domain] = (name.domain, place)
                }
                guard let key = name.key else { continue }
                let folded = Self.fold(key)
                if let first = keys[domain]?[folded] {
                    if first.key != key, seen.insert([name.domain, key]).inserted {
                        report(file, position, "key", key, first)
                    }
                } else {
                    keys[domain, default: [:]][folded] = (key, place)
                }
            }
        }
    }

    /// Every domain and key that a file names, and where; a sealed domain has no key.
    private static func names(of policy: PolicyFile) -> [(name: (domain: Key, key: Key?), position: Position)] {
        var names: [(name: (domain: Key, key: Key?), position: Position)] = []
        for item in policy.entries { names.append(((item.domain, item.key), item.origin.position)) }
        for item in policy.seals { names.append(((item.domain, nil), item.origin.position)) }
        for item in policy.constraints { names.append(((item.domain, item.key), item.origin.position)) }
        for item in policy.combine { names.append(((item.domain, item.key), item.origin.position)) }
        for item in policy.waivers { names.append(((item.domain, item.key), item.origin.position)) }
        for item in policy.metadata { names.append(((item.domain, item.key), item.origin.position)) }
        return names
    }

    /// Adds the finding of two similar names.
    private mutating func report(
        _ file: LintFile, _ position: Position, _ noun: String, _ name: Key, _ first: (key: Key, place: String)
    ) {
        findings.append(
            file.warning(
                .similarKeys, at: position,
                "the \(noun) \"\(Printable.escape(name.string))\" differs from \"\(Printable.escape(first.key.string))\""
                    + " at \(first.place) only by case or normalization; to every program they are two"))
    }

    /// A name with ASCII letters in lower case.
    private static func fold(_ key: Key) -> String {
        String(decoding: key.string.utf8.map(ByteSet.lowercase), as: UTF8.self)
    }
}
