import Synchronization

/// Why a write was refused, as another thread may tell.
final class Refusal: Sendable {
    /// The reason.
    private let reason = Mutex<String?>(nil)

    /// Notes a reason.
    func set(_ text: String) {
        reason.withLock { $0 = text }
    }

    /// Takes the reason, once.
    func take() -> String? {
        reason.withLock { reason in
            defer { reason = nil }
            return reason
        }
    }
}
