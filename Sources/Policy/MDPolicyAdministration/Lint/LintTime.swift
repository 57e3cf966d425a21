import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// Checks the times in files at one moment.
struct LintTime {
    /// Which other files are known; they may have calendars.
    private let scope: LintScope
    /// Suggests time zones.
    private var zones: LintZones
    private(set) var findings: [Diagnostic] = []

    /// Checks targets, calendars and waivers.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - calendars: the calendars in the files.
    ///   - scheduled: the names of calendars in all schedules; `nil` if not all of them are known.
    ///   - moment: the time of the check.
    ///   - scope: which other files are known; they may have calendars.
    init(
        files: [LintFile], calendars: [Key: [Window]], scheduled: Set<Key>?, moment: Moment,
        scope: LintScope = .machine
    ) {
        self.scope = scope
        zones = LintZones(moment.zones)
        for file in files {
            if let target = file.policy.target { check(target, of: file, calendars, moment) }
            for calendar in file.policy.calendars {
                if let scheduled, !scheduled.contains(calendar.name) {
                    findings.append(
                        file.warning(
                            .unusedCalendar, at: calendar.position,
                            "no Schedule names the calendar \"\(Printable.escape(calendar.name.string))\""))
                }
                // A schedule with only this calendar needs each of its zones.
                for window in calendar.windows {
                    let alone = Target(include: Target.Clauses(), schedule: [.window(window)])
                    for problem in alone.time(at: moment, calendars: [:]).problems {
                        findings.append(zones.finding(of: problem, in: file.shownPath))
                    }
                }
            }
            for waiver in file.policy.writtenWaivers { check(waiver, of: file, moment.time) }
        }
    }

    /// Reports a target whose time is over or never comes, and unknown parts of its schedule.
    private mutating func check(
        _ target: Target, of file: LintFile, _ calendars: [Key: [Window]], _ moment: Moment
    ) {
        let verdict = target.time(at: moment, calendars: calendars)
        for problem in verdict.problems {
            guard let name = LintTime.calendar(of: problem, target) else {
                findings.append(zones.finding(of: problem, in: file.shownPath))
                continue
            }
            let message =
                scope == .machine
                ? problem.message
                : "\(scope.noFile) has a calendar \(Printable.escape(name.string)); where no other has it, it counts as an"
                    + " open window"
            findings.append(
                file.warning(problem.code, at: problem.position, message + LintTime.hint(name, calendars)))
        }
        guard !verdict.isOpen, verdict.nextChange == nil else { return }
        let position = file.policy.targetPosition
        if let begin = target.notBefore, let end = target.notAfter, end <= begin {
            findings.append(
                file.warning(
                    .neverStarts, at: position,
                    "this target never applies: its NotAfter is not later than its NotBefore"))
        } else if let end = target.notAfter, end <= moment.time {
            findings.append(
                file.warning(
                    .expired, at: position,
                    "this target is over since \(LintTime.words(end)), so the file does nothing any more"))
        } else if target.schedule?.isEmpty == false {
            let words = target.notAfter == nil ? "" : " before its NotAfter"
            findings.append(
                file.warning(
                    .neverStarts, at: position, "this target never applies: no window of its Schedule opens\(words)"))
        }
    }

    /// Reports a waiver that is over, has no end or no reason.
    private mutating func check(_ waiver: Waiver, of file: LintFile, _ now: Timestamp) {
        let position = waiver.origin.position
        if waiver.reason.isBlank {
            findings.append(
                file.warning(
                    .waiverWithoutReason, at: position,
                    "this waiver has no Reason; whoever reads the report will ask why"))
        }
        guard let until = waiver.until else {
            findings.append(
                file.warning(.waiverWithoutEnd, at: position, "this waiver has no Until, so it never ends"))
            return
        }
        if let begin = file.policy.target?.notBefore, until <= begin {
            findings.append(
                file.warning(
                    .waiverWithoutEffect, at: position,
                    "this waiver ends at \(LintTime.words(until)), before its file begins to apply"))
        } else if until <= now {
            findings.append(
                file.warning(
                    .expiredWaiver, at: position,
                    "this waiver ended at \(LintTime.words(until)) and lifts nothing any more"))
        }
    }

    /// The name of the calendar of a problem; `nil` for other problems.
    private static func calendar(of problem: TimeProblem, _ target: Target) -> Key? {
        guard problem.code == .unknownCalendar else { return nil }
        for case .calendar(let name, problem.position) in target.schedule ?? [] { return name }
        return nil
    }

