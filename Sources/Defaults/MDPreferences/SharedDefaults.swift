package import MDPlatform
package import MDPropertyList

/// Reads the domains that apply to all users: `/etc/managed-defaults/defaults/<domain>.plist`.
///
/// They are defaults, not policy. Only the administrator may write them, so the trust rules of policy files apply.
package struct SharedDefaults: Sendable {
    /// The folder of the files, under the root.
    package static let directory = "/etc/managed-defaults/defaults"

    /// The root of all paths.
    let root: Root

    /// Whether the folder above can exist at all; if not, no file is read.
    let isPresent: Bool

    /// Describes the files of a machine; none need exist.
    ///
    /// If `isPresent` is false there are none, because the machine is not managed.
    package init(root: Root, isPresent: Bool = true) {
        self.root = root
        self.isPresent = isPresent
    }

    /// Reads a domain.
    ///
    /// - Returns: the domain, or `nil` if there is no file.
    /// - Throws: `invalidDomain`, `untrusted`, `damaged`, `system`.
    package func read(_ domain: Key) throws(PreferencesError) -> StoredDomain? {
        try DomainName.validate(domain)
        guard isPresent else { return nil }
        for name in DomainName.fileNames(of: domain) {
            let path = "\(SharedDefaults.directory)/\(name)"
            let file: TrustedFile
            do {
                file = try root.readTrusted(path, limit: Limits.standard.bytes)
            } catch {
                switch error {
                case .system(let error) where error.isMissing: continue
                case .system(let error): throw .system(error)
                case .untrusted(let path, let reason):
                    throw .untrusted(path: path, reason: reason)
                }
            }
            switch PreferenceFile.parse(file.bytes, path: path, status: file.status) {
            case .success(let domain): return domain
            case .failure(let error): throw .damaged(path: root.display(path), error: error)
            }
        }
        return nil
    }
}

extension SharedDefaults {
    /// The domains that have a file for all users, sorted by their bytes, without the global domain.
    ///
    /// - Returns: the names; none if the folder does not exist.
    /// - Throws: `system`.
    package func domains() throws(PreferencesError) -> [Key] {
        guard isPresent else { return [] }
        do {
            let names = try root.names(in: SharedDefaults.directory)
            return names.compactMap { DomainName.domain(ofFileNamed: $0) }.sorted()
        } catch {
            guard error.isMissing else { throw .system(error) }
            return []
        }
    }
}
