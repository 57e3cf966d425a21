package import MDPlatform
package import MDPropertyList
import MDTools

/// GNOME's, GTK's and all other programs that keep their settings with GSettings in dconf.
///
/// Policy is a database for everybody, `managed_defaults`, and one for each user, each compiled here, so that a program
/// finds the old or the new policy and nothing between. A profile names it, for each user in `/run/dconf/user`, which no
/// environment variable replaces. The names stay when policy changes, because a program reads its profile once.
package struct GSettings: Program {
    package let name = "gsettings"
    package let title = "GNOME and GTK programs (GSettings)"
    package let executables = ["/usr/libexec/dconf-service", "/usr/lib/dconf/dconf-service"]
    /// The types and ranges of keys are those of the installed schemas.
    package let versionFiles = ["/usr/share/glib-2.0/schemas/gschemas.compiled"]
    package let reach = ProgramReach.user
    package let weakness = """
        a program that the user starts with GSETTINGS_BACKEND, GSETTINGS_SCHEMA_DIR, XDG_DATA_DIRS, XDG_DATA_HOME or \
        GIO_MODULE_DIR does not ask dconf, or asks with another schema
        """

    /// The schemas of the machine; `nil` for the program on no machine.
    private(set) var schemas: InstalledSchemas?

    package init() {}

    package func prepared(for root: Root) -> GSettings {
        var prepared = self
        prepared.schemas = InstalledSchemas(root: root)
        return prepared
    }

    /// What the names of schemas begin with that only such programs have.
    private static let prefixes: [Key] = [
        "org.gnome.", "org.gtk.", "org.freedesktop.", "org.mate.", "org.cinnamon.", "org.nemo.", "com.canonical.",
        "com.ubuntu.", "ca.desrt.",
    ]

    package var domains: [Key] { GSettings.prefixes }

    package func takes(_ domain: Key) -> Bool {
        // Its keys are polkit's actions.
        if domain == "org.freedesktop.policykit" { return false }
        if GSettings.prefixes.contains(where: { domain.string.utf8.starts(with: $0.string.utf8) }) { return true }
        return schemas?.has(domain) ?? false
    }

    package func render(_ policy: ProgramPolicy, for audience: Audience, in root: Root) -> ProgramRendering {
        let schemas = schemas ?? InstalledSchemas(root: root)
        var rendering = ProgramRendering()
        rendering.findings = schemas.damage.map { path, clause in
            ProgramFinding(.failed, program: name, path: path, clause)
        }
        var builder = SettingsBuilder(schemas: schemas, program: self)
        builder.add(policy)
        rendering.findings += builder.findings + MissingPictures.findings(in: policy, for: self, root)
        let database = builder.database
        // Without schemas no program asks.
        if schemas.isEmpty || (audience == .everybody && database.isEmpty) { return rendering }
        rendering.files = files(.bytes(database.bytes), for: audience, in: root, &rendering.findings)
        return rendering
    }

    package func files(
        sharing rendering: ProgramRendering, of policy: ProgramPolicy, for audience: Audience, in root: Root
    ) -> [ProgramFile] {
        // The content of a database does not depend on whose it is.
        guard let compiled = rendering.files.first else { return [] }
        var known: [ProgramFinding] = []
        return files(compiled.content, for: audience, in: root, &known)
    }

    /// What a compiled database says, for people; `nil` if the bytes are not a database.
    package static func text(of bytes: [UInt8]) -> String? { SettingsDatabase(bytes)?.text }

    package func rivals(of policy: ProgramPolicy, in root: Root) -> [ProgramFinding] {
        var builder = SettingsBuilder(schemas: schemas ?? InstalledSchemas(root: root), program: self)
        builder.add(policy)
        var rivals = SettingsRivals(program: self, root: root)
        rivals.look(beside: builder.database.values.keys.filter { !builder.database.locks.contains($0) }.sorted())
        return rivals.findings
    }

    /// The database and the profile that names it.
    private func files(
        _ database: ProgramFile.Content, for audience: Audience, in root: Root, _ findings: inout [ProgramFinding]
    ) -> [ProgramFile] {
        let name = audience.user.map { "\(SettingsDatabase.name)_\($0.uid)" } ?? SettingsDatabase.name
        let compiled = ProgramFile("\(SettingsDatabase.folder)/\(name)", database)
        guard let user = audience.user else {
            let hidden = DconfProfile.hidden(in: root)
            return [compiled, ProgramFile(DconfProfile.path, .profile(database: name, hidden: hidden))]
        }
        var profile = DconfProfile([])
        do throws(SystemError) {
            profile = try DconfProfile(of: root, without: SettingsDatabase.name)
        } catch {
            findings.append(
                ProgramFinding(
                    .failed, program: self.name, path: DconfProfile.path, "the databases of others are lost: \(error)"))
        }
        let lines = profile.lines(with: name).map { Array($0.utf8) + [0x0a] }
        return [compiled, ProgramFile("\(GSettings.profiles)/\(user.uid)", .bytes(Array(lines.joined())))]
    }

    /// The folder of the profiles of users.
    private static let profiles = "/run/dconf/user"

    package func variables(for user: ProgramUser, instance: String) -> [String] {
        ["DCONF_PROFILE=\(GSettings.profiles)/\(user.uid)"]
    }

    package func keepsMapped(_ path: String) -> Bool {
        path.utf8.starts(with: "\(SettingsDatabase.folder)/".utf8)
    }

    package func publish(_ changed: [String], in root: Root) -> [String] {
        guard root.isSystem, root.mayExist(SystemBus.socket) else { return [] }
        let databases = changed.filter(keepsMapped).map { $0.utf8.dropFirst(SettingsDatabase.folder.utf8.count + 1) }
        if databases.isEmpty { return [] }
        // dconf's own signal: what may be written, and so each value, may have changed everywhere.
        let signals = databases.map { database in
            SystemBus.Signal(
                path: "/ca/desrt/dconf/Writer/\(Substring(database))",
                interface: "ca.desrt.dconf.Writer", member: "WritabilityNotify", text: "/")
        }
        do throws(SystemError) {
            try SystemBus.send(signals, in: root)
            return []
        } catch {
            return ["running programs are not told of the change, and see it when they next ask: \(error)"]
        }
    }
}
