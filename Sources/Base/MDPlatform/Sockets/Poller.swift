import Glibc
import MDCPlatform

/// Waits for many descriptors at once (epoll, level-triggered).
package struct Poller: ~Copyable {
    /// A descriptor that is ready.
    package struct Event: Hashable, Sendable {
        /// The descriptor.
        package let raw: Int32
        /// Whether it can be read, or has ended.
        package let isReadable: Bool
        /// Whether it can be written, or has ended.
        package let isWritable: Bool
    }

    /// The most events of one wait.
    private static let capacity = 64

    /// The epoll instance.
    private let descriptor: FileDescriptor

    /// Makes a poller without descriptors.
    package init() throws(SystemError) {
        descriptor = FileDescriptor(owning: try SystemCall.run("wait for", "connections") { cplatform_poller() })
    }

    /// Adds a descriptor; closing it ends the watch.
    package borrowing func add(_ raw: Int32) throws(SystemError) {
        let poller = descriptor.raw
        try SystemCall.run("wait for", "a connection") { cplatform_poller_change(poller, 0, raw, 1, 0) }
    }

    /// Changes what a descriptor is watched for; its end is reported in any case.
    package borrowing func watch(_ raw: Int32, reading: Bool, writing: Bool) {
        _ = cplatform_poller_change(descriptor.raw, 1, raw, reading ? 1 : 0, writing ? 1 : 0)
    }

    /// Ends the watch of a descriptor that stays open.
    package borrowing func remove(_ raw: Int32) {
        _ = cplatform_poller_change(descriptor.raw, 2, raw, 0, 0)
    }

    /// Waits until a descriptor is ready.
    ///
    /// - Parameter milliseconds: the longest wait; `nil` for no limit.
    /// - Returns: the descriptors that are ready; empty after that time, or if a signal arrived.
    package borrowing func wait(milliseconds: Int?) -> [Event] {
        let poller = descriptor.raw
        let limit = milliseconds.map { Int32(min(max($0, 0), 86_400_000)) } ?? -1
        // The buffer has `capacity` entries, the call writes at most that many and returns how many.
        let ready = unsafe [cplatform_ready](unsafeUninitializedCapacity: Poller.capacity) { buffer, count in
            count = max(
                0, Int(unsafe cplatform_poller_wait(poller, buffer.baseAddress, Int32(Poller.capacity), limit)))
        }
        return ready.map {
            Event(raw: $0.descriptor, isReadable: $0.flags & 5 != 0, isWritable: $0.flags & 6 != 0)
        }
    }
}