    /// The calendar that an unknown name probably means, as a clause; empty if none is similar.
    private static func hint(_ name: Key, _ calendars: [Key: [Window]]) -> String {
        let nearest = Suggestion.nearest(to: name.string, among: calendars.keys.sorted().map(\.string))
        return nearest.map { "; \(Printable.escape($0)) is probably meant" } ?? ""
    }

    /// A time in whole seconds, in the form used in files.
    static func words(_ time: Timestamp) -> String {
        "\(time.rfc3339.prefix(19))Z"
    }
}

/// Suggests time zones for names that no zone of the machine has.
struct LintZones {
    private let database: ZoneDatabase
    /// The names of all zones, read on first use.
    private var names: [String]?
    /// The suggestions so far.
    private var hints: [Key: String] = [:]
    /// The most names that get a suggestion, because each search compares all zones.
    private static let limit = 100

    init(_ database: ZoneDatabase) { self.database = database }

    /// The finding for a time problem, with the zone that is probably meant.
    mutating func finding(of problem: TimeProblem, in file: String) -> Diagnostic {
        Diagnostic(
            file: file, position: problem.position, severity: .warning, code: problem.code,
            message: problem.message + (problem.zone.map { hint($0) } ?? ""))
    }

    /// The findings about the zones of a file with errors, which has no parsed windows.
    mutating func findings(inBroken bytes: [UInt8], path: String, shownPath: String) -> [Diagnostic] {
        PolicyFile.zones(bytes: bytes, path: path).compactMap { zone in
            do throws(ZoneError) {
                _ = try database.zone(named: zone.name.string)
                return nil
            } catch {
                return finding(
                    of: TimeProblem(unreadable: zone.name, error, at: zone.position, isUsed: false), in: shownPath)
            }
        }
    }

    /// The zone that is probably meant, as a clause; empty if the zone exists, or if none is similar.
    private mutating func hint(_ name: Key) -> String {
        if let known = hints[name] { return known }
        guard hints.count < LintZones.limit, isMissing(name) else { return "" }
        let zone = nearest(to: name.string)
        let hint = LintZones.range(name.string) ?? zone.map { "; \(Printable.escape($0)) is probably meant" } ?? ""
        hints[name] = hint
        return hint
    }

    /// Whether no zone has a name; false if the zone exists and cannot be read.
    private func isMissing(_ name: Key) -> Bool {
        do throws(ZoneError) {
            _ = try database.zone(named: name.string)
            return false
        } catch {
            return error.isMissing
        }
    }

    /// The readable zone that is probably meant: by its last part, or else the most similar one.
    private mutating func nearest(to name: String) -> String? {
        let all = names ?? database.names
        names = all
        let place = Array("/\(name.lowercased())".utf8)
        let ofPlace = all.filter { $0.lowercased().utf8.suffix(place.count).elementsEqual(place) }
        guard let found = ofPlace.count == 1 ? ofPlace[0] : guess(name, among: all),
            // The list may have names whose files are not installed.
            (try? database.zone(named: found)) != nil
        else { return nil }
        return found
    }

    /// The most similar zone; `nil` for an abbreviation, because similar ones mean other zones, and if a number would
    /// differ.
    private func guess(_ name: String, among all: [String]) -> String? {
        let isAbbreviation = name.utf8.count <= 5 && !name.utf8.contains { $0 < UInt8(ascii: "A") }
        guard !isAbbreviation, let found = Suggestion.nearest(to: name, among: all) else { return nil }
        return LintZones.digits(found) == LintZones.digits(name) ? found : nil
    }

    /// The available range for an offset from UTC that no zone has; `nil` for any other name.
    private static func range(_ name: String) -> String? {
        let text = name.uppercased()
        let start = ["ETC/GMT", "ETC/UTC", "GMT", "UTC"].first { text.hasPrefix($0) }
        guard let rest = start.map({ text.dropFirst($0.count) }), let sign = rest.first, sign == "+" || sign == "-",
            !rest.dropFirst().isEmpty, rest.dropFirst().utf8.allSatisfy(isDigit)
        else { return nil }
        return "; zones of this kind are Etc/GMT-14, which is ahead of UTC, to Etc/GMT+12"
    }

    private static func digits(_ name: String) -> [UInt8] { name.utf8.filter(isDigit) }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
