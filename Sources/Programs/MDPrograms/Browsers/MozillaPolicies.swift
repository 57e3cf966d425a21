import MDPropertyList
import MDTools

/// The policies of a program of Mozilla as they are put together from entries, each part with its lock.
///
/// A part whose users may or may not change it has a member `Locked` beside the others, at the depth that the program's own
/// schema has; other policies are always locked, but for those that only set a first state.
struct MozillaPolicies {
    /// The policies, by their names.
    private(set) var members: [Key: Value] = [:]
    private let title: String
    private let schema: MozillaSchema?

    /// Where `Locked` is in every version, if the schema of the installed one is not known; `*` is any name.
    private static let lockable: Set<[Key]> = [
        ["AIControls", "*"], ["Authentication"], ["Cookies"], ["DNSOverHTTPS"], ["EnableTrackingProtection"],
        ["EncryptedMediaExtensions"], ["FirefoxHome"], ["FirefoxSuggest"], ["GenerativeAI"], ["Homepage"],
        ["LocalNetworkAccess"], ["Permissions", "*"], ["PictureInPicture"], ["PopupBlocking"], ["Proxy"],
        ["SanitizeOnShutdown"], ["UserMessaging"],
    ]

    /// The parts that set a first state, and the values of each that are locked all the same.
    ///
    /// Source: `runOncePerModification` and unlocked preferences in `Policies.sys.mjs`.
    private static let firstStates: [[Key]: [Value]] = [
        ["Bookmarks"]: [], ["DefaultDownloadDirectory"]: [], ["DefaultSerialGuardSetting"]: [.integer(2)],
        ["DisplayBookmarksToolbar"]: [], ["DisplayMenuBar"]: [.string("always"), .string("never")],
        ["Extensions", "Install"]: [], ["Extensions", "Uninstall"]: [], ["Homepage", "NewTabOnRestore"]: [],
        ["Homepage", "StartPage"]: [.string("homepage-locked")],
        ["HttpsOnlyMode"]: [.string("disallowed"), .string("force_enabled")],
        ["LegacySameSiteCookieBehaviorEnabled"]: [], ["LegacySameSiteCookieBehaviorEnabledForDomainList"]: [],
        ["NoDefaultBookmarks"]: [], ["OfferToSaveLoginsDefault"]: [], ["RequestedLocales"]: [], ["SearchBar"]: [],
        ["SearchEngines", "Default"]: [], ["SearchEngines", "DefaultPrivate"]: [], ["SearchEngines", "Remove"]: [],
    ]

    /// Single preferences, each with its own status.
    private static let preferences: Key = "Preferences"

    init(title: String, schema: MozillaSchema?) { (self.title, self.schema) = (title, schema) }

    /// The names from the policy down to the part that an entry is for.
    ///
    /// Profiles for macOS write a policy's members as keys of their own, joined by two underscores.
    static func path(of entry: ProgramEntry) -> [Key] {
        TextSearch.parts(of: entry.key.string, separatedBy: "__").map { Key($0) }
    }

    /// Adds the value of an entry.
    mutating func add(_ value: Value, of entry: ProgramEntry) {
        let path = MozillaPolicies.path(of: entry)
        let value = path.first == MozillaPolicies.preferences ? MozillaPolicies.withStatus(value, path, entry) : value
        guard !path.isEmpty, case .dictionary(let all) = Value?.some(.dictionary(members)).setting(value, at: path[...])
        else { return }
        members = all
    }

    /// Marks whether users may change what an entry says.
    ///
    /// - Parameters:
    ///   - entry: an entry whose value was added; forced ones come first.
    ///   - report: takes what is not as the entry says, as a clause.
    mutating func lock(_ entry: ProgramEntry, _ report: (ProgramFinding.Kind, ProgramEntry, String) -> Void) {
        let path = MozillaPolicies.path(of: entry)
        guard let name = path.first, let whole = members[name] else { return }
        let isForced = entry.level.isLocking
        var marks = Marks(isForced: isForced, path: path)
        if name == MozillaPolicies.preferences {
            check(whole, &marks)
        } else {
            members[name] = mark(whole, at: [name], &marks)
        }
        if !isForced, !marks.isDefault {
            remove(path)
            return report(.unsupported, entry, "\(title) has no default for this policy that the user may change")
        }
        for clause in marks.clauses { report(.unsupported, entry, clause) }
        if isForced, !marks.firstStates.isEmpty {
            let parts = marks.firstStates.joined(separator: ", ")
            report(.firstState, entry, "\(title) takes \(parts) as a first state only: the user may change it")
        }
    }

