import Platform
import PropertyList

extension LintInput {
    /// The most names of a folder whose other files are read as well.
    private static let neighborLimit = 2_000
    /// The most bytes of these files.
    private static let neighborBytes = 32 << 20

    /// The files that a caller names with the other policy files of their folders, folder by folder, in order of
    /// application: whoever changes some files of a policy wants to know what they do beside the others.
    ///
    /// - Parameter named: the files.
    /// - Returns: nothing for folders without others, and for those in which there may be anything.
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

    /// The other policy files of a folder: of one that is named as those of machines are, or has nothing but policy in
    /// files of such names, and no profiles, which people collect that no machine has together.
    private static func neighbors(of paths: [String], in folder: String) -> [String] {
        let place = path(folder.isEmpty ? "." : folder)
        let isPolicyFolder = name(of: folder) == "policies.d"
        // Where everybody writes, files have nothing to do with each other.
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

    /// Whether a file is, or may be meant to be, a policy file.
    static func isPolicy(_ file: String) -> Bool {
        guard let bytes = try? Root.system.read(path(file), limit: PolicyFile.limits.bytes).bytes else { return false }
        return OtherPurpose(bytes, path: file) == nil
    }
}
