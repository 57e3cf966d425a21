import Platform
import PropertyList

/// The files that a caller names to be checked, and those in the folders that the caller names.
struct LintInput {
    /// Files that are compared with each other, in order of application.
    struct FileSet {
        /// The paths as people are shown them.
        var paths: [String]
        /// Whether the caller named each of them, so that every one has to be a policy file.
        let isNamed: Bool
        /// The paths that the caller did not name, and that are there to be compared with only.
        var background: Set<Key> = []

        /// The paths that are to be checked.
        var checked: [String] { background.isEmpty ? paths : paths.filter { !background.contains(Key($0)) } }
    }

    /// The most folders inside of each other.
    private static let depthLimit = 32
    /// The most names of all folders.
    private static let nameLimit = 100_000

    /// The sets: the files that were named, then each folder by itself.
    private(set) var sets: [FileSet] = []
    /// The manifests in folders that are named as those of machines are.
    private(set) var manifests: [String] = []
    /// What could not be read.
    private(set) var findings: [Diagnostic] = []
    /// How many names were looked at.
    private var count = 0
    /// The folders that were looked at.
    private var seen: Set<Key> = []

    /// Looks at each path of the process, relative ones included.
    init(_ paths: [String]) {
        var named: [String] = []
        for path in paths {
            // What cannot be asked is said when it is read.
            let status = try? Root.system.status(LintInput.path(path), followingLinks: true)
            guard status?.kind == .directory else {
                named.append(path)
                continue
            }
            let isSeen = seen.contains(LintInput.identity(ofFolder: path))
            let before = (sets.count, manifests.count)
            add(folder: path, depth: 0)
            let isUnread = findings.contains { $0.code == LintCode.unreadable.rawValue }
            guard !isSeen, before == (sets.count, manifests.count), !isUnread else { continue }
            findings.append(
                Diagnostic(
                    file: path, severity: .warning, code: .noPolicy,
                    message: "there is no policy file in this folder, so nothing was checked"))
        }
        named = unseen(named)
        let beside = LintInput.backgrounds(of: named)
        let compared = Set(beside.flatMap(\.paths).map { Key($0) })
        let alone = named.filter { !compared.contains(Key($0)) }
        sets.insert(contentsOf: (alone.isEmpty ? [] : [FileSet(paths: alone, isNamed: true)]) + beside, at: 0)
    }

    /// The path by which the kernel finds what a caller names.
    static func path(_ path: String) -> String {
        // The kernel knows the working directory by this link, and no directory changes beneath it.
        path.utf8.first == UInt8(ascii: "/") ? path : "/proc/self/cwd/\(path)"
    }

    /// The name at the end of a path.
    static func name(of path: String) -> String {
        path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
    }

    /// The path of the folder of a file, as a beginning of the paths of others in it; empty for the working directory.
    static func folder(of path: String) -> String {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
        return end.map { String(Substring(path.utf8[..<$0])) } ?? ""
    }

    /// Whether a file is probably meant to be a policy file, although its name is not that of one: by what stands behind
    /// a dot of its name, and by what it holds.
    private static func isProbablyPolicy(_ name: String, _ path: String) -> Bool {
        let words = name.lowercased().utf8.split(separator: UInt8(ascii: ".")).dropFirst(
            name.utf8.first == 0x2e ? 0 : 1)
        let distances = words.flatMap { word in
            // What an editor leaves behind ends in a tilde.
            let bytes = Array(word.last == UInt8(ascii: "~") ? word.dropLast() : word)
            return ["json", "plist", "mobileconfig"].map { Suggestion.distance(bytes, Array($0.utf8)) }
        }
        guard let distance = distances.min(), distance <= 1,
            let bytes = try? Root.system.read(LintInput.path(path), limit: PolicyFile.limits.bytes).bytes
        else { return false }
        return OtherPurpose.isPolicyLike(bytes) || (distance == 0 && OtherPurpose(bytes, path: path) == nil)
    }

    /// Adds the policy files of a folder, then those of the folders in it; links and hidden names are left out.
    private mutating func add(folder: String, depth: Int) {
        guard seen.insert(LintInput.identity(ofFolder: folder)).inserted else { return }
        let isPolicyFolder = LintInput.name(of: folder) == "policies.d"
        let isManifestFolder = LintInput.name(of: folder) == "manifests.d"
        var files: [String] = []
        var folders: [String] = []
        do throws(SystemError) {
            let names = try Root.system.names(in: LintInput.path(folder)).map { Key($0) }.sorted()
            count += names.count
            guard depth <= LintInput.depthLimit, count <= LintInput.nameLimit else {
                throw SystemError(operation: "list", path: folder, code: 7, reason: "there is more than can be checked")
            }
            for name in names.map(\.string) {
                let path = folder.utf8.last == UInt8(ascii: "/") ? folder + name : "\(folder)/\(name)"
                let kind = try Root.system.status(LintInput.path(path), followingLinks: false).kind
                if kind == .directory, name.utf8.first != UInt8(ascii: ".") { folders.append(path) }
                guard kind == .regular else { continue }
                if isManifestFolder, let reason = ManifestSet.reasonToIgnore(name) {
                    findings.append(ManifestSet.ignored(path, reason))
                } else if let reason = PolicyFileName.reasonToIgnore(name) {
                    // Elsewhere there may be anything: a README, a build file, the settings of an editor.
                    guard isPolicyFolder || LintInput.isProbablyPolicy(name, path) else { continue }
                    findings.append(
                        Diagnostic(
                            file: path, severity: .warning, code: .ignoredName,
                            message: "a file of this name is not read: it \(reason)"))
                } else {
                    files.append(path)
                }
            }
        } catch {
            let message = "the folder cannot be read: \(Printable.escape(error.text))"
            findings.append(Diagnostic(file: folder, code: .unreadable, message: message))
        }
        if isManifestFolder {
            manifests += files
        } else if !files.isEmpty {
            sets.append(FileSet(paths: files, isNamed: isPolicyFolder))
        }
        // What a machine keeps of policy is no policy.
        let kept = StorePath.home.utf8
        for folder in folders where !"/\(folder)".utf8.suffix(kept.count).elementsEqual(kept) {
            add(folder: folder, depth: depth + 1)
        }
    }
}
