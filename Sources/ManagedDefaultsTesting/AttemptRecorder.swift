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

    /// Keeps an attempt.
    ///
    /// Its record is not made, because that reads and writes files of the machine.
    func report(_ attempt: OverrideAttempt, as record: @autoclosure () -> AuditRecord) -> Delivery {
        let attempt = ManagedDefaults.TestBed.Attempt(attempt)
        return state.withLock { attempts in
            attempts.append(attempt)
            return .stored(attempts.count)
        }
    }

    /// Keeps no write that is refused because policy cannot be read: it is no attempt to override a forced value.
    func report(_ write: UnstoredWrite, as record: @autoclosure () -> AuditRecord) -> Delivery { .counted }

    /// Other records are about files, which there are none of.
    func report(_ record: AuditRecord) -> Delivery { .counted }

    /// Nothing is counted.
    func flush() -> [Delivery] { [] }
}
