import Glibc
import MDCPlatform

/// An exclusive lock among processes, and among the threads of this one, held until the value goes out of scope.
///
/// A child that fork(2) makes inherits the open file and with it the lock, so its descriptor is closed there before the
/// child goes on, and the lock is given back by name, not by closing alone.
package final class FileLock: Sendable {
    /// The file.
    fileprivate let descriptor: Int32
    /// The generation of the process (``Fork/generation``).
    private let generation = Fork.generation

    /// Takes ownership of an open file, before it is locked.
    fileprivate init(owning descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor.release()
        Fork.closeInChild(self.descriptor)
    }

    deinit {
        // In a child the number is that of another file, if of any.
        guard generation == Fork.generation else { return }
        cplatform_unlock(descriptor)
        Fork.keepInChild(descriptor)
        _ = close(descriptor)
    }
}

extension Root {
    /// Locks a file, which is created with this mode if missing.
    ///
    /// Waits for another holder up to `seconds`.
    ///
    /// - Throws: ETIMEDOUT after that time.
    package func lock(_ path: String, mode: UInt32 = 0o600, seconds: Double = 5) throws(SystemError) -> FileLock {
        let limit = Clock.monotonicMicroseconds() + Int64(min(max(seconds, 0), 3_600) * 1_000_000)
        var pause = 1
        while true {
            let descriptor = try open(path, .readWrite(mode: mode))
            let locked = try descriptor.status(shown: display(path))
            let lock = FileLock(owning: descriptor)
            let raw = lock.descriptor
            while true {
                if cplatform_try_lock(raw, 1) == 0 { break }
                let code = errno
                if code == EINTR { continue }
                guard code == EAGAIN else { throw SystemError(operation: "lock", path: display(path), code: code) }
                let rest = limit - Clock.monotonicMicroseconds()
                if rest <= 0 {
                    throw SystemError(
                        operation: "lock", path: display(path), code: ETIMEDOUT,
                        reason: "another process has held the lock for \(seconds) s")
                }
                // Such locks cannot be waited for with a time limit, so the wait is short and grows up to 20 ms.
                Clock.pause(microseconds: min(Int64(pause) * 1_000, rest))
                pause = min(pause * 2, 20)
            }
            if try isCurrent(locked, at: path) { return lock }
            if Clock.monotonicMicroseconds() > limit {
                throw SystemError(
                    operation: "lock", path: display(path), code: ETIMEDOUT,
                    reason: "the file is replaced again and again")
            }
        }
    }

    /// Whether a path still leads to the file that was locked.
    ///
    /// The previous holder may have removed or replaced the file; a lock on the old file excludes no other process.
    ///
    /// - Throws: an error if this is unknown: trying again at once would not help.
    package func isCurrent(_ locked: FileStatus, at path: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try status(path, followingLinks: false).isSameFile(as: locked)
        } catch {
            if error.isMissing { return false }
            throw error
        }
    }
}

extension Root {
    /// The byte of a lock file that a holder has.
    private static let room: Int64 = 0
    /// The byte that the next holder locks.
    private static let door: Int64 = 1
    /// Byte locked by the process with precedence while it waits.
    private static let call: Int64 = 2

    /// Locks a file that writers lock in turn, often and for a short time.
    ///
    /// A waiting process is not notified when a file lock is released, and has to poll. A holder that releases the lock
    /// and acquires it again at once would starve all others. Therefore there are two locks: the room, which is the
    /// lock itself, and the door, which a process holds while it waits for the room. A holder that wants to come back
    /// finds the door locked and has to let the next one in. Locks belong to the open file and end with it, however a
    /// process ends.
    ///
    /// Among many waiting processes, chance decides which is next. One process can have precedence: while it waits, no
    /// other process takes the door. So it waits for two holders at most: the one in the room and the one that had the
    /// door already.
    ///
    /// - Parameters:
    ///   - path: the lock file, created with access for its owner only if missing.
    ///   - owner: the required owner; `nil` if the folder keeps other users from the file. Others that can open it could
    ///     hold the lock for ever, so that it is refused.
    ///   - seconds: how long to wait for other holders.
    ///   - hasPrecedence: whether all others wait for this process; for one process of a file only.
    /// - Returns: the lock.
    /// - Throws: ETIMEDOUT after that time, EPERM for a file that others can open, EINVAL for anything but a regular
    ///   file, ENOLCK and similar errors if the file system has no locks.
    package func lockInTurn(
        _ path: String, owner: UInt32?, seconds: Double = 5, hasPrecedence: Bool = false
    ) throws(SystemError) -> FileLock {
        let start = Clock.monotonicMicroseconds()
        let limit = start + Int64(min(max(seconds, 0), 3_600) * 1_000_000)
        while true {
            let descriptor = try open(path, .readWrite(mode: 0o600))
            let status = try descriptor.status(shown: display(path))
            if let owner, status.owner != owner || status.mode & 0o077 != 0 {
                throw SystemError(
                    operation: "lock", path: display(path), code: EPERM, reason: "others can open the lock file")
            }
            let lock = FileLock(owning: descriptor)
            let raw = lock.descriptor
            if hasPrecedence {
                // Without the call it is a waiting process like others.
                let isCalling = cplatform_try_lock_byte(raw, Root.call) == 0
                try wait(from: start, until: limit, path) { cplatform_try_lock_byte(raw, Root.door) }
                try wait(from: start, until: limit, path) { cplatform_try_lock_byte(raw, Root.room) }
                if isCalling { _ = cplatform_unlock_byte(raw, Root.call) }
            } else {
                try wait(from: start, until: limit, path) { Root.tryDoor(raw) }
                try wait(from: start, until: limit, path) { cplatform_try_lock_byte(raw, Root.room) }
            }
            _ = cplatform_unlock_byte(raw, Root.door)
            if try isCurrent(status, at: path) { return lock }
            if Clock.monotonicMicroseconds() > limit {
                throw SystemError(
                    operation: "lock", path: display(path), code: ETIMEDOUT,
                    reason: "the file is replaced again and again")
            }
        }
    }

    /// Tries to lock the door for a process that has no precedence.
    private static func tryDoor(_ raw: Int32) -> Int32 {
        let result = cplatform_try_lock_byte(raw, door)
        // After the door, so that a process that locks the byte of precedence in between is seen.
        guard result == 0, cplatform_is_byte_locked(raw, call) == 1 else { return result }
        _ = cplatform_unlock_byte(raw, door)
        errno = EAGAIN
        return -1
    }

    /// Tries to lock until it succeeds or the time is over.
    ///
    /// Without a thread or a signal, such locks cannot be waited for with a time limit, so they are polled: first about
    /// as often as a save takes, a tenth of a millisecond, then less and less often.
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
                    reason: "another process has held the lock for \(Double(limit - start) / 1_000_000) s")
            }
            let waited = now - start
            let pause: Int64 = waited < 5_000 ? 20 : waited < 100_000 ? 200 : waited < 1_000_000 ? 1_000 : 10_000
            Clock.pause(microseconds: min(pause, limit - now))
        }
    }
}
