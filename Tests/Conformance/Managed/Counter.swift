import Synchronization

/// Counts what several threads tell.
final class Counter: Sendable {
    /// How much was told.
    private let number = Mutex(0)

    /// How much was told.
    var count: Int { number.withLock { $0 } }

    /// Counts one.
    func increase() {
        number.withLock { $0 += 1 }
    }
}
