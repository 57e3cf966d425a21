import CPlatform
import Glibc

/// Paths that are taken as they stand, without a link anywhere: what a reader of many files asks with few system calls.
extension Root {
    /// What the kernel says about a path itself, a link as its last name not followed.
    ///
    /// One system call. The path has no slash at its beginning, and `.` is the root. A link further up is followed and
    /// may lead out of a folder, so whoever asks has asked about the directories above first.
    ///
    /// - Returns: `nil` where nothing has this name.
    package func statusInPlace(_ path: String) throws(SystemError) -> FileStatus? {
        do {
            return try FileDescriptor.status(
                of: isSystem ? "/" + path : path, in: anchor, followingLinks: false, shown: display(path))
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// What the kernel says about a path itself, a link as its last name not followed; the path lies in memory with a
    /// slash at its beginning and a NUL at its end, and `/.` is the root.
    ///
    /// One system call and no text: who asks about hundreds of paths does not care what messages would call them. Links
    /// further up are as for ``statusInPlace(_:)``.
    ///
    /// - Returns: `nil` for the status where nothing has this name; whether the kernel answered.
    package func statusInPlace(_ path: UnsafePointer<CChar>) -> (status: FileStatus?, isKnown: Bool) {
        var result = stat()
        // Beneath a folder the path begins behind its slash. Path and structure outlive the call.
        let code = unsafe fstatat(anchor, isSystem ? path : path + 1, &result, AT_SYMLINK_NOFOLLOW)
        if code == 0 { return (FileStatus(result), true) }
        return (nil, errno == ENOENT)
    }

    /// Reads a whole regular file whose path, written as for ``statusInPlace(_:)``, has no link in it.
    ///
    /// - Throws: ELOOP where there is a link on the way, ESTALE where the file
    ///   changes meanwhile, and what ``read(_:limit:)`` throws.
    package func readInPlace(_ path: String, limit: Int) throws(SystemError) -> (bytes: [UInt8], status: FileStatus) {
        let descriptor = try descriptorInPlace(path)
        if let result = try descriptor.readWhole(limit: limit, shown: display(path)) { return result }
        throw Root.changed(display(path))
    }

    /// Opens a regular file whose path, written as for ``statusInPlace(_:)``, has no link in it, to be read piece by
    /// piece.
    ///
    /// Two system calls.
    ///
    /// - Throws: ELOOP where there is a link on the way, and what the kernel says.
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
        // The texts live for the duration of each call, which keeps no pointer to them.
        var raw = unsafe cplatform_openat2(anchor, place, flags, 0, rules)
        if raw < 0, errno == ENOSYS || errno == EPERM {
            // Old kernels and some sandboxes lack the call; what stands above the name is then asked about before.
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
