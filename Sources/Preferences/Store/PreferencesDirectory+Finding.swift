package import Platform
package import PropertyList

extension PreferencesDirectory {
    /// The domain that a file of any path is.
    package struct FoundPlace: Hashable, Sendable {
        /// The domain.
        package let domain: Key
        /// Which of its files; `nil` for one of another host.
        package let host: HostScope?
    }

    /// Finds out whether a path is one of this folder's preference files, by folder and name, or by device and inode.
    ///
    /// - Parameters:
    ///   - path: a path under `tree`; nothing need exist there.
    ///   - tree: the file tree that the path belongs to, which may be another than this folder's.
    /// - Returns: the domain; `nil` for any other file.
    package func place(ofFileAt path: String, in tree: Root) -> FoundPlace? {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let parent = String(path[..<slash])
        let name = String(path[path.utf8.index(after: slash)...])
        let folder = try? tree.status(parent.isEmpty ? "/" : parent, followingLinks: true)
        let file = try? tree.status(path, followingLinks: true)
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
    /// - Parameter host: whether the files for any host or those for this one are meant.
    /// - Returns: the names; none where the folder does not exist.
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
}
