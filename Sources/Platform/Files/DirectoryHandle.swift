import Glibc

/// An open directory and its path beneath the root without any link in it, shared among those who walk through it.
final class DirectoryHandle: Sendable {
    /// The number that the kernel knows it by; `O_PATH` is enough.
    let raw: Int32
    /// The real path beneath the root: empty for the root itself, else with a slash at its beginning.
    let path: String

    /// Takes over an open directory.
    init(owning descriptor: consuming FileDescriptor, path: String) {
        raw = descriptor.release()
        self.path = path
    }

    deinit {
        _ = close(raw)
    }
}
