import Glibc
import MDCPlatform

extension Root {
    /// Replaces the content of a file atomically; a link of that name is replaced, not followed.
    ///
    /// The content is written to a temporary file in the same directory, which is renamed when it is complete. On any
    /// error, a full disk included, the old file is unchanged and the temporary file is removed.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - bytes: the content.
    ///   - mode: the permission bits, set before any content is written, whatever the umask is.
    ///   - owner: user and group, set before any content is written; `nil` for those of this process.
    ///   - durable: whether file and directory are on disk when this returns.
    ///   - syncsDirectory: whether the directory is synced; if not, call ``syncDirectory(_:)`` after many files.
    ///   - modified: the time of modification of the new file; `nil` for now.
    /// - Throws: errors of the file system, after which the old file is unchanged.
    package func replace(
        _ path: String, with bytes: [UInt8], mode: UInt32, owner: (user: UInt32, group: UInt32)? = nil,
        durable: Bool = true, syncsDirectory: Bool = true, modified: Timestamp? = nil
    ) throws(SystemError) {
        try replace(
            path, withPieces: CollectionOfOne(bytes), mode: mode, owner: owner, durable: durable,
            syncsDirectory: syncsDirectory, modified: modified)
    }

    /// Replaces the content of a file atomically with pieces that are made and written one after the other.
    package func replace(
        _ path: String, withPieces pieces: some Sequence<[UInt8]>, mode: UInt32,
        owner: (user: UInt32, group: UInt32)? = nil, durable: Bool = true, syncsDirectory: Bool = true,
        modified: Timestamp? = nil
    ) throws(SystemError) {
        try parent(of: path, "replace", flags: OpenMode.directory.flags).replace(
            withPieces: pieces, mode: mode, owner: owner, durable: durable, syncsDirectory: syncsDirectory,
            modified: modified, shown: display(path))
    }

    /// Removes what killed processes left behind while they replaced files.
    ///
    /// - Parameters:
    ///   - path: the directory of the files.
    ///   - seconds: how long ago a temporary file must have changed last. 0 if the caller holds the lock under which the
    ///     files are replaced, so that none is in use.
    ///   - isTarget: whether a name is that of such a file.
    /// - Throws: the first failure to list, examine or remove.
    package func removeLeftovers(
        in path: String, unchangedFor seconds: Int64 = 0, of isTarget: (String) -> Bool
    ) throws(SystemError) {
        let directory = try resolve(path, flags: OpenMode.directory.flags)
        let raw = directory.raw
        for name in try FileDescriptor.names(in: raw, inOrder: false, shown: display(path)) {
            guard let target = TemporaryFile.target(of: name), isTarget(target) else { continue }
            let shown = display("\(path)/\(name)")
            let status = try FileDescriptor.status(of: name, in: raw, followingLinks: false, shown: shown)
            let age = Clock.now().microseconds / 1_000_000 - status.changed / 1_000_000_000
            guard status.kind == .regular, seconds == 0 || age >= seconds else { continue }
            // The string is valid for the duration of the call, which does not store a pointer to it.
            try SystemCall.run("remove", shown) { unsafe unlinkat(raw, name, 0) }
        }
    }

    /// Waits until the names in a directory are on disk.
    package func syncDirectory(_ path: String) throws(SystemError) {
        let directory = try resolve(path, flags: OpenMode.directory.flags)
        try directory.syncDirectory(shown: display(path))
    }

    /// Removes a file or a link, not what it leads to.
    package func remove(_ path: String) throws(SystemError) {
        let parent = try parent(of: path, "remove")
        let directory = parent.descriptor.raw
        // The string is valid for the duration of the call, which does not store a pointer to it.
        try SystemCall.run("remove", display(path)) { unsafe unlinkat(directory, parent.name, 0) }
    }

    /// Removes an empty directory.
    package func removeDirectory(_ path: String) throws(SystemError) {
        let parent = try parent(of: path, "remove")
        let directory = parent.descriptor.raw
        // The string is valid for the duration of the call, which does not store a pointer to it.
        try SystemCall.run("remove", display(path)) { unsafe unlinkat(directory, parent.name, AT_REMOVEDIR) }
    }

