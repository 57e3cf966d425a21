import Glibc

extension Root {
    /// Reads a whole regular file that only the owner of the root could have written.
    ///
    /// Every directory and link on the way, the root itself included, and the file are held to `TrustRule`.
    ///
    /// - Parameters:
    ///   - path: the path.
    ///   - limit: the most bytes that are read.
    /// - Returns: the file.
    /// - Throws: EFBIG beyond `limit` bytes, ESTALE where the file changed during each of three readings, or what is not
    ///   trusted and why.
    package func readTrusted(_ path: String, limit: Int) throws(TrustError) -> TrustedFile {
        let rule = TrustRule(root: self)
        let shown = display(path)
        for _ in 1...3 {
            var walk = try PathWalk(root: self, rule: rule)
            guard let name = try walk.advance(along: path, followingLast: true) else {
                throw .system(
                    SystemError(
                        operation: "read", path: shown, code: EISDIR, reason: "it is a directory, not a regular file"))
            }
            // Messages name the file that is not trusted, which a link may have led to.
            let place = display("\(walk.path)/\(name)")
            let directory = try walk.directory()
            do {
                if let file = try TrustRead.file(
                    name, in: directory.raw, rule: rule, limit: limit, warnings: walk.warnings, shown: place)
                {
                    return file
                }
            } catch {
                // The name became a link after the walk looked at it: the next walk follows it.
                guard case .system(let cause) = error, cause.code == ELOOP else { throw error }
            }
        }
        throw .system(Root.changed(shown))
    }

    /// Opens a directory that only the owner of the root could have put files into.
    ///
    /// - Parameter path: the path.
    /// - Returns: the directory.
    /// - Throws: why it cannot be had, or is not trusted.
    package func trustedDirectory(_ path: String) throws(TrustError) -> TrustedDirectory {
        let rule = TrustRule(root: self)
        var walk = try PathWalk(root: self, rule: rule)
        // With a slash at the end the walk ends in the directory itself.
        if try walk.advance(along: path + "/", followingLast: true) != nil {
            throw .system(SystemError(operation: "open", path: display(path), code: ENOTDIR))
        }
        return TrustedDirectory(root: self, rule: rule, handle: try walk.directory(), warnings: walk.warnings)
    }

    /// The names in a trusted directory, complete and in byte order, without `.` and `..`.
    package func trustedNames(in path: String) throws(TrustError) -> [String] {
        try trustedDirectory(path).names()
    }
}
