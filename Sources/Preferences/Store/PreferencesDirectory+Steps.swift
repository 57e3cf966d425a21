import Platform
import PropertyList

/// The steps of a write.
extension PreferencesDirectory {
    /// How often a write begins again because another program changed the file without the lock.
    static let writeAttempts = 20

    /// How long the lock is waited for in all, in microseconds.
    private static let lockMicroseconds: Int64 = 5_000_000
    /// How long the lock is waited for at once, in seconds.
    private static let lockInterval = 0.002

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

    /// Runs a body while this process alone writes to the folder.
    ///
    /// - Throws: `refused` where the lock file is not the owner's alone, `locked` where others hold the lock for 5 seconds, and what the body throws.
    func underLock<Result>(_ body: () throws(PreferencesError) -> Result) throws(PreferencesError) -> Result {
        if let status = try status(of: lockPath) {
            guard status.kind == .regular else { throw refusal(of: lockPath, "is \(status.kind.noun)") }
            // Whoever can open a lock file can hold the lock for ever.
            guard status.owner == owner, status.mode & 0o077 == 0 else {
                throw refusal(of: lockPath, "can be opened by others, who could hold up every write")
            }
        }
        let lock = try takeLock()
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// Takes the folder's lock, asking often.
    ///
    /// A file lock has no queue, and another writer that saves without pause leaves it free for some microseconds only:
    /// who asks every 20 ms, as a long wait ends up doing, may find it taken each time. So each wait is short.
    private func takeLock() throws(PreferencesError) -> FileLock {
        let start = Clock.monotonicMicroseconds()
        while true {
            do {
                return try root.lock(lockPath, mode: 0o600, seconds: PreferencesDirectory.lockInterval)
            } catch {
                let waited = Clock.monotonicMicroseconds() - start
                guard error.isTimeout, waited < PreferencesDirectory.lockMicroseconds else {
                    throw error.isTimeout ? .locked(path: root.display(lockPath)) : .system(error)
                }
            }
        }
    }

    /// Reads a domain and keeps what a write must know.
    func find(_ paths: (written: String, alternatives: [String])) throws(PreferencesError) -> FoundDomain {
        let (target, first) = try load(paths.written)
        var states = [(target, first.status)]
        var (found, file) = (target, first)
        for path in paths.alternatives {
            guard case .missing = file else { break }
            (found, file) = try load(path)
            states.append((found, file.status))
        }
        switch file {
        case .missing: return FoundDomain(target: target, states: states, domain: nil, damage: nil)
        case .intact(let domain): return FoundDomain(target: target, states: states, domain: domain, damage: nil)
        case .damaged(let error, _):
            return FoundDomain(
                target: target, states: states, domain: nil,
                damage: FoundDomain.Damage(path: found, error: error))
        }
    }

    /// Whether every file is still in the state in which it was found.
    ///
    /// Programs that do not know the lock, editors and Foundation among them, are noticed here. What remains is the
    /// time that writing the new file takes.
    func isAsFound(_ found: FoundDomain) throws(PreferencesError) -> Bool {
        for (path, before) in found.states {
            switch (before, try status(of: path)) {
            case (nil, nil): continue
            case (let before?, let now?) where now.isSameContent(as: before): continue
            default: return false
            }
        }
        return true
    }

    /// Gives a damaged file another name in its folder, one that nobody has.
    func setAside(_ damage: FoundDomain.Damage) throws(PreferencesError) -> (path: String, file: DamagedFile) {
        let stem = "\(damage.path).damaged-\(Clock.now().description.filter { $0 != "-" && $0 != ":" })"
        var failure: SystemError?
        for number in 1...99 {
            let name = number == 1 ? stem : "\(stem)-\(number)"
            do {
                try root.rename(damage.path, to: name, replacing: false)
                let file = DamagedFile(
                    path: root.display(damage.path), keptAs: root.display(name), error: damage.error)
                return (name, file)
            } catch {
                failure = error
                guard error.isTaken else { break }
            }
        }
        let cause = failure ?? SystemError(operation: "rename", path: root.display(damage.path), code: 17)
        throw .notSetAside(path: root.display(damage.path), error: damage.error, cause: cause)
    }

    /// Gives a damaged file its name back, after the new one could not be written.
    ///
    /// - Throws: `notReplaced` where that fails as well.
    func putBack(
        _ damage: FoundDomain.Damage, from setAside: (path: String, file: DamagedFile), after failure: SystemError
    ) throws(PreferencesError) {
        do {
            try root.rename(setAside.path, to: damage.path, replacing: false)
        } catch {
            throw .notReplaced(setAside.file, cause: failure)
        }
    }
}
