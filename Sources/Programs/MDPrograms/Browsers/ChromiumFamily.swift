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

    private init(
        _ name: String, _ title: String, _ domain: Key, _ folder: String, _ userFolder: String, _ executables: [String]
    ) {
        (self.name, self.title, self.domain, self.folder, self.executables) = (name, title, domain, folder, executables)
        self.userFolder = userFolder
    }

    /// All of them.
    package static let all = [
        ChromiumFamily(
            "chromium", "Chromium", "org.chromium.Chromium", "/etc/chromium/policies", ".config/chromium",
            ["/usr/bin/chromium", "/usr/bin/chromium-browser"]),
        ChromiumFamily(
            "chrome", "Google Chrome", "com.google.Chrome", "/etc/opt/chrome/policies", ".config/google-chrome",
            ["/opt/google/chrome/chrome"]),
        ChromiumFamily(
            "edge", "Microsoft Edge", "com.microsoft.Edge", "/etc/opt/edge/policies", ".config/microsoft-edge",
            ["/opt/microsoft/msedge/msedge"]),
        ChromiumFamily(
            "brave", "Brave", "com.brave.Browser", "/etc/brave/policies", ".config/BraveSoftware/Brave-Browser",
            ["/opt/brave.com/brave/brave", "/usr/bin/brave-browser"]),
        ChromiumFamily(
            "vivaldi", "Vivaldi", "com.vivaldi.Vivaldi", "/etc/vivaldi/policies", ".config/vivaldi",
            ["/opt/vivaldi/vivaldi", "/usr/bin/vivaldi"]),
    ]

    package var sandboxes: [String] { Sandbox.folders(flatpaks: [domain.string], snap: name) }

    /// In Debian the executable is a script.
    package var versionFiles: [String] { name == "chromium" ? ["/usr/lib/chromium/chromium"] : [] }

    /// Debian has only Chromium.
    package var isTried: Bool { name == "chromium" }

    package var weakness: String { ProgramReach.folderWeakness }

    package var reach: ProgramReach { .instance(folder: folder) }

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
        let id = Key(String(Substring(entry.domain.string.utf8.dropFirst(extensions.utf8.count))))
        members["3rdparty"] = members["3rdparty"].setting(value, at: ["extensions", id, entry.key])
    }

    package func rivals(of policy: ProgramPolicy, in root: Root) -> [ProgramFinding] {
        ["managed", "recommended"].flatMap { rivals(of: policy, in: root, folder: "\(folder)/\($0)") }
    }

    /// Looks at the foreign files of one folder; the browser reads them all.
    private func rivals(of policy: ProgramPolicy, in root: Root, folder: String) -> [ProgramFinding] {
        guard let names = try? root.names(in: folder) else { return [] }
        let own = Key(ChromiumFamily.file)
        let keys = Set(policy.entries.lazy.filter { $0.domain == domain }.map(\.key))
        return names.filter { Key($0) != own }.flatMap { name -> [ProgramFinding] in
            let path = "\(folder)/\(name)"
            func finding(_ clause: String) -> ProgramFinding {
                ProgramFinding(.rival, program: self.name, path: path, clause)
            }
            guard let status = try? root.status(path, followingLinks: false) else { return [] }
            if status.kind == .directory { return [] }
            if status.kind == .link { return [finding("the file is a link, so what it says may be changed elsewhere")] }
            if status.owner != root.owner || status.mode & 0o022 != 0 {
                return [finding("others than root can write the file, and \(title) obeys it")]
            }
            guard let bytes = try? root.read(path, limit: PlainJSON.sizeLimit).bytes,
                let members = try? PlainJSON.object(bytes)
            else { return [finding("the file does not parse, so \(title) ignores it without a word")] }
            let shared = members.keys.filter(keys.contains).sorted().map(\.string)
            if shared.isEmpty || Key(name) < own { return [] }
            return [finding("the file decides \(shared.joined(separator: ", ")), because its name sorts last")]
        }
    }
}

extension Value? {
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
