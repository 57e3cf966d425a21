import Platform

/// A trusted directory that is opened when somebody reads in it, and can be closed in between: a process may have been left
/// with very few descriptors.
final class LentDirectory: Sendable {
    /// The path beneath the root.
    private let path: String
    /// The root.
    private let root: Root
    /// The open directory; `nil` while it is closed.
    private let directory = Guarded<TrustedDirectory?>(nil)

    /// Names a directory, which is not opened yet.
    init(_ path: String, in root: Root) {
        self.path = path
        self.root = root
    }

    /// Closes the directory until somebody reads in it again.
    func close() {
        let open = directory.withLock { directory -> TrustedDirectory? in
            defer { directory = nil }
            return directory
        }
        // Closed here, outside of the lock.
        _ = consume open
    }

    /// Reads a file, as ``TrustedDirectory/read(_:limit:)`` does.
    func read(_ name: String, limit: Int) throws(TrustError) -> TrustedFile {
        try opened().read(name, limit: limit)
    }

    /// The directory, opened where it is closed: through nothing but trusted directories each time.
    private func opened() throws(TrustError) -> TrustedDirectory {
        if let open = directory.withLock({ $0 }) { return open }
        let opened = try root.trustedDirectory(path)
        directory.withLock { $0 = opened }
        return opened
    }
}
