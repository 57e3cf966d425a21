import Platform
import PropertyList

/// What is wrong between files, apart from their entries.
struct LintSet {
    /// What was found.
    private(set) var findings: [Diagnostic] = []

    /// Compares files, which stand in order of application.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - standing: what holds keys beside them.
    ///   - time: when; waivers that have ended by then lift nothing. `nil` for a time before all of them.
    ///   - users: who there is; `nil` where nobody knows.
    init(files: [LintFile], standing: LintStanding = .none, time: Timestamp? = nil, users: LintUsers? = nil) {
        checkIdentifiers(files)
        checkCalendars(files)
        let names = LintNames(files)
        findings += LintSimilarity(files: files, names: names).findings
        findings += LintEntries(files: files, names: names).findings
        findings += LintRules(files: files, names: names, standing: standing).findings
        findings += LintWaivers(files: files, names: names, standing: standing, time: time, users: users).findings
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
}
