package import MDPlatform

/// The daemon's revision of the policy files, which it increments at every change, in `/run/mdefaultsd/generation`.
///
/// While the daemon holds a write lock on that file, a table of the same revision is valid without checking each policy
/// file. The lock ends with the daemon, so a revision without a lock proves nothing. The daemon locks the file before
/// the first increment, so that a change made without a daemon has another revision.
package enum GenerationFile {
    /// The daemon's directory.
    private static let directory = "run/mdefaultsd"
    /// The file.
    private static let name = "run/mdefaultsd/generation"
    /// The path of the file under its root.
    package static let path = "/" + name
    /// The most bytes that are read of it: more than any number has digits.
    private static let sizeLimit = 32

    /// Whether a daemon watches the policy files, and has seen no change since a revision.
    ///
    /// Six system calls. The directories above are trusted already, by the table's fingerprints.
    static func isWatched(_ generation: UInt64, root: Root) -> Bool {
        guard generation > 0, let file = file(root: root), file.isLockedForWriting else { return false }
        return number(in: file) == generation
    }

    /// Whether a daemon holds the lock: then it reports each change of policy by a change of the file.
    ///
    /// Five system calls.
    package static func isHeld(root: Root) -> Bool { file(root: root)?.isLockedForWriting ?? false }

    /// The revision, if a daemon holds the lock.
    static func current(root: Root) -> UInt64? {
        guard let file = file(root: root), file.isLockedForWriting else { return nil }
        return number(in: file)
    }

    /// Opens the file, if only root and the daemon can have made and written it.
    ///
    /// Its directory is in `/run`, where only root creates names, so that the directory's owner is the daemon's user.
    private static func file(root: Root) -> OpenFile? {
        guard let parent = (try? root.statusInPlace("run")).flatMap({ $0 }), parent.kind == .directory,
            CompiledTable.isTrusted(parent, root: root),
            let directory = (try? root.statusInPlace(directory)).flatMap({ $0 }), directory.kind == .directory,
            directory.mode & 0o022 == 0, let file = try? root.openInPlace(name), file.status.mode & 0o022 == 0,
            file.status.owner == root.owner || file.status.owner == directory.owner
        else { return nil }
        return file
    }

    /// Parses the revision: decimal digits, with or without a line end.
    private static func number(in file: OpenFile) -> UInt64? {
        var bytes = [UInt8](repeating: 0, count: sizeLimit)
        // The buffer is written within its bounds, during the closure.
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
