package import MDPlatform
package import MDPropertyList

/// One instance of a program's folder: which files it has, and how they are brought up to date.
package struct InstanceFolder {
    private let root: Root
    /// The program's own folder.
    private let folder: String
    /// The folder of the program's instances.
    private let home: String
    /// Whether the program reads the instance besides its own folder, and not in place of it.
    private let isBeside: Bool

    /// Names the instances of a program's folder.
    ///
    /// - Returns: `nil` for a program without instances.
    package init?(of program: any Program, in root: Root) {
        switch program.reach {
        case .instance(let folder): (self.folder, isBeside) = (folder, false)
        case .session(let folder): (self.folder, isBeside) = (folder, true)
        case .user, .machine: return nil
        }
        self.root = root
        home = "\(LoginInstances.home)/\(program.name)"
    }

    /// What others have in the program's folder, by path in it.
    ///
    /// Of a file that was written here, what others had in it. A session that sees an instance in place of the folder
    /// takes what the last run outside of any session found.
    ///
    /// - Parameter written: what was written into programs' files.
    /// - Returns: the bytes of each file.
    /// - Throws: if a file cannot be read.
    package func foreign(_ written: WrittenFiles) throws(SystemError) -> [Key: [UInt8]] {
        if isBeside { return [:] }
        let isHidden = root.isSystem && (try? root.isMountPoint(folder)) == true
        if isHidden { return try InstanceFolder.files(in: "\(home)/\(LoginInstances.base)", of: root) }
        var found = try InstanceFolder.files(in: folder, of: root)
        for (path, entry) in written.files {
            guard path.string.utf8.starts(with: "\(folder)/".utf8) else { continue }
            let name = Key(String(Substring(path.string.utf8.dropFirst(folder.utf8.count + 1))))
            found[name] = WrittenFiles.content(entry.original, root: root)
        }
        return found
    }

    /// The regular files of a folder and of the folders in it, by path in it.
    static func files(in folder: String, of root: Root) throws(SystemError) -> [Key: [UInt8]] {
        var result: [Key: [UInt8]] = [:]
        for name in try names(in: folder, of: root) {
            let path = "\(folder)/\(name)"
            switch try root.status(path, followingLinks: false).kind {
            case .regular: result[Key(name)] = try root.read(path, limit: PlainJSON.sizeLimit).bytes
            case .directory:
                for inner in try names(in: path, of: root) {
                    let file = "\(path)/\(inner)"
                    guard try root.status(file, followingLinks: false).kind == .regular else { continue }
                    result[Key("\(name)/\(inner)")] = try root.read(file, limit: PlainJSON.sizeLimit).bytes
                }
            default: continue
            }
        }
        return result
    }

    /// The names in a folder, without those of files that are being written; none if there is no folder.
    private static func names(in folder: String, of root: Root) throws(SystemError) -> [String] {
        do {
            return try root.names(in: folder).filter { $0.utf8.first != UInt8(ascii: ".") }
        } catch {
            if error.isMissing { return [] }
            throw error
        }
    }

    /// The content of a user's instance: the foreign files, and the user's policy files.
    package func content(_ files: [ProgramFile], beside foreign: [Key: [UInt8]]) -> [Key: [UInt8]] {
        var result = foreign
        for file in files where file.path.utf8.starts(with: "\(folder)/".utf8) {
            let name = Key(String(Substring(file.path.utf8.dropFirst(folder.utf8.count + 1))))
            if let bytes = SharedFile(content: file.content).whole(with: foreign[name]) { result[name] = bytes }
        }
        return result
    }

    /// Keeps the foreign files of the folder for sessions that do not see it.
    package func keepBase(_ foreign: [Key: [UInt8]]) throws(SystemError) {
        if isBeside { return }
        _ = try write(foreign, as: LoginInstances.base)
    }

    /// Whether a user has an instance.
    package func exists(for user: String) -> Bool { root.mayExist("\(home)/\(user)") }

    /// Whether a user's instance has these files and no others.
    package func isCurrent(_ files: [Key: [UInt8]], for user: String) throws(SystemError) -> Bool {
        try InstanceFolder.files(in: "\(home)/\(user)", of: root) == files
    }

    /// Brings an instance up to date.
    ///
    /// A new one appears with all its files at once; in an existing one each file is replaced in one step.
    ///
    /// - Parameters:
    ///   - files: all files of the instance, by path in it.
    ///   - user: the name of the instance.
    /// - Returns: whether something changed.
    /// - Throws: errors of the file system; an existing instance then has an old or a new file under each name.
    package func write(_ files: [Key: [UInt8]], as user: String) throws(SystemError) -> Bool {
        let instance = "\(home)/\(user)"
        try root.createDirectory(LoginInstances.home, mode: 0o755)
        // In a folder that is used as `/` an ordinary user works.
        try root.createDirectory(home, mode: isBeside ? 0o755 : root.isSystem ? 0 : 0o700)
        if root.mayExist(instance) { return try update(files, in: instance) }
        let new = "\(home)/.\(user).new"
        try? removeTree(new)
        try root.createDirectory(new, mode: 0o755)
        _ = try update(files, in: new)
        do throws(SystemError) {
            try root.rename(new, to: instance, replacing: false)
        } catch {
            // Another login of the same user was faster.
            try removeTree(new)
            guard root.mayExist(instance) else { throw error }
            return try update(files, in: instance)
        }
        return true
    }

    private func update(_ files: [Key: [UInt8]], in instance: String) throws(SystemError) -> Bool {
        let present = try InstanceFolder.files(in: instance, of: root)
        var isChanged = false
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) where present[name] != bytes {
            let path = "\(instance)/\(name.string)"
            try root.createDirectory(ProgramFile.folder(of: path), mode: 0o755)
            let staged = "\(instance)/.managed-defaults"
            try root.replace(staged, with: bytes, mode: 0o644, durable: false)
            try root.rename(staged, to: path, replacing: true)
            isChanged = true
        }
        for name in present.keys where files[name] == nil {
            try root.remove("\(instance)/\(name.string)")
            isChanged = true
        }
        return isChanged
    }

    private func removeTree(_ path: String) throws(SystemError) {
        for name in try root.names(in: path)
        where try root.status("\(path)/\(name)", followingLinks: false).kind == .directory {
            try root.removeDirectoryWithFiles("\(path)/\(name)")
        }
        try root.removeDirectoryWithFiles(path)
    }

    /// Removes every instance; sessions that see one keep an empty folder until they end.
    package func removeAll() throws(SystemError) {
        guard root.mayExist(home) else { return }
        for name in try root.names(in: home) { try removeTree("\(home)/\(name)") }
        try root.removeDirectory(home)
    }
}
