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
    package let readers: [String]
    package let sandboxes: [String]
    package let versionFiles: [String]
    package let processes: [String]
    /// The domain of its policies, the one that macOS has for it.
    let domain: Key
    /// The folder of the file.
    let folder: String
    /// The folders of the user's profiles, in the home.
    let userFolders: [String]
    /// What the machine's program knows of its policies; `nil` before ``prepared(for:)``.
    var schema: MozillaSchema.Source?

    /// Both, and Firefox in a Flatpak and a snap.
    package static let all = [
        MozillaFamily(
            name: "firefox", title: "Firefox",
            // /usr/bin/firefox may only start a snap.
            executables: ["/usr/bin/firefox-esr", "/usr/lib/firefox/firefox", "/opt/firefox/firefox"],
            versionFiles: ["/usr/lib/firefox-esr", "/usr/lib/firefox", "/opt/firefox"].map { "\($0)/application.ini" },
            processes: ["firefox", "firefox-esr", "firefox-bin"],
            domain: "org.mozilla.firefox", folder: "/etc/firefox/policies",
            userFolders: [".mozilla/firefox", ".config/mozilla/firefox"]),
        MozillaFamily(
            name: "firefox-snap", title: "Firefox (snap)", executables: [], readers: Sandbox.snap("firefox"),
            domain: "org.mozilla.firefox", folder: "/etc/firefox/policies",
            userFolders: ["snap/firefox/common/.mozilla/firefox"]),
        MozillaFamily(
            name: "firefox-flatpak", title: "Firefox (Flatpak)", executables: [],
            readers: [Sandbox.flatpak("org.mozilla.firefox")],
            domain: "org.mozilla.firefox",
            folder: Sandbox.extension("org.mozilla.firefox.systemconfig", version: "stable") + "/policies",
            userFolders: [".var/app/org.mozilla.firefox/.mozilla/firefox"]),
        MozillaFamily(
            name: "thunderbird", title: "Thunderbird", executables: ["/usr/bin/thunderbird"],
            sandboxes: ["org.mozilla.thunderbird", "org.mozilla.Thunderbird"].map(Sandbox.flatpak)
                + Sandbox.snap("thunderbird"),
            versionFiles: ["/usr/lib/thunderbird/application.ini"],
            processes: ["thunderbird", "thunderbird-bin"],
            domain: "org.mozilla.thunderbird", folder: "/etc/thunderbird/policies",
            userFolders: [".thunderbird"]),
    ]

    private init(
        name: String, title: String, executables: [String], readers: [String] = [], sandboxes: [String] = [],
        versionFiles: [String] = [], processes: [String] = [], domain: Key, folder: String, userFolders: [String]
    ) {
        (self.name, self.title, self.executables, self.readers) = (name, title, executables, readers)
        (self.sandboxes, self.versionFiles, self.processes) = (sandboxes, versionFiles, processes)
        (self.domain, self.folder, self.userFolders) = (domain, folder, userFolders)
    }

    /// What was written for Flatpaks and snaps was tried with a stand-in only.
    package var isTried: Bool { !isPlace }

    package var weakness: String { Sandbox.weakness(of: folder) }

    package var reach: ProgramReach { Sandbox.reach(of: readers, folder: folder) }

    package var domains: [Key] { [domain] }

    /// The file under its folder.
    static let file = "policies.json"
    /// The key that turns policy on in macOS; on Linux the file does.
    static let switchKey: Key = "EnterprisePoliciesEnabled"

    package func prepared(for root: Root) -> MozillaFamily {
        var program = self
        program.schema = source(root)
        return program
    }

    private func source(_ root: Root) -> MozillaSchema.Source {
        // Each version of the program has such a file beside its archive.
        MozillaSchema.Source(
            root,
            versionFiles.compactMap { path in
                path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) }
            })
    }

    package func render(_ policy: ProgramPolicy, for audience: Audience, in root: Root) -> ProgramRendering {
        var rendering = ProgramRendering()
        if policy.isEmpty { return rendering }
        let schema = (self.schema ?? source(root)).schema
        var merged = MozillaPolicies(title: title, schema: schema)
        func report(_ kind: ProgramFinding.Kind, _ entry: ProgramEntry, _ clause: String) {
            rendering.findings.append(ProgramFinding(kind, program: self, entry, clause))
        }
        for entry in policy.entries where entry.key != MozillaFamily.switchKey {
            switch entry.level {
            case .forced(let value), .recommended(let value):
                guard PlainJSON.accepts(value) else { fallthrough }
                switch schema?.verdict(on: value, at: MozillaPolicies.path(of: entry)) {
                case .wrong(let clause): report(.unsupported, entry, "\(title) does not take this: \(clause)")
                case .unknown(let clause): report(.notKnown, entry, "\(title) has \(clause)")
                case .fitting, nil: break
                }
                merged.add(value, of: entry)
            default: report(.unsupported, entry, "\(title) \(entry.level.unsupported)")
            }
        }
        // What is locked is not unlocked for a default beside it.
        for entry in policy.entries where entry.level.isLocking { merged.lock(entry, report) }
        for entry in policy.entries where !entry.level.isLocking { merged.lock(entry, report) }
        if !merged.members.isEmpty {
            rendering.files = [
                ProgramFile("\(folder)/\(MozillaFamily.file)", .members(path: ["policies"], merged.members))
            ]
        }
        return rendering
    }
}