    /// Renames a file within its file system.
    ///
    /// - Throws: EEXIST if the new name exists and `replacing` is false.
    package func rename(_ from: String, to: String, replacing: Bool) throws(SystemError) {
        let source = try parent(of: from, "rename")
        let target = try parent(of: to, "rename")
        let (first, second) = (source.descriptor.raw, target.descriptor.raw)
        // In all calls below the strings are valid for the duration of the call, which does not store a pointer to
        // them.
        if replacing {
            try SystemCall.run("rename", display(from)) { unsafe renameat(first, source.name, second, target.name) }
            return
        }
        do {
            try SystemCall.run("rename", display(from)) {
                unsafe cplatform_rename_new(first, source.name, second, target.name)
            }
        } catch {
            // File systems without RENAME_NOREPLACE: a second link also fails if the name exists.
            guard error.code == EINVAL || error.code == ENOSYS else { throw error }
            try SystemCall.run("rename", display(from)) {
                unsafe linkat(first, source.name, second, target.name, 0)
            }
            try SystemCall.run("rename", display(from)) { unsafe unlinkat(first, source.name, 0) }
        }
    }

    /// Creates a directory and the missing ones above it, all with this mode whatever the umask is.
    ///
    /// The mode of an existing directory is not changed.
    package func createDirectory(_ path: String, mode: UInt32) throws(SystemError) {
        let shown = display(path)
        let trimmed = RootPath.trimmed(path)
        if RootPath.relative(trimmed) == "." { return }
        if let status = try? status(trimmed, followingLinks: true), status.kind == .directory { return }
        if let (above, _) = RootPath.split(trimmed), !above.isEmpty { try createDirectory(above, mode: mode) }
        let parent = try parent(of: trimmed, "make the directory", flags: OpenMode.directory.flags)
        let directory = parent.descriptor.raw
        do {
            // The string is valid for the duration of the call, which does not store a pointer to it.
            try SystemCall.run("make the directory", shown) { unsafe mkdirat(directory, parent.name, mode & 0o777) }
        } catch {
            // Another process may have created it meanwhile, which is no error.
            if error.code == EEXIST, let status = try? status(trimmed, followingLinks: true), status.kind == .directory
            {
                return
            }
            throw error
        }
        let made = try FileDescriptor.open(
            parent.name, in: directory, flags: OpenMode.directory.flags | O_NOFOLLOW, shown: shown)
        // A folder inherits the set-group-ID bit, which the kernel clears if a process outside of the group sets the
        // mode.
        if try made.status(shown: shown).mode & 0o7777 != mode & 0o7777 {
            try SystemCall.run("change the mode of", shown) { fchmod(made.raw, mode & 0o7777) }
        }
        try parent.descriptor.syncDirectory(shown: shown)
    }
}

extension ParentDirectory {
    /// Replaces the content of a file atomically, as ``Root/replace(_:with:mode:owner:durable:syncsDirectory:modified:)``
    /// does.
    borrowing func replace(
        withPieces pieces: some Sequence<[UInt8]>, mode: UInt32, owner: (user: UInt32, group: UInt32)?,
        durable: Bool = true, syncsDirectory: Bool = true, modified: Timestamp? = nil, shown: String
    ) throws(SystemError) {
        let directory = descriptor.raw
        let file = try TemporaryFile.create(for: name, in: directory, shown: shown)
        let (raw, temporary) = (file.descriptor.raw, file.name)
        do {
            if let owner {
                try SystemCall.run("change the owner of", shown) { fchown(raw, owner.user, owner.group) }
            }
            try SystemCall.run("change the mode of", shown) { fchmod(raw, mode & 0o7777) }
            for piece in pieces { try file.descriptor.write(piece, shown: shown) }
            if let modified {
                let (seconds, rest) = modified.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
                let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(max(rest, 0)) * 1_000)
                // Both times, of access and of modification, live for the duration of the call.
                try SystemCall.run("set the time of", shown) { unsafe futimens(raw, [time, time]) }
            }
            if durable { try SystemCall.run("sync", shown) { fsync(raw) } }
            // Both strings are valid for the duration of the call, which does not store a pointer to them.
            try SystemCall.run("replace", shown) { unsafe renameat(directory, temporary, directory, name) }
        } catch {
            // The first failure is the one to report; the text lives for the duration of the call.
            _ = unsafe unlinkat(directory, temporary, 0)
            throw error
        }
        if durable, syncsDirectory { try descriptor.syncDirectory(shown: shown) }
    }
}

