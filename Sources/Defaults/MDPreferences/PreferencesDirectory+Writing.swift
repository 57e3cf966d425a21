import MDPlatform
package import MDPropertyList

extension PreferencesDirectory {
    /// How often a write starts again because another program changed the file without the lock.
    static let writeAttempts = 20

    /// Changes some keys of a domain and leaves all others as they are.
    ///
    /// - Parameters:
    ///   - domain: the domain.
    ///   - host: which of its files.
    ///   - changes: the new values; `nil` removes a key.
    /// - Returns: the values before and after. If the file was damaged, it was set aside and is in the result; the
    ///   caller reports it.
    /// - Throws: `PreferencesError`; then nothing was written.
    package func update(
        _ domain: Key, host: HostScope, _ changes: [Key: Value?]
    ) throws(PreferencesError) -> UpdateResult {
        // Removing keys that do not exist creates no folder.
        if changes.values.allSatisfy({ $0 == nil }), let result = try missing(domain, host: host) { return result }
        return try modify(domain, host: host) { _ in changes }
    }

    /// Changes some keys of a domain depending on its values, without any other writer in between; for counters and
    /// growing lists.
    ///
    /// - Parameters:
    ///   - domain: the domain.
    ///   - host: which of its files.
    ///   - body: receives the stored values and returns the changes; `nil` removes a key. It runs under the folder's
    ///     lock, so it must be short and must not write to this folder. It runs again if a program that ignores the
    ///     lock changed the file meanwhile.
    /// - Returns: the values before and after.
    /// - Throws: `PreferencesError`; then nothing was written.
    package func modify(
        _ domain: Key, host: HostScope, _ body: ([Key: Value]) -> [Key: Value?]
    ) throws(PreferencesError) -> UpdateResult {
        try write(domain, host: host) { .partial(body($0)) }
    }

    /// Replaces all values of a domain.
    ///
    /// - Returns: the values before and after.
    /// - Throws: `PreferencesError`; then nothing was written.
    package func replace(
        _ domain: Key, host: HostScope, with values: [Key: Value]
    ) throws(PreferencesError) -> UpdateResult {
        if values.isEmpty, let result = try missing(domain, host: host) { return result }
        return try write(domain, host: host) { _ in .whole(values) }
    }

    /// Changes a domain without cached content, and returns its values before and after.
    private func write(
        _ domain: Key, host: HostScope, _ body: ([Key: Value]) -> DomainChange
    ) throws(PreferencesError) -> UpdateResult {
        let paths = try paths(of: domain, host: host)
        var cache: CachedDomain?
        var before: [Key: Value] = [:]
        let result = try write(paths, &cache) { values in
            before = values
            return body(values)
        }
        return UpdateResult(
            before: before, after: cache?.values ?? [:], isWritten: result.isWritten, damaged: result.damaged,
            path: cache?.source?.path ?? cache?.target ?? paths.written)
    }

    /// Merges under the lock and replaces the file; repeats both if another program wrote meanwhile.
    ///
    /// - Parameters:
    ///   - paths: the domain's files.
    ///   - cache: the cached content; afterwards it describes what is stored. If this throws, it is unchanged, or `nil`
    ///     if others had changed something.
    ///   - body: receives the stored values and returns what to do; may run more than once.
    /// - Returns: what others had changed, and what was done.
    /// - Throws: `PreferencesError`; then nothing was written.
    func write(
        _ paths: (written: String, alternatives: [String]), _ cache: inout CachedDomain?,
        _ body: ([Key: Value]) -> DomainChange
    ) throws(PreferencesError) -> MergeResult {
        try prepareFolder(of: paths.written)
        return try withFolderLock { () throws(PreferencesError) in
            var result = MergeResult(foreign: [:])
            do throws(PreferencesError) {
                for _ in 0..<PreferencesDirectory.writeAttempts {
                    result.add(try refresh(&cache, paths, isLocked: true), cache?.values ?? [:])
                    let changes = cache?.changes(by: body) ?? [:]
                    if changes.isEmpty, cache?.damage == nil { return result }
                    if let damaged = try store(changes, &cache, paths.written) {
                        result.damaged = damaged
                        result.isWritten = true
                        return result
                    }
                }
                throw PreferencesError.unstable(path: root.display(paths.written))
            } catch {
                // The changes found so far were not reported; without a cache, the next reading reports them.
                if !result.foreign.isEmpty { cache = nil }
                throw error
            }
        }
    }

    /// Creates the missing folders above a file, for the user alone.
    ///
    /// The home itself is never created: a missing home is probably not mounted, and mounting it later would hide what
    /// is stored now.
    func prepareFolder(of path: String) throws(PreferencesError) {
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? directory
        do {
            if try root.status(folder, followingLinks: true).kind == .directory { return }
        } catch {
            guard error.isMissing else { throw .system(error) }
        }
        if let home, try status(of: home) == nil { throw .homeMissing(path: root.display(home)) }
        do {
            try root.createDirectory(folder, mode: 0o700)
        } catch {
            throw .system(error)
        }
    }

