import Platform
import PropertyList

/// Which time zone is probably meant by a name that no zone of the machine has.
struct LintZones {
    /// The zones.
    private let database: ZoneDatabase
    /// Their names, once somebody has asked for them.
    private var names: [String]?
    /// What is said of each name that somebody has asked about.
    private var hints: [Key: String] = [:]
    /// The most names that are compared with all others; a file that misspells more has other troubles.
    private static let limit = 100

    /// Makes one that has read nothing yet.
    init(_ database: ZoneDatabase) { self.database = database }

    /// What could not be told of a time, with the zone that is probably meant.
    mutating func finding(of problem: TimeProblem, in file: String) -> Diagnostic {
        Diagnostic(
            file: file, position: problem.position, severity: .warning, code: problem.code,
            message: problem.message + (problem.zone.map { hint($0) } ?? ""))
    }

    /// What is wrong with the zones of a file that has mistakes, and so has no windows yet that could be looked at.
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

    /// Which zone is probably meant; empty where there is one of the name, or none is near.
    private mutating func hint(_ name: Key) -> String {
        if let known = hints[name] { return known }
        guard hints.count < LintZones.limit, isMissing(name) else { return "" }
        let zone = nearest(to: name.string)
        let hint = LintZones.range(name.string) ?? zone.map { "; \(Printable.escape($0)) is probably meant" } ?? ""
        hints[name] = hint
        return hint
    }

    /// Whether there is no zone of a name, rather than one that cannot be read.
    private func isMissing(_ name: Key) -> Bool {
        do throws(ZoneError) {
            _ = try database.zone(named: name.string)
            return false
        } catch {
            return error.isMissing
        }
    }

    /// The zone that is probably meant, which can be read: by its place alone, or the nearest one.
    private mutating func nearest(to name: String) -> String? {
        let all = names ?? database.names
        names = all
        let place = Array("/\(name.lowercased())".utf8)
        let ofPlace = all.filter { $0.lowercased().utf8.suffix(place.count).elementsEqual(place) }
        guard let found = ofPlace.count == 1 ? ofPlace[0] : guess(name, among: all),
            // A list may have names whose files are in another package.
            (try? database.zone(named: found)) != nil
        else { return nil }
        return found
    }

    /// The nearest zone; `nil` for an abbreviation, which is near to others that mean something else, and where a number
    /// would be another one.
    private func guess(_ name: String, among all: [String]) -> String? {
        let isAbbreviation = name.utf8.count <= 5 && !name.utf8.contains { $0 < UInt8(ascii: "A") }
        guard !isAbbreviation, let found = Suggestion.nearest(to: name, among: all) else { return nil }
        return LintZones.digits(found) == LintZones.digits(name) ? found : nil
    }

    /// What there is instead of a distance from UTC that no zone has; `nil` for any other name.
    private static func range(_ name: String) -> String? {
        let text = name.uppercased()
        let start = ["ETC/GMT", "ETC/UTC", "GMT", "UTC"].first { text.hasPrefix($0) }
        guard let rest = start.map({ text.dropFirst($0.count) }), let sign = rest.first, sign == "+" || sign == "-",
            !rest.dropFirst().isEmpty, rest.dropFirst().utf8.allSatisfy(isDigit)
        else { return nil }
        return "; zones of this kind are Etc/GMT-14, which is ahead of UTC, to Etc/GMT+12"
    }

    /// The digits of a name.
    private static func digits(_ name: String) -> [UInt8] { name.utf8.filter(isDigit) }

    /// Whether a byte is a digit.
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
