package import MDPlatform
package import MDPropertyList
import MDTools

/// Chromium and the browsers made of it: they read every JSON file of a folder.
///
/// Source: <https://www.chromium.org/administrators/linux-quick-start/>
package struct ChromiumFamily: Program {
    package let name: String
    package let title: String
    package let executables: [String]
    /// The domain of its policies, the one that macOS has for it.
    let domain: Key
    /// The folder of its policies.
    let folder: String
    /// The folder of the user's profiles, in the home.
    let userFolder: String
    /// What is known of its policies; `nil` before ``prepared(for:)``.
    private(set) var names: ChromiumNames.Source?

    package let readers: [String]
    package let sandboxes: [String]

    private init(
        _ name: String, _ title: String, _ domain: Key, _ folder: String, _ userFolder: String,
        _ executables: [String] = [], readers: [String] = [], sandboxes: [String] = []
    ) {
        (self.name, self.title, self.domain, self.folder, self.executables) = (name, title, domain, folder, executables)
        (self.userFolder, self.readers, self.sandboxes) = (userFolder, readers, sandboxes)
    }

    /// All of them, and Chromium in a Flatpak and a snap.
    package static let all = [
        ChromiumFamily(
            "chromium", "Chromium", "org.chromium.Chromium", "/etc/chromium/policies", ".config/chromium",
            // /usr/bin/chromium-browser may only start a snap.
            ["/usr/bin/chromium"] + ["lib", "lib64"].map { "/usr/\($0)/chromium-browser/chromium-browser" }),
        ChromiumFamily(
            "chromium-snap", "Chromium (snap)", "org.chromium.Chromium", "/etc/chromium-browser/policies",
            "snap/chromium/common/chromium", readers: Sandbox.snap("chromium")),
        ChromiumFamily(
            "chromium-flatpak", "Chromium (Flatpak)", "org.chromium.Chromium",
            Sandbox.extension("org.chromium.Chromium.Extension.managed-defaults", version: "1") + "/policies",
            ".var/app/org.chromium.Chromium/config/chromium", readers: [Sandbox.flatpak("org.chromium.Chromium")]),
        // The Flatpaks of these three link to what the machine has in the folder when they start.
        ChromiumFamily(
            "chrome", "Google Chrome", "com.google.Chrome", "/etc/opt/chrome/policies", ".config/google-chrome",
            ["/opt/google/chrome/chrome"], readers: [Sandbox.flatpak("com.google.Chrome")]),
        ChromiumFamily(
            "edge", "Microsoft Edge", "com.microsoft.Edge", "/etc/opt/edge/policies", ".config/microsoft-edge",
            ["/opt/microsoft/msedge/msedge"], readers: [Sandbox.flatpak("com.microsoft.Edge")]),
        ChromiumFamily(
            "brave", "Brave", "com.brave.Browser", "/etc/brave/policies", ".config/BraveSoftware/Brave-Browser",
            ["/opt/brave.com/brave/brave", "/usr/bin/brave-browser"], readers: [Sandbox.flatpak("com.brave.Browser")],
            sandboxes: Sandbox.snap("brave")),
        ChromiumFamily(
            "vivaldi", "Vivaldi", "com.vivaldi.Vivaldi", "/etc/vivaldi/policies", ".config/vivaldi",
            ["/opt/vivaldi/vivaldi", "/usr/bin/vivaldi"],
            sandboxes: [Sandbox.flatpak("com.vivaldi.Vivaldi")] + Sandbox.snap("vivaldi")),
    ]

    /// In Debian the executable is a script.
    package var versionFiles: [String] { name == "chromium" ? ["/usr/lib/chromium/chromium"] : [] }

    /// Debian has only Chromium.
    package var isTried: Bool { name == "chromium" }

    package var weakness: String { Sandbox.weakness(of: folder) }

    package var reach: ProgramReach { Sandbox.reach(of: readers, folder: folder) }

    /// The last name in byte order decides.
    static let file = "zz-managed-defaults.json"

    /// The domain of an extension's settings is the browser's, this word and the id of the extension.
    private var extensions: String { "\(domain.string).extensions." }

    package var domains: [Key] { [domain, Key(extensions)] }

    private func isExtension(_ domain: Key) -> Bool {
        domain.string.utf8.starts(with: extensions.utf8) && domain.string.utf8.count > extensions.utf8.count
    }

    package func prepared(for root: Root) -> ChromiumFamily {
        var program = self
        program.names = ChromiumNames.Source(root, self)
        return program
    }

    package func render(_ policy: ProgramPolicy, for audience: Audience, in root: Root) -> ProgramRendering {
        var rendering = ProgramRendering()
        if policy.isEmpty { return rendering }
        let names = (self.names ?? ChromiumNames.Source(root, self)).names
        var (forced, recommended): ([Key: Value], [Key: Value]) = ([:], [:])
        for entry in policy.entries {
            switch entry.level {
            case .forced(let value), .recommended(let value):
                if entry.level.isLocking {
                    add(value, of: entry, to: &forced, &rendering)
                } else {
                    add(value, of: entry, to: &recommended, &rendering)
                }
                if entry.domain == domain, let clause = names.doubt(about: value, of: entry.key, in: self) {
                    rendering.findings.append(ProgramFinding(.notKnown, program: self, entry, clause))
                }
            default:
                rendering.findings.append(
                    ProgramFinding(.unsupported, program: self, entry, "\(title) \(entry.level.unsupported)"))
            }
        }
        for (members, name) in [(forced, "managed"), (recommended, "recommended")] where !members.isEmpty {
            guard let bytes = PlainJSON.encode(.dictionary(members)) else { continue }
            rendering.files.append(
                ProgramFile("\(folder)/\(name)/\(ChromiumFamily.file)", .bytes(bytes), staging: folder))
        }
        return rendering
    }

    /// Adds a value to the members of a file; those of an extension lie deeper.
    private func add(
        _ value: Value, of entry: ProgramEntry, to members: inout [Key: Value], _ rendering: inout ProgramRendering
    ) {
        guard PlainJSON.accepts(value) else {
            rendering.findings.append(
                ProgramFinding(.unsupported, program: self, entry, "\(title) has no dates and no data"))
            return
        }
        guard isExtension(entry.domain) else {
            members[entry.key] = value
            return
        }
        members["3rdparty"] = members["3rdparty"].setting(value, at: path(of: entry)[1...])
    }

    package func rivals(of policy: ProgramPolicy, in root: Root) -> [ProgramFinding] {
        let (managed, recommended) = (foreign(in: "managed", root), foreign(in: "recommended", root))
        let merged = ["PolicyListMultipleSourceMergeList", "PolicyDictionaryMultipleSourceMergeList"].flatMap { name in
            names(
                policy.entry(domain: domain, key: name)?.level.givenValue
                    ?? managed.files.last { $0.members[name] != nil }?.members[name])
        }
        var findings = managed.findings + recommended.findings
        for entry in policy.entries {
            guard let ours = entry.level.givenValue else { continue }
            let isForced = if case .forced = entry.level { true } else { false }
            for (file, isMandatory) in managed.files.map({ ($0, true) }) + recommended.files.map({ ($0, false) }) {
                guard let theirs = Value?.some(.dictionary(file.members)).value(at: path(of: entry)) else { continue }
                if isForced, isMandatory, merged.contains(entry.key) || merged.contains("*"),
                    ours.isMergeable(with: theirs)
                {
                    continue
                }
                let reason: String? =
                    if isMandatory != isForced {
                        isMandatory ? "it forces what policy only recommends" : nil
                    } else {
                        Key(file.name) < Key(ChromiumFamily.file) ? nil : "its name sorts last"
                    }
                let value = ForeignValue(
                    key: entry.key, ours: ours, theirs: theirs, reason: reason, isSecret: entry.isSensitive)
                if let finding = value.finding(about: name, file.path) { findings.append(finding) }
            }
        }
        return findings
    }

    /// A file of another product in the folder.
    private struct ForeignFile {
        let name: String
        /// The path, under the root.
        let path: String
        let members: [Key: Value]
    }

    /// The foreign files of one folder, in the order in which the browser reads them, and what is wrong with them.
    private func foreign(in folder: String, _ root: Root) -> (files: [ForeignFile], findings: [ProgramFinding]) {
        let folder = "\(self.folder)/\(folder)"
        var (files, findings): ([ForeignFile], [ProgramFinding]) = ([], [])
        for name in ((try? root.names(in: folder)) ?? []).map({ Key($0) }).sorted()
        where name.string != ChromiumFamily.file {
            let path = "\(folder)/\(name.string)"
            func report(_ clause: String) {
                findings.append(ProgramFinding(.rival, program: self.name, path: path, clause))
            }
            guard let status = try? root.status(path, followingLinks: false), status.kind != .directory else {
                continue
            }
            if status.kind == .link {
                report("the file is a link, so what it says may be changed elsewhere")
            } else if status.owner != root.owner || status.mode & 0o022 != 0 {
                report("others than root can write the file, and \(title) obeys it")
            }
            if let bytes = try? root.read(path, limit: PlainJSON.sizeLimit).bytes,
                let members = try? PlainJSON.object(bytes)
            {
                files.append(ForeignFile(name: name.string, path: path, members: members))
            } else if status.kind == .regular {
                report("the file does not parse, so \(title) ignores it without a word")
            }
        }
        return (files, findings)
    }

    /// Where an entry's value is in a file.
    private func path(of entry: ProgramEntry) -> [Key] {
        guard isExtension(entry.domain) else { return [entry.key] }
        let id = Key(String(Substring(entry.domain.string.utf8.dropFirst(extensions.utf8.count))))
        return ["3rdparty", "extensions", id, entry.key]
    }

    /// The policies that a list of them names.
    private func names(_ list: Value?) -> [Key] {
        guard case .array(let elements) = list else { return [] }
        return elements.compactMap { if case .string(let name) = $0 { Key(name) } else { nil } }
    }
}

