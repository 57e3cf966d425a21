import Glibc
import MDCPlatform

/// What a child of fork(2) knows of it.
package enum Fork {
    /// A number that differs in a child that fork(2) made; costs no call.
    package static var generation: UInt32 { cplatform_fork_generation() }

    /// The thread that called fork(2), which is the only one that a child has of its parent; 0 in the first process.
    static var thread: UInt { cplatform_forking_thread() }

    /// Closes a descriptor in each child that fork(2) makes, until ``keepInChild(_:)``.
    package static func closeInChild(_ descriptor: Int32) { cplatform_close_in_child(descriptor) }

    /// Ends that, before the descriptor is closed.
    package static func keepInChild(_ descriptor: Int32) { cplatform_keep_in_child(descriptor) }
}
