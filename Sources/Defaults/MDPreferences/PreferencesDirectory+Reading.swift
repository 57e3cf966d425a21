import MDPlatform
package import MDPropertyList

extension PreferencesDirectory {
    /// How often a file is read again that changed in between, before the reader gives up.
    ///
    /// A writer that uses the lock replaces the file in one step; one more attempt is then enough.
    private static let attempts = 100

    /// How long a recently written damaged file is read again, in microseconds.
    ///
    /// Foundation writes in place, so its file is empty or truncated for a moment. Treating that moment as damage would
    /// set aside a file that is complete a millisecond later.
    private static let settlingMicroseconds: Int64 = 20_000

    /// The maximum age of a damaged file that is read again, in nanoseconds.
    private static let freshNanoseconds: Int64 = 1_000_000_000

    /// Reads a domain, without a lock and without changing anything.
    ///
    /// - Returns: the domain, or `nil` if it has no file.
    /// - Throws: `invalidDomain`, `refused`, `damaged`, `unstable`, `system`.
    package func read(_ domain: Key, host: HostScope) throws(PreferencesError) -> StoredDomain? {
        let paths = try paths(of: domain, host: host)
        for path in [paths.written] + paths.alternatives {
            let (path, file) = try load(path)
            switch file {
            case .missing, .followed: continue
            case .intact(let domain): return domain
            case .damaged(let error, _): throw .damaged(path: root.display(path), error: error)
            }
        }
        return nil
    }

    /// Reads and parses a file.
    ///
    /// Another program may be writing a damaged file in place, so a recently written one is read again for a moment.
    ///
    /// - Returns: the file's own path, and its content.
    func load(_ path: String) throws(PreferencesError) -> (path: String, file: PreferenceFile) {
        var text: XMLDictionaryText?
        return try load(path, following: &text)
    }

    /// Reads a file; if its cached text can follow the change, only the lines that differ are parsed.
    func load(
        _ path: String, following text: inout XMLDictionaryText?
    ) throws(PreferencesError) -> (path: String, file: PreferenceFile) {
        let start = Clock.monotonicMicroseconds()
        while true {
            let loaded = try loadOnce(path, following: &text)
            guard case .damaged(_, let status) = loaded.file else { return loaded }
            let (age, overflow) = (Clock.now().microseconds).subtractingReportingOverflow(status.modified / 1_000)
            let isFresh = !overflow && abs(age) < PreferencesDirectory.freshNanoseconds / 1_000
            guard isFresh, Clock.monotonicMicroseconds() - start < PreferencesDirectory.settlingMicroseconds else {
                return loaded
            }
        }
    }

    /// Reads and parses a file once.
    private func loadOnce(
        _ path: String, following text: inout XMLDictionaryText?
    ) throws(PreferencesError) -> (path: String, file: PreferenceFile) {
        for _ in 0..<PreferencesDirectory.attempts {
            let place = try place(of: path)
            guard let expected = place.status else { return (place.path, .missing) }
            let file: (bytes: [UInt8], status: FileStatus)
            do {
                file = try root.read(place.path, limit: Limits.standard.bytes)
            } catch  where error.isMissing || error.isStale {
                continue
            } catch {
                throw .system(error)
            }
            // The opened file must be the one that was checked; a file that was replaced in between is checked again.
            guard file.status.device == expected.device, file.status.inode == expected.inode,
                file.status.owner == owner
            else { continue }
            if let changes = text?.follow(file.bytes) { return (place.path, .followed(changes, file.status)) }
            switch PreferenceFile.parse(file.bytes, path: place.path, status: file.status) {
            case .success(let domain): return (place.path, .intact(domain))
            case .failure(let error): return (place.path, .damaged(error, file.status))
            }
        }
        throw .unstable(path: root.display(path))
    }

    /// Updates the cached content of a domain.
    ///
    /// - Parameters:
    ///   - cache: the cached content, or `nil`. If this throws, it is unchanged or `nil`.
    ///   - paths: the domain's files.
    ///   - isLocked: whether the caller holds the lock and therefore has to see what other machines wrote before.
    /// - Returns: what others changed since.
    /// - Throws: what reading a domain throws, except `damaged`.
    func refresh(
        _ cache: inout CachedDomain?, _ paths: (written: String, alternatives: [String]), isLocked: Bool = false
    ) throws(PreferencesError) -> RefreshResult {
        if let known = cache, known.isReliable, try areUnchanged(known.states),
            !isLocked || areUnchangedWhenOpened(known.states)
        {
            return .unchanged
        }
        let moment = Clock.nanoseconds()
        // Only the file that is written can be followed; its text is moved, not copied.
        let isFollowing = cache?.target == paths.written && cache?.source?.path == paths.written
        var text = isFollowing ? cache?.text : nil
        cache?.text = nil
        let (target, first) = try load(paths.written, following: &text)
        if case .followed(let changes, let status) = first, target == paths.written {
            let foreign = DomainChange.partial(changes).effective(on: cache?.values ?? [:])
            for (key, value) in foreign { cache?.values[key] = value }
            cache?.text = text
            cache?.states = [(target, status)]
            cache?.isReliable = CachedDomain.isReliable(status, readAt: moment)
            return .changed(foreign)
        }
        var states = [(target, first.status)]
        var (found, file) = (target, first)
        for path in paths.alternatives {
            guard case .missing = file else { break }
            (found, file) = try load(path)
            states.append((found, file.status))
        }
        // If the home is no longer mounted, nothing was removed.
        if case .missing = file, cache?.source != nil, let home, try status(of: home) == nil {
            throw .homeMissing(path: root.display(home))
        }
        // The target of a link may be different the next time.
        let isDirect = zip(states, [paths.written] + paths.alternatives).allSatisfy { $0.0 == $1 }
        let isReliable = states.allSatisfy { $0.1.map { CachedDomain.isReliable($0, readAt: moment) } ?? true }
        var fresh = CachedDomain(target: target, states: states, isReliable: isDirect && isReliable)
        switch file {
        case .missing, .followed: break
        case .intact(let domain):
            fresh.values = domain.values
            fresh.source = (found, domain.format)
            fresh.text = found == paths.written ? domain.text : nil
        case .damaged(let error, _): fresh.damage = CachedDomain.Damage(path: found, error: error)
        }
        let known = cache?.values
        cache = fresh
        return .replaced(known)
    }

    /// Whether every file, when opened, is still in the state in which it was found.
    private func areUnchangedWhenOpened(_ states: [(path: String, status: FileStatus?)]) -> Bool {
        states.allSatisfy { path, before in
            // A file that cannot be opened counts as changed; reading it again reports the error.
            guard let now = try? root.openedStatus(path) else { return before == nil }
            return before.map { now.isSameContent(as: $0) } ?? false
        }
    }

    /// Whether every file is still in the state in which it was found.
    ///
    /// This detects programs that ignore the lock, such as editors and Foundation. Only changes between this check and
    /// the replacement go unnoticed.
    func areUnchanged(_ states: [(path: String, status: FileStatus?)]) throws(PreferencesError) -> Bool {
        for (path, before) in states {
            switch (before, try status(of: path)) {
            case (nil, nil): continue
            case (let before?, let now?) where now.isSameContent(as: before): continue
            default: return false
            }
        }
        return true
    }
}
