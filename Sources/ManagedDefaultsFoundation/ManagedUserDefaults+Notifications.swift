import Foundation
import ManagedDefaults
import Platform

extension ManagedUserDefaults {
    /// An object as its own observer knows it; sound for the same reason, and written before the observer has it.
    private final class WeakBox: @unchecked Sendable {
        /// The object, while it lives.
        weak var object: ManagedUserDefaults?

        /// Looks at an object.
        init(_ object: ManagedUserDefaults) {
            self.object = object
        }
    }

    /// Begins to post a notification for each change.
    func observe() {
        let box = WeakBox(self)
        observation = managed.observe { _ in box.object?.post() }
    }

    /// Posts one notification.
    private func post() {
        posted.withLock { $0 &+= 1 }
        NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: self)
    }

    /// Writes a whole domain, and posts a notification where that is changed but not searched.
    func write(_ name: String, _ body: () -> ManagedDefaults.DomainOutcome) {
        let before = posted.withLock { $0 }
        let outcome = body()
        let isChanged = outcome.outcomes.values.contains(.stored)
        if isChanged, posted.withLock({ $0 == before }) { post() }
        if let message = outcome.message { report(name, .invalid(message)) }
        for (key, outcome) in outcome.outcomes { report(key, outcome) }
    }

    /// Tells of an outcome, unless the write is in effect.
    func report(_ name: String, _ outcome: ManagedDefaults.WriteOutcome) {
        guard !outcome.isInEffect else { return }
        onRefusal?(name, outcome)
    }
}
