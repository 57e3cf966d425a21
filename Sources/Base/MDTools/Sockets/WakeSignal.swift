import Glibc
import MDCPlatform
package import MDPlatform

/// A descriptor that threads of this process make readable, so that one that waits for many descriptors wakes up.
package final class WakeSignal: Sendable {
    /// The number that the kernel knows it by, to wait for.
    package let raw: Int32

    /// Makes a descriptor that is not readable yet.
    package init() throws(SystemError) {
        raw = try SystemCall.run("make", "a counter") { cplatform_eventfd() }
    }

    deinit {
        _ = close(raw)
    }

    /// Makes the descriptor readable.
    package func raise() { cplatform_eventfd_add(raw) }

    /// Makes it unreadable until it is raised again.
    package func reset() { cplatform_eventfd_reset(raw) }
}
