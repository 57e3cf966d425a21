import Glibc

/// An open file, closed when its value goes out of scope.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number that the kernel knows it by.
    package let raw: Int32

    /// Takes over an open descriptor.
    package init(owning raw: Int32) {
        self.raw = raw
    }

    deinit {
        // The kernel releases the number even where it reports an error, so there is nothing to repeat.
        _ = close(raw)
    }

    /// Gives the number away; the receiver closes it.
    package consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }
}
