import CPlatform
import Glibc

extension Root {
    /// Puts new content in place of a file, whole or not at all; a link of that name is replaced, not followed.
    ///
    /// The content goes to a temporary file in the same directory, which takes the name once it is whole. On any failure,
    /// a full disk included, the old file is what it was and the temporary file is gone.
    /// Owner, where one is given, and mode are set before any content is written, whatever the umask says. `durable` says
    /// whether file and directory are on disk when this returns; without `syncsDirectory` the directory is left to
    /// ``syncDirectory(_:)``, behind many files. With `modified` the file says that it was modified then.
    package func replace(
        _ path: String, with bytes: [UInt8], mode: UInt32, owner: (user: UInt32, group: UInt32)? = nil,
        durable: Bool = true, syncsDirectory: Bool = true, modified: Timestamp? = nil
    ) throws(SystemError) {
        let shown = display(path)
        let parent = try parent(of: path, "replace", flags: OpenMode.directory.flags)
        let directory = parent.descriptor.raw
        let file = try TemporaryFile(for: parent.name, in: directory, shown: shown)
        let (raw, temporary) = (file.descriptor.raw, file.name)
        do {
            if let owner {
                try SystemCall.run("change the owner of", shown) { fchown(raw, owner.user, owner.group) }
            }
            try SystemCall.run("change the mode of", shown) { fchmod(raw, mode & 0o7777) }
            try file.descriptor.write(bytes, shown: shown)
            if let modified {
                let (seconds, rest) = modified.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
                let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(max(rest, 0)) * 1_000)
                // Both times, of access and of modification, live for the duration of the call.
                try SystemCall.run("set the time of", shown) { unsafe futimens(raw, [time, time]) }
            }
            if durable { try SystemCall.run("sync", shown) { fsync(raw) } }
            // Both texts live for the duration of the call, which keeps no pointer to them.
            try SystemCall.run("replace", shown) { unsafe renameat(directory, temporary, directory, parent.name) }
        } catch {
            // The first failure is the one to report; the text lives for the duration of the call.
            _ = unsafe unlinkat(directory, temporary, 0)
            throw error
        }
        if durable, syncsDirectory { try parent.descriptor.syncDirectory(shown: shown) }
    }

    /// Removes what killed processes left behind while they replaced files.
    ///
    /// - Parameters:
    ///   - names: the names of the files that are replaced. The caller holds the lock under which that is done, so that
    ///     no temporary file for them is in use.
    ///   - path: the directory of the files.
    /// - Throws: the first failure to list or to remove.
    package func removeLeftovers(of names: [String], in path: String) throws(SystemError) {
        let directory = try resolve(path, flags: OpenMode.directory.flags)
        let raw = directory.raw
        for name in try FileDescriptor.names(in: raw, inOrder: false, shown: display(path))
        where names.contains(where: { TemporaryFile.isName(name, for: $0) }) {
            // The text lives for the duration of the call, which keeps no pointer to it.
            try SystemCall.run("remove", display("\(path)/\(name)")) { unsafe unlinkat(raw, name, 0) }
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
        // The text lives for the duration of the call, which keeps no pointer to it.
        try SystemCall.run("remove", display(path)) { unsafe unlinkat(directory, parent.name, 0) }
    }

    /// Removes an empty directory.
    package func removeDirectory(_ path: String) throws(SystemError) {
        let parent = try parent(of: path, "remove")
        let directory = parent.descriptor.raw
        // The text lives for the duration of the call, which keeps no pointer to it.
        try SystemCall.run("remove", display(path)) { unsafe unlinkat(directory, parent.name, AT_REMOVEDIR) }
    }

    /// Gives a file another name on the same file system.
    ///
    /// - Throws: EEXIST where the new name is taken and `replacing` is false.
    package func rename(_ from: String, to: String, replacing: Bool) throws(SystemError) {
        let source = try parent(of: from, "rename")
        let target = try parent(of: to, "rename")
        let (first, second) = (source.descriptor.raw, target.descriptor.raw)
        // In all calls below the texts live for the duration of the call, which keeps no pointer to them.
        if replacing {
            try SystemCall.run("rename", display(from)) { unsafe renameat(first, source.name, second, target.name) }
            return
        }
        do {
            try SystemCall.run("rename", display(from)) {
                unsafe cplatform_rename_new(first, source.name, second, target.name)
            }
        } catch {
            // File systems without RENAME_NOREPLACE: a second link fails as well where the name is taken.
            guard error.code == EINVAL || error.code == ENOSYS else { throw error }
            try SystemCall.run("rename", display(from)) {
                unsafe linkat(first, source.name, second, target.name, 0)
            }
            try SystemCall.run("rename", display(from)) { unsafe unlinkat(first, source.name, 0) }
        }
    }

    /// Makes a directory, and those above it where they are missing, all with this mode whatever the umask says.
    ///
    /// A directory that is there already keeps its mode.
    package func createDirectory(_ path: String, mode: UInt32) throws(SystemError) {
        let shown = display(path)
        let trimmed = RootPath.trimmed(path)
        if RootPath.relative(trimmed) == "." { return }
        if let status = try? status(trimmed, followingLinks: true), status.kind == .directory { return }
        if let (above, _) = RootPath.split(trimmed), !above.isEmpty { try createDirectory(above, mode: mode) }
        let parent = try parent(of: trimmed, "make the directory", flags: OpenMode.directory.flags)
        let directory = parent.descriptor.raw
        do {
            // The text lives for the duration of the call, which keeps no pointer to it.
            try SystemCall.run("make the directory", shown) { unsafe mkdirat(directory, parent.name, 0o700 & mode) }
        } catch {
            // Another process may have made it meanwhile, which is as good.
            if error.code == EEXIST, let status = try? status(trimmed, followingLinks: true), status.kind == .directory
            {
                return
            }
            throw error
        }
        let made = try FileDescriptor.open(
            parent.name, in: directory, flags: OpenMode.directory.flags | O_NOFOLLOW, shown: shown)
        try SystemCall.run("change the mode of", shown) { fchmod(made.raw, mode & 0o7777) }
        try parent.descriptor.syncDirectory(shown: shown)
    }
}

extension Root {
    /// Gives a file a second name, which must not be taken; a link is not followed.
    package func link(_ from: String, as to: String) throws(SystemError) {
        let source = try parent(of: from, "link")
        let target = try parent(of: to, "link")
        let (first, second) = (source.descriptor.raw, target.descriptor.raw)
        // Both texts live for the duration of the call, which keeps no pointer to them.
        try SystemCall.run("link", display(from)) { unsafe linkat(first, source.name, second, target.name, 0) }
    }
}

extension Root {
    /// Puts a symbolic link in place of whatever file has the name, whole or not at all.
    ///
    /// `target` is stored as it is and not looked at. The link is on disk when this returns.
    package func replaceWithLink(_ path: String, to target: String) throws(SystemError) {
        let shown = display(path)
        let parent = try parent(of: path, "link", flags: OpenMode.directory.flags)
        let directory = parent.descriptor.raw
        try SystemCall.checkPath(target, "link", shown: shown)
        // The name of a temporary file is free again once that is removed, and nobody else draws the same.
        let file = try TemporaryFile(for: parent.name, in: directory, shown: shown)
        let temporary = file.name
        // In all calls below the texts live for the duration of the call, which keeps no pointer to them.
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
