package import MDPlatform
import MDPropertyList

/// What the administrator says of the audit log in `/etc/managed-defaults/audit.json`: whether it names people, how much
/// space it takes, and for how long records and the names of people are retained.
///
/// A file that cannot be used as a whole counts for nothing but pseudonyms, because a name that is stored cannot be taken
/// back; the log then has its usual limits.
package struct AuditSettings: Hashable, Sendable {
    /// The file, under the root.
    package static let path = "/etc/managed-defaults/audit.json"
    /// The most bytes of it.
    private static let limit = 65_536

    /// A member of the file.
    private enum Member: String, CaseIterable {
        /// Whether records have pseudonyms in place of people.
        case pseudonyms = "Pseudonyms"
        /// The most space of the log, in MiB.
        case maximumMegabytes = "MaximumMegabytes"
        /// The age below which no record is deleted to save space, in days.
        case minimumDays = "MinimumDays"
        /// The age from which records are deleted, in days.
        case maximumDays = "MaximumDays"
        /// How long people of directories who are not seen stay in the register of people, in days.
        case peopleDays = "PeopleDays"

        /// The allowed numbers.
        var range: ClosedRange<Int64> {
            switch self {
            case .pseudonyms: 0...0
            case .maximumMegabytes: 16...1_048_576
            case .minimumDays: 1...3_650
            case .maximumDays, .peopleDays: 1...36_500
            }
        }
    }

    /// The names of the members, for sentences.
    private static let members = Member.allCases.map(\.rawValue).joined(separator: ", ")

    /// Whether records have pseudonyms in place of people.
    package private(set) var isPseudonymous = false
    /// The most space of the log, in MiB; `nil` for the usual one.
    package private(set) var maximumMegabytes: Int?
    /// The age below which no record is deleted to save space, in days; `nil` for the usual one.
    package private(set) var minimumDays: Int?
    /// The age from which records are deleted, in days; `nil` if age alone deletes none.
    package private(set) var maximumDays: Int?
    /// How long people of directories who are not seen stay in the register of people, in days; `nil` for the usual time.
    package private(set) var peopleDays: Int?
    /// Why the file cannot be used, as a clause; `nil` if it can, or if there is none.
    package private(set) var problem: String?
    /// What to change if the file cannot be used, as a sentence.
    package private(set) var remedy = ""

    /// The settings of a file that cannot be used.
    private init(problem: String, remedy: String) {
        (isPseudonymous, self.problem, self.remedy) = (true, problem, remedy)
    }

    /// Reads the file of a machine; without one, the log has its usual limits and names people.
    package init(of root: Root) {
        do throws(TrustError) {
            self.init(reading: try root.readTrusted(AuditSettings.path, limit: AuditSettings.limit).bytes)
        } catch {
            if error.isMissing {
                self.init()
            } else {
                self.init(
                    problem: error.description,
                    remedy: "Make it a file that everybody can read and only its administrator can write, or remove it."
                )
            }
        }
    }

    /// The usual settings.
    private init() {}

    /// Reads the content of the file: one JSON object; comments are allowed.
    package init(reading bytes: [UInt8]) {
        var values: [Member: Int64] = [:]
        do throws(PropertyListError) {
            let document = try JSONReader.read(
                SourceText(decoding: bytes), limits: Limits(bytes: AuditSettings.limit, depth: 4, objects: 16))
            if let warning = document.warnings.first { throw warning }
            let entries = try document.rootEntries()
            for entry in entries {
                guard let member = Member(rawValue: entry.key.string) else {
                    self.init(
                        problem: "it has the unknown member \"\(entry.key)\"",
                        remedy: "Remove that member; there are \(AuditSettings.members).")
                    return
                }
                switch (member, entry.value.content) {
                case (.pseudonyms, .scalar(.boolean(let isOn))): values[member] = isOn ? 1 : 0
                case (.pseudonyms, _):
                    self.init(
                        problem: "the member \"\(member.rawValue)\" is not true or false",
                        remedy: "Set \"\(member.rawValue)\" to true or false, or remove it from the file.")
                    return
                case (_, .scalar(.integer(let number))):
                    guard let value = number.int64, member.range.contains(value) else { fallthrough }
                    values[member] = value
                default:
                    let number = "whole number from \(member.range.lowerBound) to \(member.range.upperBound)"
                    self.init(
                        problem: "the member \"\(member.rawValue)\" is no \(number)",
                        remedy: "Set \"\(member.rawValue)\" to a \(number), or remove it from the file.")
                    return
                }
            }
        } catch {
            self.init(
                problem: "\(error.position): \(error.message)",
                remedy: "Mend it there: it has to be one JSON object, such as {\"Pseudonyms\": true}; or remove it.")
            return
        }
        if values.isEmpty {
            self.init(
                problem: "it has none of the members \(AuditSettings.members)",
                remedy: "Set one of them, as in {\"Pseudonyms\": true}, or remove the file.")
            return
        }
        if let least = values[.minimumDays], let most = values[.maximumDays], least > most {
            self.init(
                problem: "the member \"MinimumDays\" is greater than \"MaximumDays\"",
                remedy: "Set \"MinimumDays\" to at most \(most), or \"MaximumDays\" to at least \(least).")
            return
        }
        self.init()
        isPseudonymous = values[.pseudonyms] == 1
        (maximumMegabytes, minimumDays) = (
            values[.maximumMegabytes].map { Int($0) }, values[.minimumDays].map { Int($0) }
        )
        maximumDays = values[.maximumDays].map { Int($0) }
        peopleDays = values[.peopleDays].map { Int($0) }
    }
}
