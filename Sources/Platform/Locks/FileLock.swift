import CPlatform
import Glibc

/// An exclusive lock among processes, and among the threads of this one, held until the value goes out of scope.
package final class FileLock: Sendable {
    /// The locked file; closing it ends the lock.
    private let descriptor: Int32

    /// Takes over an open file that is locked.
    init(owning descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor.release()
    }

    deinit {
        _ = close(descriptor)
    }
}

extension Root {
    /// Locks a file, which is made with this mode where it is missing.
    ///
    /// Another holder is waited for as many seconds as said, then ETIMEDOUT is thrown.
    package func lock(_ path: String, mode: UInt32 = 0o600, seconds: Double = 5) throws(SystemError) -> FileLock {
        let limit = Clock.monotonicMicroseconds() + Int64(min(max(seconds, 0), 3_600) * 1_000_000)
        var pause = 1
        while true {
            let descriptor = try open(path, .readWrite(mode: mode))
            let raw = descriptor.raw
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
            let locked = try descriptor.status(shown: display(path))
            if try isStill(locked, at: path) { return FileLock(owning: descriptor) }
            if Clock.monotonicMicroseconds() > limit {
                throw SystemError(
                    operation: "lock", path: display(path), code: ETIMEDOUT,
                    reason: "the file is replaced again and again")
            }
        }
    }

    /// Whether a path still leads to a file that was locked.
    ///
    /// Whoever held the lock may have removed or replaced the file; then the lock is on a file that nobody sees.
    ///
    /// - Throws: why that cannot be told: then there is no sense in trying again at once.
    func isStill(_ locked: FileStatus, at path: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try status(path, followingLinks: false).isSameFile(as: locked)
        } catch {
            if error.isMissing { return false }
            throw error
        }
    }
}
