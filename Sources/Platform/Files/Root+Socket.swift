import CPlatform
import Glibc

extension Root {
    /// Hands one message to whoever listens on a socket beneath the root, without waiting and without keeping anything open.
    ///
    /// A datagram, or, where the socket takes connections only, the message over one.
    ///
    /// - Parameters:
    ///   - message: the message; an empty one only asks whether somebody listens.
    ///   - path: the socket; links are followed, beneath the root.
    /// - Throws: where nobody listens, the socket is full, or something else stands there.
    package func send(_ message: [UInt8], toSocket path: String) throws(SystemError) {
        if isSystem {
            try Root.send(message, to: display(path), shown: display(path))
            return
        }
        // An address holds few bytes and knows no root: the kernel's own name for the socket leads to no other.
        let socket = try resolve(path, flags: OpenMode.lookup.flags)
        try Root.send(message, to: "/proc/self/fd/\(socket.raw)", shown: display(path))
    }

    /// Sends a message to an address.
    private static func send(_ message: [UInt8], to address: String, shown: String) throws(SystemError) {
        try SystemCall.checkPath(address, "write to", shown: shown)
        for isStream in [false, true] {
            // Text and bytes live for the duration of the call, which keeps no pointer to them.
            let code = unsafe message.withUnsafeBytes { bytes in
                unsafe cplatform_send_to_socket(address, isStream ? 1 : 0, bytes.baseAddress, bytes.count)
            }
            if code == 0 { return }
            if code == EPROTOTYPE, !isStream { continue }
            throw SystemError(operation: "write to", path: shown, code: code)
        }
    }
}
