import Platform
package import PropertyList

extension PreferencesDirectory {
    /// Removes a domain with its file, and with those that are read in its stead.
    ///
    /// A link stays and its target is removed. A damaged file is set aside instead.
    ///
    /// - Returns: what was stored, and the files that were damaged.
    /// - Throws: `PreferencesError`.
    package func remove(_ domain: Key, host: HostScope) throws(PreferencesError) -> UpdateResult {
        if let result = try missing(domain, host: host) { return result }
        let paths = try paths(of: domain, host: host)
        return try underLock { () throws(PreferencesError) in
            var before: [Key: Value]?
            var damaged: [DamagedFile] = []
            var isWritten = false
            for path in [paths.written] + paths.alternatives {
                let (path, file) = try load(path)
                switch file {
                case .missing, .followed: continue
                case .damaged(let error, _):
                    damaged.append(try moveAside(DomainMemory.Damage(path: path, error: error)))
                case .intact(let domain):
                    before = before ?? domain.values
                    try removeFile(path)
                }
                isWritten = true
            }
            return UpdateResult(
                before: before ?? [:], after: [:], isWritten: isWritten, damaged: damaged, path: paths.written)
        }
    }

    /// Removes one file.
    private func removeFile(_ path: String) throws(PreferencesError) {
        do {
            try root.remove(path)
        } catch {
            throw .system(error)
        }
    }

    /// The result of a write that has nothing to do because the domain has no file; `nil` where it has one.
    func missing(_ domain: Key, host: HostScope) throws(PreferencesError) -> UpdateResult? {
        let paths = try paths(of: domain, host: host)
        for path in [paths.written] + paths.alternatives where try status(of: path) != nil { return nil }
        return UpdateResult(before: [:], after: [:], isWritten: false, damaged: [], path: paths.written)
    }
}
