import Platform

/// The number that the daemon counts up whenever it sees a policy file change, in `/run/mdefaultsd/generation`.
///
/// While the daemon holds a lock for writing on that file, a table of the same generation needs no look at each policy
/// file. The lock ends with the daemon, so a number that nobody counts up any more vouches for nothing. The daemon takes
/// the lock before it counts up for the first time, so that what changed while there was none has another number.
enum WatchedGeneration {
    /// The daemon's directory.
    private static let directory = "run/mdefaultsd"
    /// The file.
    private static let path = "run/mdefaultsd/generation"
    /// The most bytes that are read of it: more than any number has digits.
    private static let sizeLimit = 32

    /// Whether a daemon watches the policy files, and has seen no change since a generation.
    ///
    /// Six system calls. The directories above are trusted already, by the table's witnesses.
    static func isWatched(_ generation: UInt64, root: Root) -> Bool {
        guard generation > 0, let file = file(root: root), file.isLockedForWriting else { return false }
        return number(in: file) == generation
    }

    /// The number, while a daemon holds the lock.
    static func current(root: Root) -> UInt64? {
        guard let file = file(root: root), file.isLockedForWriting else { return nil }
        return number(in: file)
    }

    /// The file, where nobody but root and the daemon can have made it, and nobody else can write it.
    ///
    /// The directory stands in `/run`, where only root makes names, so that its owner is the daemon's user.
    private static func file(root: Root) -> OpenFile? {
        guard let parent = (try? root.statusInPlace("run")).flatMap({ $0 }), parent.kind == .directory,
            CompiledTable.isTrusted(parent, root: root),
            let directory = (try? root.statusInPlace(directory)).flatMap({ $0 }), directory.kind == .directory,
            directory.mode & 0o022 == 0, let file = try? root.openInPlace(path), file.status.mode & 0o022 == 0,
            file.status.owner == root.owner || file.status.owner == directory.owner
        else { return nil }
        return file
    }

    /// The number in decimal digits, with or without a line's end.
    private static func number(in file: OpenFile) -> UInt64? {
        var bytes = [UInt8](repeating: 0, count: sizeLimit)
        // The buffer is written within its bounds while it is lent.
        let count = try? unsafe bytes.withUnsafeMutableBytes { buffer throws(SystemError) in
            try unsafe file.read(into: buffer, at: 0)
        }
        guard let count, count < sizeLimit else { return nil }
        var digits = bytes[..<count]
        if digits.last == UInt8(ascii: "\n") { digits.removeLast() }
        guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }
}
