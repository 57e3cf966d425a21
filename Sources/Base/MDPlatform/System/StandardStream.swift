import Glibc

/// Standard output and standard error.
package enum StandardStream: Int32, Sendable {
    /// For results, which other programs read.
    case output = 1
    /// For messages to people.
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

    /// How many columns the terminal has; `nil` if the stream is not a terminal, or the terminal does not report it.
    package var columns: Int? {
        var size = winsize()
        // The kernel fills the structure, whose type belongs to the request, during the call.
        guard unsafe ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

/// Standard input.
package enum StandardInput {
    /// Reads to the end.
    ///
    /// - Parameter limit: the most bytes that are read.
    /// - Returns: all bytes.
    /// - Throws: EFBIG beyond `limit` bytes, and errors of read(2).
    package static func readAll(limit: Int) throws(SystemError) -> [UInt8] {
        var result: [UInt8] = []
        while true {
            var code: Int32 = 0
            // The buffer has as many bytes as the call may write, and the call returns how many it wrote.
            let part = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                let length = unsafe read(0, buffer.baseAddress, 65_536)
                if length < 0 { code = errno }
                count = max(length, 0)
            }
            if code == EINTR { continue }
            if code != 0 { throw SystemError(operation: "read", path: "standard input", code: code) }
            if part.isEmpty { return result }
            result += part
            if result.count > limit {
                throw SystemError(
                    operation: "read", path: "standard input", code: EFBIG,
                    reason: "it is larger than \(limit) bytes")
            }
        }
    }
}
