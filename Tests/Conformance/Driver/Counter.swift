import Synchronization

/// Counts what several threads tell.
///
/// Atomic, because the thread sanitizer understands that and not `Synchronization.Mutex`.
package final class Counter: Sendable {
    /// How much was told.
    private let number = Atomic(0)

    /// Makes a counter at 0.
    package init() {}

    /// How much was told.
    package var count: Int { number.load(ordering: .sequentiallyConsistent) }

    /// Counts one.
    package func increase() {
        number.add(1, ordering: .sequentiallyConsistent)
    }
}
