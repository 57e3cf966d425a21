import Audit
import Engine
public import ManagedDefaults
import Policy
import PropertyList

extension ManagedDefaults.TestBed {
    /// A write to a forced key, as the audit log would record it.
    public struct Attempt: Sendable, Equatable {
        /// How somebody tried.
        public enum Way: Sendable, Hashable {
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
            /// A value that is not allowed was found stored.
            case file
        }

        /// What became of it.
        public enum Outcome: Sendable, Hashable {
            /// Nothing was changed.
            case refused
            /// The value was stored beneath the forced one.
            case shadowed
            /// The nearest value that is allowed was stored.
            case clamped
            /// A value beneath the forced one was removed, or one that is not allowed was found stored.
            case hidden
        }

        /// The domain that was written.
        public let domain: String
        /// The key.
        public let key: String
        /// How somebody tried.
        public let way: Way
        /// What became of it.
        public let outcome: Outcome
        /// The identifier of the policy that forces the key.
        public let policy: String
        /// The value that was tried.
        private let triedValue: Value?
        /// The value that is forced.
        private let forcedValue: Value?

        /// The value that was tried; `nil` for a removal.
        public var tried: (any Sendable)? { triedValue.map { $0.bridged } }
        /// The value that is forced; `nil` for a key that is kept without one.
        public var forced: (any Sendable)? { forcedValue.map { $0.bridged } }

        /// Takes over an attempt.
        init(_ attempt: OverrideAttempt) {
            domain = attempt.domain.string
            key = attempt.key.string
            way =
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
            policy = attempt.origin.policy
            triedValue = attempt.tried
            forcedValue = attempt.forced
        }
    }
}
