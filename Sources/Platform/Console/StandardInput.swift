import Glibc

/// Standard input.
package enum StandardInput {
    /// Reads to the end.
    ///
    /// - Parameter limit: the most bytes that are taken.
    /// - Returns: all bytes.
    /// - Throws: EFBIG beyond `limit` bytes, and what the system says.
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
