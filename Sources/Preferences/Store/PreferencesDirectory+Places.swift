import Platform
import PropertyList

extension PreferencesDirectory {
    /// The most links that are followed from one name, as the kernel has it.
    private static let maximumLinks = 40

    /// Finds the file that a path of this folder stands for, and refuses what cannot be a preference file.
    ///
    /// A regular file of the owner is the usual case and costs one system call. A link is followed name by name, and
    /// must end below the home or this folder.
    ///
    /// - Parameter path: the place, under the root.
    /// - Returns: the file's own path, without links where the last part of `path` is one, and its state; `nil` as
    ///   state where it does not exist.
    /// - Throws: `refused`, `system`.
    func place(of path: String) throws(PreferencesError) -> (path: String, status: FileStatus?) {
        guard let status = try status(of: path) else { return (path, nil) }
        guard status.kind == .link else {
            try check(status, of: path)
            return (path, status)
        }
        guard status.owner == owner else { throw refusal(of: path, "is a link that belongs to uid \(status.owner)") }
        let target = try withoutLinks(path)
        var allowed = [try withoutLinks(directory)]
        if let home { allowed.append(try withoutLinks(home)) }
        guard allowed.contains(where: { target.hasPathPrefix($0) }) else {
            throw refusal(of: path, "is a link that leads out of the home, to \(root.display(target))")
        }
        guard let status = try self.status(of: target) else { return (target, nil) }
        try check(status, of: target)
        return (target, status)
    }

    /// Refuses what is no regular file of the owner.
    private func check(_ status: FileStatus, of path: String) throws(PreferencesError) {
        guard status.kind == .regular else { throw refusal(of: path, "is \(status.kind.noun)") }
        guard status.owner == owner else {
            throw refusal(of: path, "belongs to uid \(status.owner), not to uid \(owner)")
        }
    }

    /// The error of something that stands in the place of a preference file.
    func refusal(of path: String, _ reason: String) -> PreferencesError {
        .refused(path: root.display(path), reason: reason)
    }

    /// The state of a name without following it, or `nil` where it does not exist.
    func status(of path: String) throws(PreferencesError) -> FileStatus? {
        do {
            return try root.status(path, followingLinks: false)
        } catch {
            guard error.isMissing else { throw .system(error) }
            return nil
        }
    }

    /// A path with every link on its way replaced by what it stands for; names that do not exist stay as they are.
    ///
    /// `..` is taken off after its parent's links were followed, as the kernel does it, and never leaves the root.
    private func withoutLinks(_ path: String) throws(PreferencesError) -> String {
        var resolved: [Substring] = []
        var rest = Array(path.split(separator: "/").reversed())
        var links = 0
        while let name = rest.popLast() {
            if name == "." { continue }
            if name == ".." {
                _ = resolved.popLast()
                continue
            }
            let next = "/" + (resolved + [name]).joined(separator: "/")
            guard try status(of: next)?.kind == .link else {
                resolved.append(name)
                continue
            }
            links += 1
            guard links <= PreferencesDirectory.maximumLinks else {
                throw refusal(of: path, "goes through more than \(PreferencesDirectory.maximumLinks) links")
            }
            let target: String
            do {
                target = try root.linkTarget(next)
            } catch {
                throw .system(error)
            }
            if target.hasPrefix("/") { resolved = [] }
            rest.append(contentsOf: target.split(separator: "/").reversed())
        }
        return "/" + resolved.joined(separator: "/")
    }
}

extension String {
    /// Whether the path is below a folder; both are absolute and without links.
    fileprivate func hasPathPrefix(_ folder: String) -> Bool {
        let folder = folder == "/" ? "/" : folder + "/"
        return utf8.starts(with: folder.utf8)
    }
}
