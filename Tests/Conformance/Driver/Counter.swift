import Synchronization

/// Counts what several threads tell.
package final class Counter: Sendable {
    /// How much was told.
    private let number = Mutex(0)

    /// Makes a counter at 0.
    package init() {}

    /// How much was told.
    package var count: Int { number.withLock { $0 } }

    /// Counts one.
    package func increase() {
        number.withLock { $0 += 1 }
    }
}
