import Platform
import PropertyList

/// The steps before a write.
extension PreferencesDirectory {
    /// How often a write begins again because another program changed the file without the lock.
    static let writeAttempts = 20

    /// Makes the folders above a file where they are missing, for the user alone.
    ///
    /// The home itself is never made: where it is missing it is probably not mounted, and what would be stored now
    /// would be hidden later.
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

    /// Brings what is known of a domain up to date.
    ///
    /// - Parameters:
    ///   - memory: what is known; `nil` for nothing. Where this throws, it is what it was, or nothing.
    ///   - paths: the domain's files.
    ///   - isLocked: whether the caller holds the lock, so that it must know what other machines wrote before.
    /// - Returns: what others changed since.
    /// - Throws: what reading a domain throws, but for `damaged`.
    func refresh(
        _ memory: inout DomainMemory?, _ paths: (written: String, alternatives: [String]), isLocked: Bool = false
    ) throws(PreferencesError) -> Refreshed {
        if let known = memory, known.isCertain, try isAsFound(known.states),
            !isLocked || isAsFoundWhenOpened(known.states)
        {
            return .unchanged
        }
        let moment = Clock.nanoseconds()
        // Only the file that is written is followed; its text is moved, not copied.
        let isFollowing = memory?.target == paths.written && memory?.source?.path == paths.written
        var text = isFollowing ? memory?.text : nil
        memory?.text = nil
        let (target, first) = try load(paths.written, following: &text)
        if case .followed(let changes, let status) = first, target == paths.written {
            let foreign = DomainChange.some(changes).effective(on: memory?.values ?? [:])
            for (key, value) in foreign { memory?.values[key] = value }
            memory?.text = text
            memory?.states = [(target, status)]
            memory?.isCertain = DomainMemory.isCertain(status, readAt: moment)
            return .changed(foreign)
        }
        var states = [(target, first.status)]
        var (found, file) = (target, first)
        for path in paths.alternatives {
            guard case .missing = file else { break }
            (found, file) = try load(path)
            states.append((found, file.status))
        }
        // A home that is not mounted any more removed nothing.
        if case .missing = file, memory?.source != nil, let home, try status(of: home) == nil {
            throw .homeMissing(path: root.display(home))
        }
        // A link may lead elsewhere the next time.
        let isDirect = zip(states, [paths.written] + paths.alternatives).allSatisfy { $0.0 == $1 }
        let isCertain = states.allSatisfy { $0.1.map { DomainMemory.isCertain($0, readAt: moment) } ?? true }
        var fresh = DomainMemory(target: target, states: states, isCertain: isDirect && isCertain)
        switch file {
        case .missing, .followed: break
        case .intact(let domain):
            fresh.values = domain.values
            fresh.source = (found, domain.format)
            fresh.text = found == paths.written ? domain.text : nil
        case .damaged(let error, _): fresh.damage = DomainMemory.Damage(path: found, error: error)
        }
        let known = memory?.values
        memory = fresh
        return .replaced(known)
    }

    /// Whether every file is in the state in which it was found when it is opened, too.
    private func isAsFoundWhenOpened(_ states: [(path: String, status: FileStatus?)]) -> Bool {
        states.allSatisfy { path, before in
            // What cannot be opened is looked at as if nothing were known, and is refused there.
            guard let now = try? root.openedStatus(path) else { return before == nil }
            return before.map { now.isSameContent(as: $0) } ?? false
        }
    }

    /// Whether every file is still in the state in which it was found.
    ///
    /// Programs that do not know the lock, editors and Foundation among them, are noticed here. What remains is the
    /// moment until the new file takes its place.
    func isAsFound(_ states: [(path: String, status: FileStatus?)]) throws(PreferencesError) -> Bool {
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
