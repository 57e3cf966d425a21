package import MDPlatform
package import MDPropertyList
import MDTools

/// Firefox and Thunderbird: one file in strict JSON; one error in it switches all policy off.
///
/// Source: <https://mozilla.github.io/policy-templates/>
package struct MozillaFamily: Program {
    package let name: String
    package let title: String
    package let executables: [String]
    package let sandboxes: [String]
    package let versionFiles: [String]
    package let processes: [String]
    /// The domain of its policies, the one that macOS has for it.
    let domain: Key
    /// The folder of the file.
    let folder: String
    /// The folders of the user's profiles, in the home.
    let userFolders: [String]

    /// Both.
    package static let all = [
        MozillaFamily(
            name: "firefox", title: "Firefox",
            executables: ["/usr/bin/firefox-esr", "/usr/bin/firefox", "/opt/firefox/firefox"],
            sandboxes: Sandbox.folders(flatpaks: ["org.mozilla.firefox"], snap: "firefox"),
            versionFiles: ["/usr/lib/firefox-esr", "/usr/lib/firefox", "/opt/firefox"].map { "\($0)/application.ini" },
            processes: ["firefox", "firefox-esr", "firefox-bin"],
            domain: "org.mozilla.firefox", folder: "/etc/firefox/policies",
            userFolders: [".mozilla/firefox", ".config/mozilla/firefox"]),
        MozillaFamily(
            name: "thunderbird", title: "Thunderbird", executables: ["/usr/bin/thunderbird"],
            sandboxes: Sandbox.folders(
                flatpaks: ["org.mozilla.thunderbird", "org.mozilla.Thunderbird"], snap: "thunderbird"),
            versionFiles: ["/usr/lib/thunderbird/application.ini"],
            processes: ["thunderbird", "thunderbird-bin"],
            domain: "org.mozilla.thunderbird", folder: "/etc/thunderbird/policies",
            userFolders: [".thunderbird"]),
    ]

    package var weakness: String { ProgramReach.folderWeakness }

    package var reach: ProgramReach { .instance(folder: folder) }

    package var domains: [Key] { [domain] }

    /// The file under its folder.
    static let file = "policies.json"
    /// The key that turns policy on in macOS; on Linux the file does.
    static let switchKey: Key = "EnterprisePoliciesEnabled"
    /// Single preferences, each with its own status.
    private static let preferences: Key = "Preferences"
    /// The policies whose value says by this member if the user may change it.
    private static let lockable: Set<Key> = [
        "Cookies", "DNSOverHTTPS", "EnableTrackingProtection", "EncryptedMediaExtensions", "FirefoxHome",
        "FirefoxSuggest", "GenerativeAI", "Homepage", "PictureInPicture", "PopupBlocking", "Proxy", "UserMessaging",
    ]

    package func render(_ policy: ProgramPolicy, for audience: Audience, in root: Root) -> ProgramRendering {
        var rendering = ProgramRendering()
        var members: Value?
        for entry in policy.entries where entry.key != MozillaFamily.switchKey {
            // Profiles for macOS write a policy's members as keys of their own, joined by two underscores.
            let path = TextSearch.parts(of: entry.key.string, separatedBy: "__").map { Key($0) }
            switch entry.level {
            case .forced(let value), .recommended(let value):
                guard PlainJSON.accepts(value) else { fallthrough }
                members = members.setting(withStatus(value, of: entry, at: path), at: path[...])
            default:
                let clause = entry.level.unsupported
                rendering.findings.append(ProgramFinding(.unsupported, program: self, entry, "\(title) \(clause)"))
            }
        }
        guard case .dictionary(var policies) = members else { return rendering }
        for entry in policy.entries {
            let name = Key(TextSearch.parts(of: entry.key.string, separatedBy: "__").first ?? "")
            switch entry.level {
            case .forced: lock(name, true, entry, &policies, &rendering)
            case .recommended: lock(name, false, entry, &policies, &rendering)
            default: continue
            }
        }
        let file = ProgramFile(
            "\(folder)/\(MozillaFamily.file)", .members(path: ["policies"], policies))
        rendering.files = policies.isEmpty ? [] : [file]
        return rendering
    }

    /// Marks in a policy's value whether the user may change it, where the program knows that.
    private func lock(
        _ name: Key, _ isForced: Bool, _ entry: ProgramEntry, _ policies: inout [Key: Value],
        _ rendering: inout ProgramRendering
    ) {
        func report(_ clause: String) {
            rendering.findings.append(ProgramFinding(.unsupported, program: self, entry, clause))
        }
        guard case .dictionary(var value) = policies[name] else {
            if isForced || policies[name] == nil { return }
            policies[name] = nil
            return report("\(title) has no default for this policy that the user may change")
        }
        if name == MozillaFamily.preferences {
            // Those that entries set member by member.
            for (preference, setting) in value { value[preference] = preferenceStatus(setting, isForced) }
        } else if MozillaFamily.lockable.contains(name) {
            if isForced, value["Locked"] == .boolean(false) {
                report("the value says \"Locked\": false, so the user may change it although it is forced")
            } else if value["Locked"] == nil {
                value["Locked"] = .boolean(isForced)
            }
        } else if !isForced {
            policies[name] = nil
            return report("\(title) has no default for this policy that the user may change")
        }
        policies[name] = .dictionary(value)
    }

    /// A value in which each preference has its status; any other value as it is.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - entry: the entry that has it.
    ///   - path: where it is in the policies.
    /// - Returns: the value for that place.
    private func withStatus(_ value: Value, of entry: ProgramEntry, at path: [Key]) -> Value {
        guard path.first == MozillaFamily.preferences else { return value }
        let isForced = if case .forced = entry.level { true } else { false }
        switch (path.count, value) {
        case (1, .dictionary(let all)): return .dictionary(all.mapValues { preferenceStatus($0, isForced) })
        case (2, _): return preferenceStatus(value, isForced)
        default: return value
        }
    }

    /// A preference with its status, unless it has one of its own.
    private func preferenceStatus(_ setting: Value, _ isForced: Bool) -> Value {
        let status = Value.string(isForced ? "locked" : "default")
        guard case .dictionary(var parts) = setting else { return .dictionary(["Value": setting, "Status": status]) }
        if parts["Status"] == nil { parts["Status"] = status }
        return .dictionary(parts)
    }
}
