import Glibc
import MDCPlatform
package import MDPlatform

/// A request to end, as a descriptor that is readable once there is one.
package final class StopSignal: Sendable {
    /// The descriptor.
    private let descriptor: Int32
    /// Whether it is a counter that ``stop()`` raises.
    private let isCounter: Bool

    /// The number that the kernel knows it by.
    package var raw: Int32 { descriptor }

    /// Makes a request for a part of this process, which ``stop()`` makes.
    package init() throws(SystemError) {
        descriptor = try SystemCall.run("make", "a counter") { cplatform_eventfd() }
        isCounter = true
    }

    /// Takes over the signals SIGTERM and SIGINT of the process, which no longer end it by themselves.
    ///
    /// Call before threads are started.
    ///
    /// - Returns: the request that these signals make.
    /// - Throws: if the process has no descriptor left.
    package static func ofTheProcess() throws(SystemError) -> StopSignal {
        StopSignal(
            ofSignals: try SystemCall.run("take over", "the signals of the process") { cplatform_end_signals() })
    }

    private init(ofSignals descriptor: Int32) { (self.descriptor, isCounter) = (descriptor, false) }

    deinit {
        _ = close(descriptor)
    }

    /// Makes the request; only for one that is not a signal.
    package func stop() {
        if isCounter { cplatform_eventfd_add(descriptor) }
    }
}
