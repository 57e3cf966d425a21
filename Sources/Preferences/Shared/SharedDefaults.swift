package import Platform
package import PropertyList

/// The domains that hold for all users: `/etc/managed-defaults/defaults/<domain>.plist`.
///
/// They are defaults and never policy, but they come from the administrator only, so the trust rules of policy files
/// hold for them.
package struct SharedDefaults: Sendable {
    /// The folder of the files, under the root.
    package static let directory = "/etc/managed-defaults/defaults"

    /// Where all paths begin.
    let root: Root

    /// Whether the folder above can exist at all; where it can't, nobody is asked.
    let isPresent: Bool

    /// Names the files of a machine; none need exist.
    ///
    /// With `isPresent` false there are none: the machine is not managed.
    package init(root: Root, isPresent: Bool = true) {
        self.root = root
        self.isPresent = isPresent
    }

    /// Reads a domain.
    ///
    /// - Returns: the domain, or `nil` where there is no file.
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
