package import MDPlatform
package import MDPropertyList

extension PreferencesDirectory {
    /// The maximum number of links that are followed from one name, as in the kernel.
    private static let maximumLinks = 40

    /// Finds the file that a path of this folder refers to, and refuses anything that cannot be a preference file.
    ///
    /// A regular file of the owner is the usual case and costs one system call. A link is followed name by name, and
    /// must end below the home or this folder.
    ///
    /// - Parameter path: the place, under the root.
    /// - Returns: the file's own path, and its state. If the last part of `path` is a link, the path has all links
    ///   resolved. The state is `nil` if the file does not exist.
    /// - Throws: `refused`, `system`.
    func place(of path: String) throws(PreferencesError) -> (path: String, status: FileStatus?) {
        guard let status = try status(of: path) else { return (path, nil) }
        guard status.kind == .link else {
            try check(status, of: path)
            return (path, status)
        }
        guard status.owner == owner else { throw refusal(of: path, "is a link that belongs to uid \(status.owner)") }
        let target = try resolvingLinks(path)
        var allowed = [try resolvingLinks(directory)]
        if let home { allowed.append(try resolvingLinks(home)) }
        guard allowed.contains(where: { target.hasPathPrefix($0) }) else {
            throw refusal(of: path, "is a link that leads out of the home, to \(root.display(target))")
        }
        guard let status = try self.status(of: target) else { return (target, nil) }
        try check(status, of: target)
        return (target, status)
    }

    /// Refuses anything but a regular file of the owner.
    private func check(_ status: FileStatus, of path: String) throws(PreferencesError) {
        guard status.kind == .regular else { throw refusal(of: path, "is \(status.kind.noun)") }
        guard status.owner == owner else {
            throw refusal(of: path, "belongs to uid \(status.owner), not to uid \(owner)")
        }
    }

    /// The error for something that is in the place of a preference file and is not one.
    func refusal(of path: String, _ reason: String) -> PreferencesError {
        .refused(path: root.display(path), reason: reason)
    }

    /// The state of a name without following it, or `nil` if it does not exist.
    func status(of path: String) throws(PreferencesError) -> FileStatus? {
        do {
            return try root.status(path, followingLinks: false)
        } catch {
            guard error.isMissing else { throw .system(error) }
            return nil
        }
    }

    /// Replaces every link in a path by its target; names that do not exist are left as they are.
    ///
    /// `..` is removed after its parent's links were followed, as in the kernel, and never leaves the root.
    private func resolvingLinks(_ path: String) throws(PreferencesError) -> String {
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

    /// The domain of a file that was given by its path.
    package struct FoundPlace: Hashable, Sendable {
        /// The domain.
        package let domain: Key
        /// Which of its files; `nil` for one of another host.
        package let host: HostScope?
    }

    /// Finds the domain of a file by its folder and name, or by its device and inode.
    ///
    /// - Parameters:
    ///   - path: a path under `tree`; nothing need exist there.
    ///   - tree: the file tree of the path, which may differ from that of this folder.
    /// - Returns: the domain; `nil` if the path is not one of this folder's preference files.
    package func place(ofFileAt path: String, in tree: Root) -> FoundPlace? {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let parent = String(path[..<slash])
        let name = String(path[path.utf8.index(after: slash)...])
        let folder = try? tree.status(parent.isEmpty ? "/" : parent, followingLinks: true)
        // A link that the caller has not followed is another file than the one that it leads to.
        let file = try? tree.status(path, followingLinks: false)
        for (directory, isPerHost) in [(directory, false), ("\(directory)/ByHost", true)] {
            guard let own = try? root.status(directory, followingLinks: true) else { continue }
            if let folder, folder.isSameFile(as: own), let place = place(named: name, isPerHost: isPerHost) {
                return place
            }
            guard let file else { continue }
            for name in (try? root.names(in: directory)) ?? [] where name.hasSuffix(DomainName.suffix) {
                if let status = try? root.status("\(directory)/\(name)", followingLinks: true),
                    status.isSameFile(as: file), let place = place(named: name, isPerHost: isPerHost)
                {
                    return place
                }
            }
        }
        return nil
    }

    /// The domains that have a file, sorted by their bytes, without the global domain.
    ///
    /// - Parameter host: whether to list the files for any host or those for this one.
    /// - Returns: the names; none if the folder does not exist.
    /// - Throws: `system`.
    package func domains(host: HostScope) throws(PreferencesError) -> [Key] {
        guard host == .thisHost else { return try domains() }
        do {
            let places = try root.names(in: "\(directory)/ByHost").compactMap { place(named: $0, isPerHost: true) }
            let names = places.filter { $0.host == .thisHost && $0.domain != DomainName.global }.map(\.domain)
            return Set(names).sorted()
        } catch {
            guard error.isMissing else { throw .system(error) }
            return []
        }
    }

    /// The domain of a file name in this folder or its per-host folder.
    func place(named name: String, isPerHost: Bool) -> FoundPlace? {
        guard name.hasSuffix(DomainName.suffix) else { return nil }
        guard isPerHost else {
            if DomainName.fileNames(of: DomainName.global).contains(name) {
                return FoundPlace(domain: DomainName.global, host: .anyHost)
            }
            return DomainName.domain(ofFileNamed: name).map { FoundPlace(domain: $0, host: .anyHost) }
        }
        let stem = name.dropLast(DomainName.suffix.count)
        guard let dot = stem.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let global = String(stem[..<dot]) == DomainName.globalFileName
        let domain = global ? DomainName.global : Key(String(stem[..<dot]))
        guard (try? DomainName.validate(domain)) != nil else { return nil }
        let isThisHost = DomainName.fileNames(of: domain, machineID: machineID).contains(name)
        return FoundPlace(domain: domain, host: isThisHost ? .thisHost : nil)
    }

    /// The domains that have a file for any host, sorted by their bytes, without the global domain.
    ///
    /// Locks, temporary files, files that were set aside and the per-host files are not listed.
    ///
    /// - Returns: the names; none if the folder does not exist.
    /// - Throws: `system`.
    package func domains() throws(PreferencesError) -> [Key] {
        let names: [String]
        do {
            names = try root.names(in: directory)
        } catch {
            guard error.isMissing else { throw .system(error) }
            return []
        }
        return names.compactMap { DomainName.domain(ofFileNamed: $0) }.sorted()
    }
}

extension String {
    /// Whether the path is below a folder; both are absolute and without links.
    fileprivate func hasPathPrefix(_ folder: String) -> Bool {
        let folder = folder == "/" ? "/" : folder + "/"
        return utf8.starts(with: folder.utf8)
    }
}