    /// Encodes the changed domain and replaces its file.
    ///
    /// - Returns: the files that were set aside; `nil` if another program changed the domain meanwhile.
    private func store(
        _ changes: [Key: Value?], _ cache: inout CachedDomain?, _ path: String
    ) throws(PreferencesError) -> [DamagedFile]? {
        guard var known = cache.take() else { return nil }
        // Until the file is replaced, the cached values do not change, and there is no cached text.
        defer { cache = known }
        let content: EncodedDomain
        if let changed = EncodedDomain(changing: &known.text, changes) {
            content = changed
            known.text = nil
        } else {
            known.text = nil
            var values = known.values
            for (key, value) in changes { values[key] = value }
            content = try EncodedDomain(
                values, replacing: known.source?.format, path: root.display(known.target))
        }
        guard let damaged = try replace(&known, with: content.bytes) else { return nil }
        for (key, value) in changes { known.values[key] = value }
        known.isReliable = known.isReliable && known.target == path
        known.source = (known.target, content.format)
        known.text = content.text
        return damaged
    }

    /// Removes a domain with its file, and with the files that are read if that one is missing.
    ///
    /// If the file is a link, the link remains and its target is removed. A damaged file is set aside instead.
    ///
    /// - Returns: what was stored, and the files that were damaged.
    /// - Throws: `PreferencesError`.
    package func remove(_ domain: Key, host: HostScope) throws(PreferencesError) -> UpdateResult {
        if let result = try missing(domain, host: host) { return result }
        let paths = try paths(of: domain, host: host)
        return try withFolderLock { () throws(PreferencesError) in
            var before: [Key: Value]?
            var damaged: [DamagedFile] = []
            var isWritten = false
            for path in [paths.written] + paths.alternatives {
                let (path, file) = try load(path)
                switch file {
                case .missing, .followed: continue
                case .damaged(let error, _):
                    damaged.append(try setAside(CachedDomain.Damage(path: path, error: error)))
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

    private func removeFile(_ path: String) throws(PreferencesError) {
        do {
            try root.remove(path)
        } catch {
            throw .system(error)
        }
    }

    /// The result of a write that has nothing to do because the domain has no file; `nil` if it has one.
    func missing(_ domain: Key, host: HostScope) throws(PreferencesError) -> UpdateResult? {
        let paths = try paths(of: domain, host: host)
        for path in [paths.written] + paths.alternatives where try status(of: path) != nil { return nil }
        return UpdateResult(before: [:], after: [:], isWritten: false, damaged: [], path: paths.written)
    }

    /// Runs a body while no other process that uses the lock writes to the folder.
    ///
    /// - Throws: `refused` if others can open the lock file, `locked` if others hold the lock for 5 seconds, `lockless`
    ///   if the file system has no locks, and what the body throws.
    func withFolderLock<Result>(_ body: () throws(PreferencesError) -> Result) throws(PreferencesError) -> Result {
        let lock: FileLock
        do {
            lock = try acquireLock(root, lockPath, owner)
        } catch {
            throw lockFailure(error)
        }
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// Translates an error of the lock.
    private func lockFailure(_ error: SystemError) -> PreferencesError {
        if error.isTimeout { return .locked(path: root.display(lockPath)) }
        if let status = try? status(of: lockPath) {
            if status.kind != .regular { return refusal(of: lockPath, "is \(status.kind.noun)") }
            // A user who can open a lock file can hold the lock forever.
            if status.owner != owner || status.mode & 0o077 != 0 {
                return refusal(of: lockPath, "can be opened by others, who could hold up every write")
            }
            if error.isUnsupported { return .lockless(path: root.display(directory), cause: error) }
        }
        return .system(error)
    }
}

/// The result of a write to a domain.
package struct UpdateResult: Sendable {
    /// The values before, read under the lock; empty if there was no file, or a damaged one.
    package let before: [Key: Value]
    /// The values as they are now stored.
    package let after: [Key: Value]
    /// Whether a file was written or removed; `false` if everything was stored already.
    package let isWritten: Bool
    /// The damaged files that were set aside; the caller reports and audits each.
    package let damaged: [DamagedFile]
    /// The file that holds the domain, under the root.
    package let path: String

    package init(
        before: [Key: Value], after: [Key: Value], isWritten: Bool, damaged: [DamagedFile], path: String
    ) {
        self.before = before
        self.after = after
        self.isWritten = isWritten
        self.damaged = damaged
        self.path = path
    }
}

/// The result of merging under the lock.
struct MergeResult {
    /// What others changed since the content was cached; `nil` if they removed a key.
    var foreign: [Key: Value?]
    /// The files that were damaged and were set aside.
    var damaged: [DamagedFile] = []
    /// Whether a file was written.
    var isWritten = false

    /// Adds what others changed; usually there is nothing.
    mutating func add(_ refreshed: RefreshResult, _ values: [Key: Value]) {
        let changes = refreshed.foreign(in: values)
        guard !foreign.isEmpty else {
            foreign = changes
            return
        }
        for (key, value) in changes { foreign[key] = value }
    }
}
