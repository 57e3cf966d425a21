import Glibc
import MDCPlatform
package import MDPlatform

/// Messages that carry a descriptor.
extension MessageSocket {
    /// Sends a message with the descriptor of a process, without waiting.
    ///
    /// - Returns: whether it was sent.
    package borrowing func send(_ bytes: [UInt8], with process: borrowing ProcessHandle) -> Bool {
        let (socket, descriptor) = (raw, process.raw)
        // The pointer is used during the call only, for the bytes that the array has.
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe cplatform_send_descriptor(socket, bytes.baseAddress, bytes.count, descriptor) == 0
        }
    }

    /// Receives the next message without waiting, with the descriptor that came with it.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of a message.
    ///   - process: what came with the message; `nil` if nothing did, or more than one descriptor.
    /// - Returns: the message, or why there is none.
    package borrowing func receive(limit: Int, with process: inout ProcessHandle?) -> Reception {
        let (raw, capacity) = (raw, max(limit, 1))
        var (length, isCut, descriptor, isMissing) = (0, Int32(0), Int32(-1), false)
        // The buffer has `capacity` bytes, the call writes at most that many and returns how many.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            length = unsafe cplatform_receive_descriptor(raw, buffer.baseAddress, capacity, &isCut, &descriptor)
            if length < 0 { isMissing = SystemError(operation: "", path: "", code: errno).isFull }
            count = max(length, 0)
        }
        process = descriptor >= 0 ? ProcessHandle(FileDescriptor(owning: descriptor)) : nil
        if length < 0 { return isMissing ? .nothing : .closed }
        if isCut != 0 { return .tooLong }
        return length == 0 ? .closed : .message(bytes)
    }
}
