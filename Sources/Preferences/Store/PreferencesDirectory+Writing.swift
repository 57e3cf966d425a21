import Platform
package import PropertyList

extension PreferencesDirectory {
    /// Changes some keys of a domain and leaves all others as they are.
    ///
    /// - Parameters:
    ///   - domain: the domain.
    ///   - host: which of its files.
    ///   - changes: the new values; `nil` removes a key.
    /// - Returns: what was before and is now. A file that was damaged was set aside, and is in the result: report it.
    /// - Throws: `PreferencesError`; then nothing was written.
    package func update(
        _ domain: Key, host: HostScope, _ changes: [Key: Value?]
    ) throws(PreferencesError) -> UpdateResult {
        // Removing a key that never was makes no folder.
        if changes.values.allSatisfy({ $0 == nil }), let result = try missing(domain, host: host) { return result }
        return try modify(domain, host: host) { _ in changes }
    }

    /// Changes some keys of a domain depending on what it holds, while nobody else writes: counters, lists that grow.
    ///
    /// - Parameters:
    ///   - domain: the domain.
    ///   - host: which of its files.
    ///   - body: takes the stored values and returns the changes; `nil` removes a key. It runs under the folder's lock,
    ///     so it must be short and must not write to this folder. It runs again where a program that does not know the
    ///     lock changed the file meanwhile.
    /// - Returns: what was before and is now.
    /// - Throws: `PreferencesError`; then nothing was written.
    package func modify(
        _ domain: Key, host: HostScope, _ body: ([Key: Value]) -> [Key: Value?]
    ) throws(PreferencesError) -> UpdateResult {
        try write(domain, host: host) { before in
            var after = before
            for (key, value) in body(before) { after[key] = value }
            return after
        }
    }

    /// Gives a domain exactly these values.
    ///
    /// - Returns: what was before and is now.
    /// - Throws: `PreferencesError`; then nothing was written.
    package func replace(
        _ domain: Key, host: HostScope, with values: [Key: Value]
    ) throws(PreferencesError) -> UpdateResult {
        if values.isEmpty, let result = try missing(domain, host: host) { return result }
        return try write(domain, host: host) { _ in values }
    }

    /// Merges under the lock and replaces the file, and begins again where another program wrote meanwhile.
    private func write(
        _ domain: Key, host: HostScope, _ merge: ([Key: Value]) -> [Key: Value]
    ) throws(PreferencesError) -> UpdateResult {
        let paths = try paths(of: domain, host: host)
        try prepareFolder(of: paths.written)
        return try underLock { () throws(PreferencesError) in
            for _ in 0..<PreferencesDirectory.writeAttempts {
                let found = try find(paths)
                let before = found.domain?.values ?? [:]
                let after = merge(before)
                let isUnchanged = Value.areIdentical(before, after)
                if isUnchanged, found.damage == nil {
                    return UpdateResult(
                        before: before, after: after, isWritten: false, damaged: [],
                        path: found.domain?.path ?? found.target)
                }
                let bytes = try StoredEncoding.encode(
                    after, replacing: found.domain?.format, path: root.display(found.target))
                guard try isAsFound(found) else { continue }
                let damaged = try replace(found, with: bytes)
                return UpdateResult(
                    before: before, after: after, isWritten: true, damaged: damaged, path: found.target)
            }
            throw .unstable(path: root.display(paths.written))
        }
    }

    /// Sets aside what is damaged, and puts new content in the file's place.
    private func replace(_ found: FoundDomain, with bytes: [UInt8]) throws(PreferencesError) -> [DamagedFile] {
        let setAside = try found.damage.map { damage throws(PreferencesError) in
            (damage, try self.setAside(damage))
        }
        do {
            try root.replace(found.target, with: bytes, mode: 0o600)
        } catch {
            if let (damage, file) = setAside { try putBack(damage, from: file, after: error) }
            throw .system(error)
        }
        return setAside.map { [$0.1.file] } ?? []
    }
}