    /// What was found in the parts of an entry.
    private struct Marks {
        let isForced: Bool
        /// The part of the entry.
        let path: [Key]
        /// What users may change although it is forced, or the reverse, as clauses.
        var clauses: [String] = []
        var firstStates: [String] = []
        /// Whether there is a part that users may change.
        var isDefault = false
    }

    /// Marks a value, and all parts of it that lie above or below the entry's own.
    private func mark(_ value: Value, at path: [Key], _ marks: inout Marks) -> Value {
        let isOwn = path.count >= marks.path.count
        let place = path.map(\.string).joined(separator: ".")
        if isOwn, let locked = MozillaPolicies.firstStates[path] {
            // The start page has a word that locks it.
            if marks.isForced, path.last == "StartPage", value == .string("homepage") {
                return .string("homepage-locked")
            }
            if !locked.contains(value) {
                marks.firstStates.append(place)
                marks.isDefault = true
            }
        }
        guard case .dictionary(var members) = value else { return value }
        if isLockable(path) {
            marks.isDefault = true
            switch (members["Locked"], marks.isForced) {
            case (nil, let isForced): members["Locked"] = .boolean(isForced)
            case (.boolean(false), true):
                marks.clauses.append(
                    "\(place) says \"Locked\": false, so the user may change it although it is forced")
            case (.boolean(true), false):
                marks.clauses.append(
                    "\(place) is locked as a whole, so the user cannot change this although it is recommended")
            default: break
            }
        }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) where isOwn || marks.path[path.count] == name {
            members[name] = mark(member, at: path + [name], &marks)
        }
        return .dictionary(members)
    }

    private func isLockable(_ path: [Key]) -> Bool {
        MozillaPolicies.lockable.contains(path) || schema?.isLockable(path) == true
            || path.count == 2 && MozillaPolicies.lockable.contains([path[0], "*"])
    }

    // MARK: Preferences

    /// A value in which each preference has its status.
    private static func withStatus(_ value: Value, _ path: [Key], _ entry: ProgramEntry) -> Value {
        let status = Value.string(entry.level.isLocking ? "locked" : "default")
        func complete(_ setting: Value) -> Value {
            guard case .dictionary(var parts) = setting else {
                return .dictionary(["Value": setting, "Status": status])
            }
            if parts["Status"] == nil { parts["Status"] = status }
            return .dictionary(parts)
        }
        switch (path.count, value) {
        case (1, .dictionary(let all)): return .dictionary(all.mapValues(complete))
        case (2, _): return complete(value)
        default: return value
        }
    }

    /// Looks for preferences whose own status is another one than the entry's.
    private func check(_ value: Value, _ marks: inout Marks) {
        marks.isDefault = true
        guard marks.isForced, case .dictionary(let all) = value else { return }
        for (name, setting) in all.sorted(by: { $0.key < $1.key }) where marks.path.count < 2 || marks.path[1] == name {
            guard case .dictionary(let parts) = setting, case .string(let status)? = parts["Status"],
                Key(status) != "locked"
            else { continue }
            marks.clauses.append(
                "\(name) has \"Status\": \"\(status)\", so the user may change it although it is forced")
        }
    }

    /// Takes a part away.
    private mutating func remove(_ path: [Key]) {
        func without(_ value: Value?, _ path: ArraySlice<Key>) -> Value? {
            guard let name = path.first, case .dictionary(var members)? = value else { return nil }
            members[name] = without(members[name], path.dropFirst())
            return members.isEmpty ? nil : .dictionary(members)
        }
        if case .dictionary(let rest)? = without(.dictionary(members), path[...]) {
            members = rest
        } else {
            members = [:]
        }
    }
}
