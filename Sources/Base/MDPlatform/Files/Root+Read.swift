import Glibc
import MDCPlatform

extension Root {
    /// Reads the status of a file.
    package func status(_ path: String, followingLinks: Bool) throws(SystemError) -> FileStatus {
        if isSystem {
            return try FileDescriptor.status(
                of: "/" + RootPath.relative(path), in: AT_FDCWD, followingLinks: followingLinks, shown: display(path))
        }
        let flags = OpenMode.lookup.flags | (followingLinks ? 0 : O_NOFOLLOW)
        return try resolve(path, flags: flags).status(shown: display(path))
    }

    /// Whether a name exists, a link as the last one not followed; true if unknown.
    ///
    /// One system call if it does not exist, and at most one more otherwise.
    package func mayExist(_ path: String) -> Bool {
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

    /// Opens a file and reads its status, a link as the last name not followed.
    ///
    /// A network file system may answer ``status(_:followingLinks:)`` from a cache for some seconds. Opening asks the
    /// server, so that the holder of a lock sees what another machine has written.
    ///
    /// - Returns: `nil` if the name does not exist.
    package func openedStatus(_ path: String) throws(SystemError) -> FileStatus? {
        do {
            return try resolve(path, flags: OpenMode.read.flags | O_NOFOLLOW).status(shown: display(path))
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// Reads the target of a link, as it is stored in the link.
    ///
    /// - Throws: EINVAL if the path is not a link.
    package func linkTarget(_ path: String) throws(SystemError) -> String {
        let parent = try parent(of: path, "read the link")
        return try FileDescriptor.linkTarget(of: parent.name, in: parent.descriptor.raw, shown: display(path))
    }

    /// The names in a directory, complete and in byte order, without `.` and `..`.
    ///
    /// With `directoriesOnly`, names that the directory itself lists as of another kind are left out.
    package func names(in path: String, directoriesOnly: Bool = false) throws(SystemError) -> [String] {
        let directory = try resolve(path, flags: OpenMode.directory.flags)
        return try FileDescriptor.names(in: directory.raw, directoriesOnly: directoriesOnly, shown: display(path))
    }

    /// Reads a whole regular file, links followed.
    ///
    /// - Throws: EFBIG beyond `limit` bytes, EISDIR or EINVAL for anything but a regular file, ESTALE if the file
    ///   changed during each of three attempts.
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

/// Calls for paths without links, which need few system calls: for readers of many files.
extension Root {
    /// Reads the status of a path itself, a link as its last name not followed.
    ///
    /// One system call. The path has no slash at its beginning, and `.` is the root. A link further up is followed and
    /// may lead out of a folder, so that the caller must have checked the directories above before.
    ///
    /// - Returns: `nil` if the name does not exist.
    package func statusInPlace(_ path: String) throws(SystemError) -> FileStatus? {
        do {
            return try FileDescriptor.status(
                of: isSystem ? "/" + path : path, in: anchor, followingLinks: false, shown: display(path))
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// Reads the status of a path itself, a link as its last name not followed; the path is a C string with a slash at
    /// its beginning, and `/.` is the root.
    ///
    /// One system call and no string, because callers check hundreds of paths and print no messages about them. Links
    /// further up are as for ``statusInPlace(_:)``.
    ///
    /// - Returns: the status, `nil` if the name does not exist; and whether the result is known.
    package func statusInPlace(_ path: UnsafePointer<CChar>) -> (status: FileStatus?, isKnown: Bool) {
        var result = stat()
        // Beneath a folder the path begins behind its slash. Path and structure outlive the call.
        let code = unsafe fstatat(anchor, isSystem ? path : path + 1, &result, AT_SYMLINK_NOFOLLOW)
        if code == 0 { return (FileStatus(result), true) }
        return (nil, errno == ENOENT)
    }

    /// Opens a regular file whose path, written as for ``statusInPlace(_:)``, has no link in it, to be read in pieces.
    ///
    /// Two system calls.
    ///
    /// - Throws: ELOOP if the path has a link in it, and errors of the kernel.
    package func openInPlace(_ path: String) throws(SystemError) -> OpenFile {
        try OpenFile(owning: try descriptorInPlace(path), shown: display(path))
    }

    /// Opens a path that has no link in it for reading.
    private func descriptorInPlace(_ path: String) throws(SystemError) -> FileDescriptor {
        try SystemCall.checkPath(path, "open", shown: display(path))
        let flags = OpenMode.read.flags | O_NOFOLLOW
        let rules = cplatform_resolve_no_symlinks | (isSystem ? 0 : cplatform_resolve_in_root)
        let place = isSystem ? "/" + path : path
        let anchor = anchor
        // The strings are valid for the duration of each call, which does not store a pointer to them.
        var raw = unsafe cplatform_openat2(anchor, place, flags, 0, rules)
        if raw < 0, errno == ENOSYS || errno == EPERM {
            // Old kernels and some sandboxes lack the call; the directories above the name are then checked first.
            try requireDirectories(above: path)
            raw = try SystemCall.run("open", display(path)) { unsafe cplatform_openat(anchor, place, flags, 0) }
        } else if raw < 0 {
            throw SystemError(operation: "open", path: display(path), code: errno)
        }
        return FileDescriptor(owning: raw)
    }

    /// Refuses a path that has anything but directories above its last name.
    private func requireDirectories(above path: String) throws(SystemError) {
        for (index, byte) in path.utf8.enumerated() where byte == UInt8(ascii: "/") {
            let directory = String(decoding: path.utf8.prefix(index), as: UTF8.self)
            guard let status = try statusInPlace(directory), status.kind == .directory else {
                throw SystemError(operation: "open", path: display(path), code: ELOOP)
            }
        }
    }
}
