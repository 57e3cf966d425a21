import CPlatform
import Glibc

extension Root {
    /// Opens a file beneath the root.
    ///
    /// - Throws: EINVAL with a reason where a regular file is wanted and something else is there.
    package func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileDescriptor {
        let descriptor = try openOrCreate(path, mode)
        if mode.wantsRegularFile {
            try Root.requireRegular(try descriptor.status(shown: display(path)), "open", shown: display(path))
        }
        return descriptor
    }

    /// Opens a file, and makes it first where the mode says so; a file that is made has exactly the asked permission bits.
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
                // The umask may have taken bits away.
                let raw = made.raw
                try SystemCall.run("change the mode of", display(path)) { fchmod(raw, mode.creationMode & 0o7777) }
                return made
            } catch {
                // Another process made it meanwhile; whether it is there is asked again, unless it had to be new.
                tries += 1
                if error.code != EEXIST || flags & O_EXCL != 0 || tries == 100 { throw error }
            }
        }
    }

    /// Opens a path with these flags of openat(2), beneath the root.
    func resolve(_ path: String, flags: Int32, mode: UInt32 = 0) throws(SystemError) -> FileDescriptor {
        let relative = RootPath.relative(path)
        if isSystem {
            return try FileDescriptor.open("/" + relative, in: AT_FDCWD, flags: flags, mode: mode, shown: display(path))
        }
        try SystemCall.checkPath(path, "open", shown: display(path))
        if resolution == .walk { return try walk(path, flags: flags, mode: mode) }
        // The kernel answers EAGAIN where a rename elsewhere got in the way of `..`; it asks for another try.
        var tries = 0
        while true {
            // The text lives for the duration of the call, which keeps no pointer to it.
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
            // The last name is no link to follow; if it becomes one meanwhile, it is refused.
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
    /// The flags are those of `OpenMode.directory` where it is to be synced or listed.
    func parent(
        of path: String, _ operation: String, flags: Int32 = OpenMode.lookup.flags
    ) throws(SystemError) -> ParentDirectory {
        guard let (directory, name) = RootPath.split(path) else {
            throw SystemError(
                operation: operation, path: display(path), code: EINVAL, reason: "the path does not end in a name")
        }
        return ParentDirectory(descriptor: try resolve(directory, flags: flags | O_DIRECTORY), name: name)
    }

    /// Refuses all but regular files.
    static func requireRegular(
        _ status: FileStatus, _ operation: String, shown: @autoclosure () -> String
    ) throws(SystemError) {
        if status.kind == .regular { return }
        throw SystemError(
            operation: operation, path: shown(), code: status.kind == .directory ? EISDIR : EINVAL,
            reason: "it is \(status.kind.noun), not a regular file")
    }
}

/// An open directory and a name in it.
struct ParentDirectory: ~Copyable {
    /// The directory.
    let descriptor: FileDescriptor
    /// The last name of the path: no slash, not empty, not `.` or `..`.
    let name: String

    /// The open directory alone; the receiver closes it.
    consuming func takeDescriptor() -> Int32 {
        descriptor.release()
    }
}
