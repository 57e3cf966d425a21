import Glibc

extension Root {
    /// What the kernel says about a file.
    package func status(_ path: String, followingLinks: Bool) throws(SystemError) -> FileStatus {
        if isSystem {
            return try FileDescriptor.status(
                of: "/" + RootPath.relative(path), in: AT_FDCWD, followingLinks: followingLinks, shown: display(path))
        }
        let flags = OpenMode.lookup.flags | (followingLinks ? 0 : O_NOFOLLOW)
        return try resolve(path, flags: flags).status(shown: display(path))
    }

    /// Whether something has a name, a link as the last one not followed; what cannot be told counts as there.
    ///
    /// One system call where nothing has it, and at most one more otherwise.
    package func mayHave(_ path: String) -> Bool {
        do throws(SystemError) {
            if isSystem {
                _ = try status(path, followingLinks: false)
            } else {
                _ = try resolve(path, flags: OpenMode.lookup.flags | O_NOFOLLOW)
            }
            return true
        } catch {
            return !error.isMissing
        }
    }

    /// What the kernel says about a file that it has opened, a link as the last name not followed.
    ///
    /// A network file system may answer ``status(_:followingLinks:)`` from memory for some seconds. Opening asks the server,
    /// so that whoever holds a lock learns what another machine has written.
    ///
    /// - Returns: `nil` where nothing has this name.
    package func openedStatus(_ path: String) throws(SystemError) -> FileStatus? {
        do {
            return try resolve(path, flags: OpenMode.read.flags | O_NOFOLLOW).status(shown: display(path))
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// Where a link leads, as it is written in the link.
    ///
    /// - Throws: EINVAL where the path is no link.
    package func linkTarget(_ path: String) throws(SystemError) -> String {
        let parent = try parent(of: path, "read the link")
        return try FileDescriptor.linkTarget(of: parent.name, in: parent.descriptor.raw, shown: display(path))
    }

    /// The names in a directory, complete and in byte order, without `.` and `..`.
    package func names(in path: String) throws(SystemError) -> [String] {
        let directory = try resolve(path, flags: OpenMode.directory.flags)
        return try FileDescriptor.names(in: directory.raw, shown: display(path))
    }

    /// Reads a whole regular file, links followed.
    ///
    /// - Throws: EFBIG beyond `limit` bytes, EISDIR or EINVAL for anything but a regular file, ESTALE where the file changed
    ///   during each of three readings.
    package func read(_ path: String, limit: Int) throws(SystemError) -> (bytes: [UInt8], status: FileStatus) {
        var tries = 1
        while true {
            let descriptor = try resolve(path, flags: OpenMode.read.flags)
            if let result = try descriptor.readWhole(limit: limit, shown: display(path)) { return result }
            tries += 1
            if tries > 3 { throw Root.changed(display(path)) }
        }
    }

    /// The failure of a file that changed whenever it was read.
    static func changed(_ shown: String) -> SystemError {
        SystemError(operation: "read", path: shown, code: ESTALE, reason: "the file changes while it is read")
    }
}
