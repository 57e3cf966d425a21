import Platform
import PropertyList

/// Somebody who is told of changes.
package final class ChangeObserver: Sendable {
    /// The key that is observed, byte for byte; `nil` for every key.
    let key: Key?
    /// What is called.
    private let handler: @Sendable (EffectiveChange) -> Void
    /// Whether nobody cancelled.
    private let isActive = Guarded(true)

    /// Makes an observer.
    init(_ key: Key?, _ handler: @escaping @Sendable (EffectiveChange) -> Void) {
        self.key = key
        self.handler = handler
    }

    /// Ends the observation; on other threads a call that is under way may still end.
    package func cancel() {
        isActive.withLock { $0 = false }
    }

    /// Tells of a change, where nobody cancelled.
    func tell(_ change: EffectiveChange) {
        if isActive.withLock({ $0 }) { handler(change) }
    }
}
