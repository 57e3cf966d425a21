import Glibc

/// Standard output and standard error.
package enum StandardStream: Int32, Sendable {
    /// What programs read.
    case output = 1
    /// What people are told beside it.
    case error = 2

    /// Writes all bytes.
    ///
    /// - Parameter bytes: what is written.
    /// - Throws: the error of the system: a closed pipe, a full disk.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        var offset = 0
        while offset < bytes.count {
            // The pointer is used during the call only, for the bytes that the array has.
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(rawValue, buffer.baseAddress.map { unsafe $0 + offset }, bytes.count - offset)
            }
            if count < 0 {
                let code = errno
                if code == EINTR { continue }
                throw SystemError(
                    operation: "write to", path: self == .output ? "standard output" : "standard error", code: code)
            }
            offset += count
        }
    }

    /// Whether the stream is a terminal.
    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// How many columns the terminal has; `nil` where the stream is none, or one that does not say.
    package var columns: Int? {
        var size = winsize()
        // The kernel fills the structure, which has the type that the request is for, during the call.
        guard unsafe ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
