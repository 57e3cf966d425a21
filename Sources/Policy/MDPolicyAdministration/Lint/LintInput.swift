import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// The files to check: those that the caller names, and those in folders that the caller names.
struct LintInput {
    /// Files that are compared with each other, in order of application.
    struct FileSet {
        /// The paths for messages.
        var paths: [String]
        /// Whether the caller named each of them, so that each must be a policy file.
        let isNamed: Bool
        /// The paths that the caller did not name; they are only compared with.
        var background: Set<Key> = []

        /// The paths to check.
        var checked: [String] { background.isEmpty ? paths : paths.filter { !background.contains(Key($0)) } }
    }

    /// The greatest nesting depth of folders.
    private static let depthLimit = 32
    /// The most names in all folders together.
    private static let nameLimit = 100_000

    /// The sets: first the named files, then each folder by itself.
    private(set) var sets: [FileSet] = []
    /// The manifests in folders with the name of a machine's manifest directory.
    private(set) var manifests: [String] = []
    /// The findings about paths that could not be read.
    private(set) var findings: [Diagnostic] = []
    /// The number of names that were examined.
    private var count = 0
    /// The folders that were examined.
    private var seen: Set<Key> = []

    /// Examines each path; relative ones are those of the process.
    init(_ paths: [String]) {
        var named: [String] = []
        for path in paths {
            // An unknown status is reported when the file is read.
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
        let beside = LintInput.backgrounds(of: named.filter { $0 != Lint.standardInput })
        let compared = Set(beside.flatMap(\.paths).map { Key($0) })
        let alone = named.filter { !compared.contains(Key($0)) }
        sets.insert(contentsOf: (alone.isEmpty ? [] : [FileSet(paths: alone, isNamed: true)]) + beside, at: 0)
    }

    /// Whether the folder of a file is named like a machine's policy directory, so that it holds what is in force.
    static func isInPolicyFolder(_ path: String) -> Bool { name(of: folder(of: path)) == "policies.d" }

    /// The property lists of a folder of manifests and of the folders in it, as a checkout of ProfileManifests has them.
    static func manifests(in folder: String) -> (paths: [String], findings: [Diagnostic]) {
        var input = LintInput([])
        input.add(folder: folder, depth: 0, isManifestFolder: true)
        if input.manifests.isEmpty, input.findings.isEmpty {
            input.findings.append(
                Diagnostic(
                    file: folder, severity: .warning, code: .manifest,
                    message: "there is no manifest in this folder, so no key was compared with one"))
        }
        return (input.manifests, input.findings.filter { $0.code != LintCode.ignoredName.rawValue })
    }

    /// The absolute path of a path that a caller names.
    static func path(_ path: String) -> String {
        // This link leads to the working directory even if that was renamed.
        path.utf8.first == UInt8(ascii: "/") ? path : "/proc/self/cwd/\(path)"
    }

    /// The name at the end of a path.
    static func name(of path: String) -> String {
        path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
    }

    /// The path of a file's folder as a prefix of other paths in it; empty for the working directory.
    static func folder(of path: String) -> String {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
        return end.map { String(Substring(path.utf8[..<$0])) } ?? ""
    }

    /// Whether a file with another name is probably meant to be a policy file, judged by the suffixes in its name and
    /// by its content.
    private static func isProbablyPolicy(_ name: String, _ path: String) -> Bool {
        let words = name.lowercased().utf8.split(separator: UInt8(ascii: ".")).dropFirst(
            name.utf8.first == 0x2e ? 0 : 1)
        let distances = words.flatMap { word in
            // The backups of editors end in a tilde.
            let bytes = Array(word.last == UInt8(ascii: "~") ? word.dropLast() : word)
            return ["json", "plist", "mobileconfig"].map { Suggestion.distance(bytes, Array($0.utf8)) }
        }
        guard let distance = distances.min(), distance <= 1,
            let bytes = try? Root.system.read(LintInput.path(path), limit: PolicyFile.limits.bytes).bytes
        else { return false }
        return OtherPurpose.isPolicyLike(bytes) || (distance == 0 && OtherPurpose(bytes, path: path) == nil)
    }

    /// Adds the policy files of a folder, then those of its subfolders; links and hidden names are skipped.
    private mutating func add(folder: String, depth: Int, isManifestFolder isInside: Bool = false) {
        guard seen.insert(LintInput.identity(ofFolder: folder)).inserted else { return }
        let isPolicyFolder = LintInput.name(of: folder) == "policies.d"
        let isManifestFolder = isInside || LintInput.name(of: folder) == "manifests.d"
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
                    // Other folders may hold any files: a README, a build file, the settings of an editor.
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
        // The files that a machine stores about policy are not policy files, and neither is the data of common
        // settings.
        let home = StorePath.home.utf8
        for folder in folders
        where !"/\(folder)".utf8.suffix(home.count).elementsEqual(home) && LintInput.name(of: folder) != "programs" {
            add(folder: folder, depth: depth + 1, isManifestFolder: isManifestFolder)
        }
    }
}

extension LintInput {
    /// The most names of a folder whose other files are also read.
    private static let neighborLimit = 2_000
    /// The most bytes of these files.
    private static let neighborBytes = 32 << 20

