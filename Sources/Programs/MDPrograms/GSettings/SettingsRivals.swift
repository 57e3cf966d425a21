import MDPlatform
import MDPropertyList

/// Looks for what keeps the databases of policy from deciding.
struct SettingsRivals {
    let program: GSettings
    let root: Root
    private(set) var findings: [ProgramFinding] = []

    init(program: GSettings, root: Root) {
        (self.program, self.root) = (program, root)
    }

    /// Looks at the databases of others, and at the folders that dconf compiles to databases.
    ///
    /// - Parameter recommended: the keys that policy recommends.
    mutating func look(beside recommended: [Key]) {
        let profile = try? DconfProfile(of: root, without: SettingsDatabase.name)
        for name in profile?.foreignDatabases(without: SettingsDatabase.name) ?? [] {
            let path = "\(SettingsDatabase.folder)/\(name)"
            checkWriters(of: path)
            guard let bytes = try? root.read(path, limit: GVDBFile.sizeLimit).bytes else { continue }
            guard let file = GVDBFile(bytes) else {
                add(path, "the database is damaged, so programs ignore it without a word")
                continue
            }
            let locks = file.root.table(".locks")
            let locked = recommended.filter { locks?.hasValue($0.string) ?? false }
            if locked.isEmpty { continue }
            let shown = locked.prefix(3).map(\.string).joined(separator: ", ")
            let more = locked.count > 3 ? " and \(locked.count - 3) more" : ""
            add(path, "the database locks \(shown)\(more), which policy only recommends")
        }
        for name in (try? root.names(in: SettingsDatabase.folder)) ?? [] where name.hasSuffix(".d") {
            let folder = "\(SettingsDatabase.folder)/\(name)"
            if name.utf8.starts(with: SettingsDatabase.name.utf8) {
                add(folder, "dconf update makes a database of the folder, in the place of that of policy")
            }
            checkWriters(of: folder)
            for path in files(in: folder) + files(in: "\(folder)/locks") { checkWriters(of: path) }
        }
    }

    /// The most files of a folder that are looked at.
    private static let fileLimit = 1_000

    private func files(in folder: String) -> [String] {
        ((try? root.names(in: folder)) ?? []).prefix(SettingsRivals.fileLimit).map { "\(folder)/\($0)" }
    }

    /// Reports a file that others than root can change.
    private mutating func checkWriters(of path: String) {
        guard let status = try? root.status(path, followingLinks: true) else { return }
        if status.owner == root.owner, status.mode & 0o022 == 0 { return }
        add(path, "others than root can change it, and \(program.title) obey it")
    }

    private mutating func add(_ path: String, _ clause: String) {
        findings.append(ProgramFinding(.rival, program: program.name, path: path, clause))
    }
}
