import Platform
import PropertyList

/// Failures by what they say of a name.
extension SourceFolder {
    /// Whether a name could not be read because of what has it, and not because of the moment or of who asks: it is no
    /// policy before somebody changes it, like a file that is broken.
    ///
    /// What has the name is asked for itself, because opening it fails in many ways: a socket with ENXIO, a device with
    /// ENODEV, EIO or EACCES, and a directory with EACCES for whoever may not list it.
    ///
    /// | failure | why | for good |
    /// | --- | --- | --- |
    /// | any | a directory, fifo, socket or device, or a link to one | yes |
    /// | ENOENT, ENOTDIR | a link to nothing | yes |
    /// | ELOOP | links in a circle, or too many of them | yes |
    /// | ENAMETOOLONG | a link to a name that no file can have | yes |
    /// | EFBIG | more bytes than are read of any file | yes |
    /// | not trusted | somebody who must not may write it | yes |
    /// | EACCES, EPERM | somebody else may read it, and it may be good | no |
    /// | EIO, ESTALE, ETIMEDOUT, ENOTCONN, EHOSTDOWN | the disk or its server, or a change meanwhile | no |
    /// | EMFILE, ENFILE, ENOMEM, ENOBUFS | this process or the machine lacks something | no |
    /// | EINTR, EAGAIN, EBUSY, ETXTBSY | another moment | no |
    /// | any other | nobody can tell | no |
    ///
    /// - Parameters:
    ///   - error: why the file was not read.
    ///   - name: the name.
    ///   - path: its path beneath the root.
    ///   - root: the root.
    /// - Returns: whether trying again can find no policy. What stands for the directory has only files that were good
    ///   once, so nothing but a missing one is final there.
    func isFinal(_ error: TrustError, of name: String, at path: String, root: Root) -> Bool {
        if error.isMissing || error.isUntrusted { return true }
        guard case .directory(let directory) = self, case .system(let cause) = error else { return false }
        if cause.isLoop || cause.isNameTooLong || cause.isTooLarge { return true }
        guard var kind = try? directory.status(name).kind else { return false }
        if kind == .link {
            guard let target = try? root.status(path, followingLinks: true) else { return false }
            kind = target.kind
        }
        return kind != .regular
    }
}
