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
        guard let folder = try folder() else { return nil }
        return try read(domain, in: folder)
    }

    /// Reads some domains, whose folder is walked to once.
    ///
    /// - Returns: the values of each domain that could be read, none if there is no file; why the others could not.
    package func read(_ domains: [Key]) -> [(domain: Key, values: Result<[Key: Value], PreferencesError>)] {
        var reading: Result<TrustedDirectory?, PreferencesError>?
        return domains.map { domain in
            do throws(PreferencesError) {
                try DomainName.validate(domain)
                let folder: TrustedDirectory?
                if let reading { folder = try reading.get() } else { folder = try self.folder() }
                reading = .success(folder)
                guard let folder else { return (domain, .success([:])) }
                return (domain, .success(try read(domain, in: folder)?.values ?? [:]))
            } catch {
                return (domain, .failure(error))
            }
        }
    }

    /// The folder of the files; `nil` if there is none.
    private func folder() throws(PreferencesError) -> TrustedDirectory? {
        guard isPresent else { return nil }
        do throws(TrustError) {
            return try root.trustedDirectory(SharedDefaults.directory)
        } catch {
            if error.isMissing { return nil }
            throw PreferencesError(error)
        }
    }

    /// Reads a domain in the folder; `nil` if there is no file.
    private func read(_ domain: Key, in folder: TrustedDirectory) throws(PreferencesError) -> StoredDomain? {
        for name in DomainName.fileNames(of: domain) {
            let path = "\(SharedDefaults.directory)/\(name)"
            let file: TrustedFile
            do throws(TrustError) {
                file = try folder.read(name, limit: Limits.standard.bytes)
            } catch {
                if error.isMissing { continue }
                throw PreferencesError(error)
            }
            switch PreferenceFile.parse(file.bytes, path: path, status: file.status) {
            case .success(let domain): return domain
            case .failure(let error): throw .damaged(path: root.display(path), error: error)
            }
        }
        return nil
    }
}

extension PreferencesError {
    /// Why a file of the administrator could not be read.
    fileprivate init(_ error: TrustError) {
        switch error {
        case .system(let error): self = .system(error)
        case .untrusted(let path, let reason): self = .untrusted(path: path, reason: reason)
        }
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
