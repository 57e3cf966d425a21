package import MDPlatform
package import MDPropertyList

/// KDE's programs: files of groups and keys, read through KConfig from one folder after the other.
///
/// A domain is a file, `org.kde.kdeglobals` for `kdeglobals`; a key is a path (``SlashPath``) of groups with the key's own
/// name last, `KScreen/ScaleFactor`. `KScreen/*` under `Absent` locks a group: keys of it that policy does not list have no
/// value. A sealed domain locks the file.
///
/// KConfig reads the last folder of `XDG_CONFIG_DIRS` first and the user's last; later ones win, except over what `[$i]`
/// locks. In one file the last line of a key decides, unless an earlier one locks it.
package struct KDE: Program {
    package let name = "kde"
    package let title = "KDE"
    package let executables = ["/usr/bin/plasmashell", "/usr/bin/kreadconfig5", "/usr/bin/kreadconfig6"]
    package let processes = ["plasmashell"]
    package let reach = ProgramReach.session(folder: KDE.folder)
    package let weakness = """
        a user gets around it by another XDG_CONFIG_DIRS, by a key with a language in a group that is not locked, and in \
        programs' own files by the user's kdeglobals as long as org.kde.kdeglobals is not sealed
        """

    /// The folder of everybody's files.
    private static let folder = "/etc/xdg"
    /// What a domain begins with.
    private static let prefix = "org.kde."
    /// How the names of files end in which Plasma has desktops, panels and their pictures.
    private static let desktop = "-appletsrc"
    /// The groups that only administrators write, so that they are locked as a whole.
    private static let restrictions: Set<String> = [
        "KDE Action Restrictions", "KDE Control Module Restrictions", "KDE Resource Restrictions",
        "KDE URL Restrictions",
    ]

    /// What the machine's programs say of their keys; `nil` before ``prepared(for:)``.
    private let schema: KConfigSchema.Source?

    package init() { schema = nil }

    private init(_ root: Root) { schema = KConfigSchema.Source(root) }

    package func prepared(for root: Root) -> KDE { KDE(root) }

    /// The variable that login sessions have after `programs enable`.
    package func variables(for user: ProgramUser, instance: String) -> [String] {
        ["XDG_CONFIG_DIRS=\(instance):\(KDE.folder)"]
    }

    package var domains: [Key] { [Key(KDE.prefix)] }

    package func takes(_ domain: Key) -> Bool { KDE.file(of: domain) != nil }

    /// The name of a domain's file.
    static func file(of domain: Key) -> String? {
        guard domain.string.utf8.starts(with: prefix.utf8) else { return nil }
        let name = domain.string.utf8.dropFirst(prefix.utf8.count)
        guard let first = name.first, first != UInt8(ascii: "."), !name.contains(UInt8(ascii: "/")) else { return nil }
        return String(Substring(name))
    }

    package func render(_ policy: ProgramPolicy, for audience: Audience, in root: Root) -> ProgramRendering {
        var rendering = ProgramRendering()
        if policy.isEmpty { return rendering }
        let schema = (self.schema ?? KConfigSchema.Source(root)).schema
        for (domain, entries) in Dictionary(grouping: policy.entries, by: \.domain).sorted(by: { $0.key < $1.key }) {
            guard let name = KDE.file(of: domain) else { continue }
            let path = "\(KDE.folder)/\(name)"
            // kreadconfig5 reads this file of the machine, and Plasma does not.
            if name.utf8.suffix(KDE.desktop.utf8.count).elementsEqual(KDE.desktop.utf8) {
                rendering.findings += entries.map {
                    ProgramFinding(
                        .unsupported, program: self, $0,
                        "Plasma reads its desktops and panels from the user's own \(name) only")
                }
                continue
            }
            if let status = try? root.status(path, followingLinks: true), status.kind != .regular,
                let entry = entries.first
            {
                rendering.findings.append(
                    ProgramFinding(
                        .unsupported, program: self, entry, "\(root.display(path)) is \(status.kind.noun), not a file"))
                continue
            }
            var file = KConfigLines()
            for entry in entries {
                let verdict = schema.verdict(on: entry, in: Key(name))
                if case .wrong(let clause) = verdict {
                    rendering.findings.append(ProgramFinding(.unsupported, program: self, entry, clause))
                    continue
                }
                if let clause = file.add(entry) {
                    rendering.findings.append(
                        ProgramFinding(.unsupported, program: self, entry, "\(title) \(clause)"))
                } else if case .unknown(let clause) = verdict {
                    rendering.findings.append(ProgramFinding(.unsupported, program: self, entry, clause))
                }
            }
            file.lock(KDE.restrictions)
            for (group, entry) in file.openGroups {
                let advice = group.isEmpty ? "" : "; \(KConfigLines.name(of: group))/* under Absent locks it"
                rendering.findings.append(
                    ProgramFinding(
                        .unsupported, program: self, entry,
                        "a user gets past this with a language in the key, as \(entry.key)[de], because the group is not"
                            + " locked\(advice)"))
            }
            if file.isEmpty { continue }
            rendering.files.append(ProgramFile(path, .block(file.lines)))
        }
        rendering.findings += MissingPictures.findings(in: policy, for: self, root)
        return rendering
    }

    package func rivals(of policy: ProgramPolicy, in root: Root) -> [ProgramFinding] {
        let domains = Dictionary(grouping: policy.entries, by: \.domain)
        return domains.sorted { $0.key < $1.key }.compactMap { domain, entries in
            guard let path = KDE.file(of: domain).map({ "\(KDE.folder)/\($0)" }),
                let bytes = try? root.read(path, limit: PlainJSON.sizeLimit).bytes
            else { return nil }
            var file = KConfigLines()
            for entry in entries { _ = file.add(entry) }
            let foreign = bytes.split(separator: 0x0a).prefix { !$0.starts(with: ProgramFile.blockBegin.utf8) }
            guard let line = file.line(lockedBy: foreign) else { return nil }
            return ProgramFinding(
                .rival, program: name, path: path,
                "the line \(line) of others locks what policy says too, and decides")
        }
    }
}
