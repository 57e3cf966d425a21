import Glibc

/// The thread that asks.
package enum CurrentThread {
    /// A number that no other living thread of the process has; never 0.
    package static var id: UInt { UInt(pthread_self()) }
}
