import MDAuditClient
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyModel
import MDPropertyList
public import ManagedDefaults

extension ManagedDefaults.TestBed {
    /// A write to a forced key, as the audit log would record it.
    public struct Attempt: Sendable, Equatable {
        /// The kind of write.
        public enum Via: Sendable, Hashable {
            /// One value was set.
            case set
            /// One value was removed.
            case remove
            /// A whole domain was replaced or removed.
            case domain
            /// A volatile domain was set.
            case volatile
            /// The command line named a value.
            case argument
            /// A stored value was found that is not allowed.
            case file
        }

        /// The result of the write.
        public enum Outcome: Sendable, Hashable {
            /// Nothing was changed.
            case refused
            /// The value was stored below the forced one.
            case shadowed
            /// The nearest allowed value was stored.
            case clamped
            /// A value below the forced one was removed, or a stored value was found that is not allowed.
            case hidden
        }

        /// The domain that was written.
        public let domain: String
        /// The key.
        public let key: String
        /// The kind of write.
        public let via: Via
        /// The result of the write.
        public let outcome: Outcome
        /// The identifier of the policy that forces the key.
        public let policy: String
        /// The value that was tried.
        private let triedValue: Value?
        /// The value that is forced.
        private let forcedValue: Value?

        /// The value that was tried; `nil` for a removal.
        public var tried: (any Sendable)? { triedValue.map { $0.bridged } }
        /// The value that is forced; `nil` for an absent key.
        public var forced: (any Sendable)? { forcedValue.map { $0.bridged } }

        /// Translates a write of the engine; `nil` if it is unknown what policy says of the key.
        init?(_ attempt: RecordedWrite) {
            guard attempt.isAttempt, let key = attempt.key, let origin = attempt.origin else { return nil }
            domain = attempt.domain.string
            self.key = key.string
            via =
                switch attempt.via {
                case .remove: .remove
                case .domain: .domain
                case .volatile: .volatile
                case .argument: .argument
                case .file: .file
                default: .set
                }
            outcome =
                switch attempt.outcome {
                case .shadowed: .shadowed
                case .hidden: .hidden
                case .clamped: .clamped
                default: .refused
                }
            policy = origin.policy
            triedValue = attempt.tried
            forcedValue = attempt.forced
        }
    }
}

/// The audit log of a test, in memory.
final class AttemptRecorder: AuditSink {
    /// The attempts, oldest first.
    private let state = Guarded<[ManagedDefaults.TestBed.Attempt]>([])

    /// The attempts, oldest first.
    var attempts: [ManagedDefaults.TestBed.Attempt] { state.withLock { $0 } }

    /// Removes the attempts.
    func forget() {
        state.withLock { $0 = [] }
    }

    /// Adds an override attempt; a write that is refused because policy is unknown does not count.
    ///
    /// Its audit record is not made, because that reads and writes files of the machine.
    func report(_ write: RecordedWrite, as record: @autoclosure () -> AuditRecord) -> Delivery {
        guard let attempt = ManagedDefaults.TestBed.Attempt(write) else { return .counted }
        return state.withLock { attempts in
            attempts.append(attempt)
            return .stored(attempts.count)
        }
    }

    /// Ignores other records, which concern files.
    func report(_ record: AuditRecord) -> Delivery { .counted }

    /// Returns nothing, because equal attempts are not counted.
    func flush() -> [Delivery] { [] }
}
