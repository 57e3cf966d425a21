import MDPlatform
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
public import ManagedDefaults

extension ManagedDefaults.TestBed {
    /// The policy of a test: forced and absent keys, recommended values, values that are set once, sealed domains and
    /// allowed values.
    ///
    /// A value must be one that a property list can hold; another one ends the test, because it is an error of the test.
    public struct Overlay: Sendable {
        /// The effect of a write to a forced key.
        public enum OnOverride: Sendable, Hashable {
            /// Nothing is stored: the outcome is `refused`.
            case refuse
            /// The value is stored and has no effect while the key is forced: the outcome is `shadowed`.
            case shadow
        }

        /// The policy file that an entry comes from, as ``ManagedDefaults/PolicyEntry`` describes it.
        public struct Policy: Sendable, Hashable {
            /// The identifier of the policy.
            public var identifier: String
            /// The purpose of the policy.
            public var summary: String?
            /// The person or office to ask.
            public var contact: String?
            /// The path of the policy file.
            public var file: String
            /// The line in that file, counted from 1.
            public var line: Int

            /// Describes a policy file, which need not exist.
            public init(
                _ identifier: String = "org.example.policy", summary: String? = nil, contact: String? = nil,
                file: String = "/etc/managed-defaults/policies.d/50-test.json", line: Int = 1
            ) {
                self.identifier = identifier
                self.summary = summary
                self.contact = contact
                self.file = file
                self.line = line
            }
        }

        /// The domain and key of an entry.
        struct Place: Hashable {
            /// The domain; `nil` for the application's.
            let domain: MDPropertyList.Key?
            /// The key.
            let key: MDPropertyList.Key
        }

        /// An entry.
        struct Entry {
            /// The value; `nil` for an absent key.
            let value: Value?
            /// The effect of a write.
            let onOverride: OnOverride
            /// The policy file.
            let policy: Policy
            /// The version of the policy.
            var version = 1
        }

        /// The forced and absent entries.
        private(set) var forced: [Place: Entry] = [:]
        /// The recommended entries.
        private(set) var recommended: [Place: Entry] = [:]
        /// The entries that are set once.
        private(set) var once: [Place: Entry] = [:]
        /// The constraints.
        private(set) var allowed: [Place: (constraint: Constraint, policy: Policy)] = [:]
        /// The sealed domains, each with its excepted keys; `nil` is the application's.
        private(set) var sealed: [MDPropertyList.Key?: (free: Set<MDPropertyList.Key>, policy: Policy)] = [:]
        /// The keys whose values do not appear in records and messages.
        private(set) var sensitive: Set<Place> = []

        /// Why policy is unknown, as a clause: `its directory cannot be listed`; `nil` if policy can be read.
        ///
        /// While it is set, an application that starts finds every key forced without a value and stores nothing; one that
        /// runs keeps the policy that it has read.
        public var unknownReason: String?

        /// Makes an empty policy.
        public init() {}

        /// Forces a value.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - value: the value.
        ///   - domain: the domain; `nil` for the application's.
        ///   - onOverride: the effect of a write.
        ///   - policy: the policy file.
        public mutating func force(
            _ key: String, to value: Any, inDomain domain: String? = nil, onOverride: OnOverride = .refuse,
            by policy: Policy = Policy()
        ) {
            forced[Overlay.place(domain, key)] = Entry(
                value: Value(ofTest: value, key), onOverride: onOverride, policy: policy)
        }

        /// Forces a key to have no value: the user's value does not count, a registered default does.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - domain: the domain; `nil` for the application's.
        ///   - onOverride: the effect of a write.
        ///   - policy: the policy file.
        public mutating func forceAbsent(
            _ key: String, inDomain domain: String? = nil, onOverride: OnOverride = .refuse,
            by policy: Policy = Policy()
        ) {
            forced[Overlay.place(domain, key)] = Entry(value: nil, onOverride: onOverride, policy: policy)
        }