extension Value {
    /// Whether Chromium can merge both: two lists, or two dictionaries.
    fileprivate func isMergeable(with other: Value) -> Bool {
        switch (self, other) {
        case (.array, .array), (.dictionary, .dictionary): true
        default: false
        }
    }
}

extension Value? {
    /// The value at a path of names; `nil` if there is none.
    func value(at path: [Key]) -> Value? {
        path.reduce(self) { value, name in if case .dictionary(let members) = value { members[name] } else { nil } }
    }

    /// A dictionary with a value at a path of names, and all that was in it.
    func setting(_ value: Value, at path: ArraySlice<Key>) -> Value {
        guard let name = path.first else { return value }
        var members: [Key: Value] = [:]
        if case .dictionary(let present) = self { members = present }
        members[name] = members[name].setting(value, at: path.dropFirst())
        return .dictionary(members)
    }
}

extension ProgramEntry.Level {
    /// The value that a program gets.
    fileprivate var givenValue: Value? {
        switch self {
        case .forced(let value), .recommended(let value): value
        case .absent, .setOnce, .constraint, .sealed, .unknown: nil
        }
    }

    /// Why a program that knows values and defaults only cannot carry an entry out, as a clause after its name.
    var unsupported: String {
        switch self {
        case .forced, .recommended: "has no such setting"
        case .absent: "has no way to keep a setting without a value: the user may set it"
        case .setOnce: "has no values that are set once"
        case .constraint: "has no limits to what the user chooses"
        case .sealed: "has no way to keep every other setting without a value"
        case .unknown: "needs a value, and a variable in it is unknown for everybody together"
        }
    }
}
