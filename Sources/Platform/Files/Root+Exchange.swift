import CPlatform
import Glibc

/// What replaces a directory as a whole.
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
        // Both texts live for the duration of the call, which keeps no pointer to them.
        try SystemCall.run("exchange", display(other)) {
            unsafe cplatform_rename_exchange(from, first.name, to, second.name)
        }
    }

    /// Whether something is mounted at a directory, a link not followed; false if the kernel does not tell.
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
                // The text lives for the duration of the call, which keeps no pointer to it.
                try SystemCall.run("remove", display("\(path)/\(name)")) { unsafe unlinkat(raw, name, 0) }
            }
        } catch {
            if error.code == ENOENT, !mayHave(path) { return }
            throw error
        }
        try removeDirectory(path)
    }
}
