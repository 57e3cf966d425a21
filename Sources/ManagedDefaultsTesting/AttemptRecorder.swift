import Audit
import Engine
import ManagedDefaults
import Platform

/// An audit log that a test looks at.
final class AttemptRecorder: AttemptSink {
    /// The attempts, oldest first.
    private let state = Guarded<[ManagedDefaults.TestBed.Attempt]>([])

    /// The attempts, oldest first.
    var attempts: [ManagedDefaults.TestBed.Attempt] { state.withLock { $0 } }

    /// Forgets the attempts.
    func forget() {
        state.withLock { $0 = [] }
    }

    /// Keeps an attempt; the record of it says no more.
    func report(_ attempt: OverrideAttempt, as record: AuditRecord) -> Delivery {
        let attempt = ManagedDefaults.TestBed.Attempt(attempt)
        return state.withLock { attempts in
            attempts.append(attempt)
            return .stored(attempts.count)
        }
    }

    /// Other records are about files, which there are none of.
    func report(_ record: AuditRecord) -> Delivery { .counted }

    /// Nothing is counted.
    func flush() -> [Delivery] { [] }
}