        /// Removes the forced or absent entry of a key, so that the user decides again.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - domain: the domain; `nil` for the application's.
        public mutating func unforce(_ key: String, inDomain domain: String? = nil) {
            forced[Overlay.place(domain, key)] = nil
        }

        /// Recommends a value, which is in effect if the user has stored none.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - value: the value; `nil` removes the recommendation.
        ///   - domain: the domain; `nil` for the application's.
        ///   - policy: the policy file.
        public mutating func recommend(
            _ key: String, to value: Any?, inDomain domain: String? = nil, by policy: Policy = Policy()
        ) {
            recommended[Overlay.place(domain, key)] = value.map {
                Entry(value: Value(ofTest: $0, key), onOverride: .refuse, policy: policy)
            }
        }

        /// Sets a value once: it is written into the user's domain when the version of the policy is read for the first time.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - value: the value; `nil` removes the entry.
        ///   - version: the version of the policy; another one sets the value again.
        ///   - domain: the domain; `nil` for the application's.
        ///   - policy: the policy file.
        public mutating func setOnce(
            _ key: String, to value: Any?, version: Int = 1, inDomain domain: String? = nil,
            by policy: Policy = Policy()
        ) {
            once[Overlay.place(domain, key)] = value.map {
                Entry(value: Value(ofTest: $0, key), onOverride: .refuse, policy: policy, version: version)
            }
        }

        /// Allows only numbers within bounds.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - minimum: the least number; `nil` for no lower bound.
        ///   - maximum: the greatest number; `nil` for no upper bound.
        ///   - domain: the domain; `nil` for the application's.
        ///   - policy: the policy file.
        public mutating func allow(
            _ key: String, minimum: Double? = nil, maximum: Double? = nil, inDomain domain: String? = nil,
            by policy: Policy = Policy()
        ) {
            /// The value of a bound: an integer if the number is one.
            func bound(_ number: Double) -> Value { Int(exactly: number).map { .integer($0) } ?? .real(number) }
            allowed[Overlay.place(domain, key)] = (
                Constraint(minimum: minimum.map(bound), maximum: maximum.map(bound)), policy
            )
        }

        /// Allows only some values.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - choices: at least two values; one alone would be a forced value.
        ///   - domain: the domain; `nil` for the application's.
        ///   - policy: the policy file.
        public mutating func allow(
            _ key: String, oneOf choices: [Any], inDomain domain: String? = nil, by policy: Policy = Policy()
        ) {
            allowed[Overlay.place(domain, key)] = (
                Constraint(oneOf: choices.map { Value(ofTest: $0, key) }), policy
            )
        }

        /// Allows any value again.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - domain: the domain; `nil` for the application's.
        public mutating func allowAll(_ key: String, inDomain domain: String? = nil) {
            allowed[Overlay.place(domain, key)] = nil
        }

        /// Seals a domain: every key that is not forced in it has no value.
        ///
        /// - Parameters:
        ///   - domain: the domain; `nil` for the application's.
        ///   - free: the keys that the user still decides.
        ///   - policy: the policy file.
        public mutating func seal(
            _ domain: String? = nil, except free: [String] = [], by policy: Policy = Policy()
        ) {
            sealed[domain.map { MDPropertyList.Key($0) }] = (Set(free.map { MDPropertyList.Key($0) }), policy)
        }

        /// Removes the seal of a domain.
        ///
        /// - Parameter domain: the domain; `nil` for the application's.
        public mutating func unseal(_ domain: String? = nil) {
            sealed[domain.map { MDPropertyList.Key($0) }] = nil
        }

        /// Marks a key as sensitive: its values do not appear in records and messages.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - domain: the domain; `nil` for the application's.
        public mutating func hideValues(forKey key: String, inDomain domain: String? = nil) {
            sensitive.insert(Overlay.place(domain, key))
        }

        /// The domain and key of an entry.
        private static func place(_ domain: String?, _ key: String) -> Place {
            Place(domain: domain.map { MDPropertyList.Key($0) }, key: MDPropertyList.Key(key))
        }
    }
}
