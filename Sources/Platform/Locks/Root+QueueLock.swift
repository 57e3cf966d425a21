import CPlatform
import Glibc

extension Root {
    /// The byte of a lock file that a holder has.
    private static let room: Int64 = 0
    /// The byte that whoever is next has.
    private static let door: Int64 = 1

    /// Locks a file that writers take one after another, often and for a short time.
    ///
    /// Whoever waits for a file lock is not told when it is free, and has to ask. A holder that gives it back and takes
    /// it again at once would win against everybody who asks, so there are two: the door, which one waits for and holds
    /// while one waits for the room, and the room, which is the lock. A holder that wants to come back finds the door
    /// taken and has to let the next one in. Locks belong to the open file and end with it, however a process ends.
    ///
    /// - Parameters:
    ///   - path: the lock file, which is made for its owner only where it is missing.
    ///   - owner: who must own it. What others can open, they can hold for ever, so that is refused.
    ///   - seconds: how long another holder is waited for.
    /// - Returns: the lock.
    /// - Throws: ETIMEDOUT after that time, EPERM for a file that others can open, EINVAL for what is no regular file,
    ///   ENOLCK and its like where the file system has no locks.
    package func lockInTurn(_ path: String, owner: UInt32, seconds: Double = 5) throws(SystemError) -> FileLock {
        let start = Clock.monotonicMicroseconds()
        let limit = start + Int64(min(max(seconds, 0), 3_600) * 1_000_000)
        while true {
            let descriptor = try open(path, .readWrite(mode: 0o600))
            let status = try descriptor.status(shown: display(path))
            guard status.owner == owner, status.mode & 0o077 == 0 else {
                throw SystemError(
                    operation: "lock", path: display(path), code: EPERM, reason: "others can open the lock file")
            }
            let raw = descriptor.raw
            try wait(from: start, until: limit, path) { cplatform_try_lock_byte(raw, Root.door) }
            try wait(from: start, until: limit, path) { cplatform_try_lock_byte(raw, Root.room) }
            _ = cplatform_unlock_byte(raw, Root.door)
            if try isStill(status, at: path) { return FileLock(owning: descriptor) }
            if Clock.monotonicMicroseconds() > limit {
                throw SystemError(
                    operation: "lock", path: display(path), code: ETIMEDOUT,
                    reason: "the file is replaced again and again")
            }
        }
    }

    /// Tries to lock until it works.
    ///
    /// Such locks cannot be waited for with a time limit without a thread or a signal, so they are asked for: first as
    /// often as a save takes, about a tenth of a millisecond, then less and less.
    private func wait(
        from start: Int64, until limit: Int64, _ path: String, _ tryLock: () -> Int32
    ) throws(SystemError) {
        while true {
            if tryLock() == 0 { return }
            let code = errno
            if code == EINTR { continue }
            guard code == EAGAIN else { throw SystemError(operation: "lock", path: display(path), code: code) }
            let now = Clock.monotonicMicroseconds()
            if now >= limit {
                throw SystemError(
                    operation: "lock", path: display(path), code: ETIMEDOUT,
                    reason: "another process has held the lock for \((limit - start) / 1_000_000) s")
            }
            let waited = now - start
            Clock.pause(microseconds: min(waited < 5_000 ? 20 : waited < 100_000 ? 200 : 1_000, limit - now))
        }
    }
}
