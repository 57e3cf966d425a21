import Platform

extension PreferencesDirectory {
    /// Runs a body while this process alone writes to the folder.
    ///
    /// - Throws: `refused` where the lock file is not the owner's alone, `locked` where others hold the lock for
    ///   5 seconds, `lockless` where there are no locks, and what the body throws.
    func underLock<Result>(_ body: () throws(PreferencesError) -> Result) throws(PreferencesError) -> Result {
        let lock: FileLock
        do {
            lock = try takeLock(root, lockPath, owner)
        } catch {
            throw lockFailure(error)
        }
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// What a failure to lock means.
    private func lockFailure(_ error: SystemError) -> PreferencesError {
        if error.isTimeout { return .locked(path: root.display(lockPath)) }
        if let status = try? status(of: lockPath) {
            if status.kind != .regular { return refusal(of: lockPath, "is \(status.kind.noun)") }
            // Whoever can open a lock file can hold the lock for ever.
            if status.owner != owner || status.mode & 0o077 != 0 {
                return refusal(of: lockPath, "can be opened by others, who could hold up every write")
            }
            if error.isUnsupported { return .lockless(path: root.display(directory), cause: error) }
        }
        return .system(error)
    }
}
