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
                return finding(of: TimeProblem(unreadable: zone.name, error, at: zone.position), in: shownPath)
            }
        }
    }

    /// Which zone is probably meant; empty where there is one of the name, or none is near.
    private mutating func hint(_ name: Key) -> String {
        if let known = hints[name] { return known }
        guard hints.count < LintZones.limit, isMissing(name) else { return "" }
        let hint = nearest(to: name.string).map { "; \(Printable.escape($0)) is probably meant" } ?? ""
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
        guard let found = ofPlace.count == 1 ? ofPlace[0] : Suggestion.nearest(to: name, among: all),
            // A list may have names whose files are in another package.
            (try? database.zone(named: found)) != nil
        else { return nil }
        return found
    }
}
