import Glibc
import MDCPlatform

extension Root {
    /// Opens a file beneath the root.
    ///
    /// - Throws: EINVAL with a reason if the mode requires a regular file and the file is of another kind.
    package func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileDescriptor {
        let descriptor = try openOrCreate(path, mode)
        if mode.wantsRegularFile {
            try Root.requireRegular(try descriptor.status(shown: display(path)), "open", shown: display(path))
        }
        return descriptor
    }

    /// Opens a file, and creates it first if the mode allows it; a created file has exactly the requested permission
    /// bits.
    private func openOrCreate(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileDescriptor {
        let flags = mode.flags
        if flags & O_CREAT == 0 { return try resolve(path, flags: flags) }
        var tries = 0
        while true {
            if flags & O_EXCL == 0 {
                do {
                    return try resolve(path, flags: flags & ~O_CREAT)
                } catch {
                    if error.code != ENOENT { throw error }
                }
            }
            do {
                let made = try resolve(path, flags: flags | O_EXCL, mode: mode.creationMode & 0o7777)
                // The umask may have cleared bits.
                let raw = made.raw
                try SystemCall.run("change the mode of", display(path)) { fchmod(raw, mode.creationMode & 0o7777) }
                return made
            } catch {
                // Another process created it meanwhile; opening is tried again, unless the file had to be new.
                tries += 1
                if error.code != EEXIST || flags & O_EXCL != 0 || tries == 100 { throw error }
            }
        }
    }

    /// Opens a path with these flags of openat(2), beneath the root.
    package func resolve(_ path: String, flags: Int32, mode: UInt32 = 0) throws(SystemError) -> FileDescriptor {
        let relative = RootPath.relative(path)
        if isSystem {
            return try FileDescriptor.open("/" + relative, in: AT_FDCWD, flags: flags, mode: mode, shown: display(path))
        }
        try SystemCall.checkPath(path, "open", shown: display(path))
        if resolution == .walk { return try walk(path, flags: flags, mode: mode) }
        // The kernel returns EAGAIN if a concurrent rename interfered with `..`; the call has to be repeated.
        var tries = 0
        while true {
            // The string is valid for the duration of the call, which does not store a pointer to it.
            let raw = unsafe cplatform_openat2(
                anchor, relative, flags, mode, cplatform_resolve_in_root | cplatform_resolve_no_magic_links)
            if raw >= 0 { return FileDescriptor(owning: raw) }
            let code = errno
            tries += 1
            if code == EINTR || (code == EAGAIN && tries < 100) { continue }
            if code == ENOSYS || code == EPERM, resolution == .automatic, !kernelResolves {
                return try walk(path, flags: flags, mode: mode)
            }
            throw SystemError(operation: "open", path: display(path), code: code)
        }
    }

    /// Opens a path with these flags by walking it name by name.
    private func walk(_ path: String, flags: Int32, mode: UInt32) throws(SystemError) -> FileDescriptor {
        do {
            var walk = try PathWalk(root: self, rule: nil)
            let name = try walk.advance(along: path, followingLast: flags & O_NOFOLLOW == 0)
            // The last name is not a link to follow; if it becomes one meanwhile, it is refused.
            let flags = name == nil ? flags & ~O_CREAT : flags | O_NOFOLLOW
            let directory = try walk.directory()
            return try FileDescriptor.open(
                name ?? ".", in: directory.raw, flags: flags, mode: mode, shown: display(path))
        } catch let error as SystemError {
            throw error
        } catch TrustError.system(let error) {
            throw error
        } catch {
            // A walk without a rule objects to nothing.
            throw SystemError(operation: "open", path: display(path), code: EACCES)
        }
    }

    /// Opens the directory that holds the last name of a path.
    ///
    /// Pass the flags of `OpenMode.directory` to sync or list it.
    package func parent(
        of path: String, _ operation: String, flags: Int32 = OpenMode.lookup.flags
    ) throws(SystemError) -> ParentDirectory {
        guard let (directory, name) = RootPath.split(path) else {
            throw SystemError(
                operation: operation, path: display(path), code: EINVAL, reason: "the path does not end in a name")
        }
        return ParentDirectory(descriptor: try resolve(directory, flags: flags | O_DIRECTORY), name: name)
    }

    /// Refuses all but regular files.
    package static func requireRegular(
        _ status: FileStatus, _ operation: String, shown: @autoclosure () -> String
    ) throws(SystemError) {
        if status.kind == .regular { return }
        throw SystemError(
            operation: operation, path: shown(), code: status.kind == .directory ? EISDIR : EINVAL,
            reason: "it is \(status.kind.noun), not a regular file")
    }
}

/// An open directory and a name in it.
package struct ParentDirectory: ~Copyable {
    /// The directory.
    package let descriptor: FileDescriptor
    /// The last name of the path: no slash, not empty, not `.` or `..`.
    package let name: String

    /// The open directory alone; the receiver closes it.
    consuming func takeDescriptor() -> Int32 {
        descriptor.release()
    }
}