extension Root {
    /// Creates a hard link, whose name must not exist; a symbolic link is not followed.
    package func link(_ from: String, as to: String) throws(SystemError) {
        let source = try parent(of: from, "link")
        let target = try parent(of: to, "link")
        let (first, second) = (source.descriptor.raw, target.descriptor.raw)
        // Both strings are valid for the duration of the call, which does not store a pointer to them.
        try SystemCall.run("link", display(from)) { unsafe linkat(first, source.name, second, target.name, 0) }
    }
}

extension Root {
    /// Replaces a file by a symbolic link atomically.
    ///
    /// `target` is stored as it is and not checked. The link is on disk when this returns.
    package func replaceWithLink(_ path: String, to target: String) throws(SystemError) {
        let shown = display(path)
        let parent = try parent(of: path, "link", flags: OpenMode.directory.flags)
        let directory = parent.descriptor.raw
        try SystemCall.checkPath(target, "link", shown: shown)
        // The random name of a temporary file is free again once the file is removed, and no other process picks the
        // same one.
        let file = try TemporaryFile.create(for: parent.name, in: directory, shown: shown)
        let temporary = file.name
        // In all calls below the strings are valid for the duration of the call, which does not store a pointer to
        // them.
        _ = unsafe unlinkat(directory, temporary, 0)
        do {
            try SystemCall.run("link", shown) { unsafe symlinkat(target, directory, temporary) }
            try SystemCall.run("link", shown) { unsafe renameat(directory, temporary, directory, parent.name) }
        } catch {
            _ = unsafe unlinkat(directory, temporary, 0)
            throw error
        }
        try parent.descriptor.syncDirectory(shown: shown)
    }
}

/// Calls that replace a directory as a whole.
extension Root {
    /// Exchanges two names in one step.
    ///
    /// Each then has what the other had. Links are not followed.
    ///
    /// - Throws: EINVAL, ENOSYS or EOPNOTSUPP if the file system cannot exchange names, EBUSY if one is a mount point.
    package func exchange(_ one: String, with other: String) throws(SystemError) {
        let first = try parent(of: one, "exchange")
        let second = try parent(of: other, "exchange")
        let (from, to) = (first.descriptor.raw, second.descriptor.raw)
        // Both strings are valid for the duration of the call, which does not store a pointer to them.
        try SystemCall.run("exchange", display(other)) {
            unsafe cplatform_rename_exchange(from, first.name, to, second.name)
        }
    }

    /// Whether a directory is a mount point, a link not followed; false if the kernel does not report it.
    package func isMountPoint(_ path: String) throws(SystemError) -> Bool {
        let directory = try resolve(path, flags: OpenMode.lookup.flags | O_DIRECTORY | O_NOFOLLOW)
        return cplatform_is_mount(directory.raw) == 1
    }

    /// Removes a directory with the files and links in it; does nothing if the name is free.
    ///
    /// - Throws: ENOTDIR if the name is a link or a file, EISDIR if the directory holds another directory.
    package func removeDirectoryWithFiles(_ path: String) throws(SystemError) {
        do {
            let directory = try resolve(path, flags: OpenMode.directory.flags | O_NOFOLLOW)
            let raw = directory.raw
            for name in try FileDescriptor.names(in: raw, shown: display(path)) {
                // The string is valid for the duration of the call, which does not store a pointer to it.
                try SystemCall.run("remove", display("\(path)/\(name)")) { unsafe unlinkat(raw, name, 0) }
            }
        } catch {
            if error.code == ENOENT, !mayExist(path) { return }
            throw error
        }
        try removeDirectory(path)
    }
}

extension Root {
    /// Gives a directory to a user and a group; a link as the last name is followed.
    package func changeOwner(ofDirectory path: String, user: UInt32, group: UInt32) throws(SystemError) {
        let descriptor = try open(path, .directory)
        let raw = descriptor.raw
        try SystemCall.run("change the owner of", display(path)) { fchown(raw, user, group) }
    }

    /// Gives a socket to a user; a link is not followed as the last name.
    package func changeOwner(ofSocket path: String, user: UInt32) throws(SystemError) {
        let parent = try parent(of: path, "change the owner of")
        let (directory, name) = (parent.descriptor.raw, parent.name)
        // The string is valid for the duration of the call, which does not store a pointer to it.
        try SystemCall.run("change the owner of", display(path)) {
            unsafe fchownat(directory, name, user, gid_t.max, AT_SYMLINK_NOFOLLOW)
        }
    }
}