    /// Groups named files with the other policy files of their folders, in order of application, because the effect of
    /// some files depends on the others.
    ///
    /// - Parameter named: the named files.
    /// - Returns: one set for each folder that has other policy files and nothing else.
    static func backgrounds(of named: [String]) -> [FileSet] {
        var folders: [(folder: String, paths: [String])] = []
        var places: [Key: Int] = [:]
        for path in named {
            let folder = folder(of: path)
            if let place = places[Key(folder)] {
                folders[place].paths.append(path)
            } else {
                places[Key(folder)] = folders.count
                folders.append((folder, [path]))
            }
        }
        return folders.compactMap { folder, paths in
            let others = neighbors(of: paths, in: folder)
            if others.isEmpty { return nil }
            let all = (paths + others).sorted { Key(name(of: $0)) < Key(name(of: $1)) }
            return FileSet(paths: all, isNamed: true, background: Set(others.map { Key($0) }))
        }
    }

    /// The other policy files of a folder.
    ///
    /// The folder must be named like a machine's policy directory, or contain only policy files and no profiles: a
    /// collection of profiles is usually not installed together.
    private static func neighbors(of paths: [String], in folder: String) -> [String] {
        let place = path(folder.isEmpty ? "." : folder)
        let isPolicyFolder = name(of: folder) == "policies.d"
        // Files in a folder that all users can write are unrelated.
        guard let status = try? Root.system.status(place, followingLinks: true),
            isPolicyFolder || status.mode & 0o002 == 0,
            let names = try? Root.system.names(in: place), names.count <= neighborLimit
        else { return [] }
        let given = Set(paths.map { Key(name(of: $0)) })
        var others: [String] = []
        var bytes = 0
        for name in names where !given.contains(Key(name)) && PolicyFileName.reasonToIgnore(name) == nil {
            let file = folder + name
            guard let status = try? Root.system.status(path(file), followingLinks: false), status.kind == .regular
            else {
                continue
            }
            bytes += Int(clamping: status.size)
            if bytes > neighborBytes { return [] }
            others.append(file)
        }
        if isPolicyFolder { return others }
        let hasProfiles = (paths + others).contains { PolicyFileName.kind(of: $0) == .profile }
        return !hasProfiles && others.allSatisfy(isPolicy) ? others : []
    }

    static func isPolicy(_ file: String) -> Bool {
        guard let bytes = try? Root.system.read(path(file), limit: PolicyFile.limits.bytes).bytes else { return false }
        return OtherPurpose(bytes, path: file) == nil
    }
}

/// Removes duplicates, so that a file named by several paths is checked once.
extension LintInput {
    /// A key that is equal for all paths of one folder.
    static func identity(ofFolder folder: String) -> Key {
        let status = try? Root.system.status(path(folder.isEmpty ? "." : folder), followingLinks: true)
        return Key(status.map { "\($0.device)/\($0.inode)" } ?? folder)
    }

    /// The named files without duplicates and without those that are checked with their folder.
    ///
    /// In a folder with other files only policy files are checked, but named files are always checked.
    func unseen(_ named: [String]) -> [String] {
        if named.isEmpty || named.count == 1 && sets.isEmpty { return named }
        var known: [Key: Bool] = [:]
        for set in sets {
            guard let first = set.paths.first else { continue }
            let folder = LintInput.identity(ofFolder: LintInput.folder(of: first))
            for path in set.paths { known[LintInput.identity(path, in: folder)] = set.isNamed }
        }
        return named.filter { path in
            let folder = LintInput.identity(ofFolder: LintInput.folder(of: path))
            guard let isNamed = known.updateValue(true, forKey: LintInput.identity(path, in: folder)) else {
                return true
            }
            return !isNamed && !LintInput.isPolicy(path)
        }
    }

    /// A key that is equal for all paths of one name in one folder.
    private static func identity(_ path: String, in folder: Key) -> Key { Key("\(folder.string)/\(name(of: path))") }
}
