public import ManagedDefaults
import Platform
import Policy
import PropertyList

extension ManagedDefaults.TestBed {
    /// What an administrator says in a test: forced values, keys that are kept without a value, recommended values, values
    /// that are set once, sealed domains and what is allowed.
    public struct Overlay: Sendable {
        /// What becomes of a write to a forced key.
        public enum OnOverride: Sendable, Hashable {
            /// Nothing is stored.
            case refuse
            /// It is stored, without effect while the key is forced.
            case shadow
        }

        /// Whom an application's user is told to ask, and where it is written.
        public struct Manager: Sendable, Hashable {
            /// The identifier of the policy.
            public var policy: String
            /// What the policy is for; may be empty.
            public var summary: String
            /// Whom to ask; may be empty.
            public var contact: String
            /// The policy file.
            public var file: String
            /// The line in that file.
            public var line: Int

            /// Makes somebody up.
            public init(
                policy: String = "org.example.policy", summary: String = "", contact: String = "",
                file: String = "/etc/managed-defaults/policies.d/50-test.json", line: Int = 1
            ) {
                self.policy = policy
                self.summary = summary
                self.contact = contact
                self.file = file
                self.line = line
            }
        }

        /// Where an entry belongs.
        struct Place: Hashable {
            /// The domain; `nil` for the application's.
            let domain: PropertyList.Key?
            /// The key.
            let key: PropertyList.Key
        }

        /// An entry.
        struct Entry {
            /// The value; `nil` for a key that is kept without one.
            let value: Value?
            /// What becomes of a write.
            let onOverride: OnOverride
            /// Who says so.
            let manager: Manager
            /// The version of the policy.
            var version = 1
        }

        /// The forced entries, those without a value among them.
        private(set) var forced: [Place: Entry] = [:]
        /// The recommended entries.
        private(set) var recommended: [Place: Entry] = [:]
        /// The entries that are set once.
        private(set) var once: [Place: Entry] = [:]
        /// What is allowed.
        private(set) var allowed: [Place: (constraint: Constraint, manager: Manager)] = [:]
        /// The sealed domains, each with the keys that are free; `nil` is the application's.
        private(set) var sealed: [PropertyList.Key?: (free: Set<PropertyList.Key>, manager: Manager)] = [:]
        /// The keys whose values are shown to nobody.
        private(set) var sensitive: Set<Place> = []

        /// Why policy cannot be read, as a clause such as `its directory cannot be listed`; `nil` where it can.
        ///
        /// As on a real machine: an application that starts then stores nothing, one that runs keeps what it had.
        public var unreadable: String?

        /// Says nothing.
        public init() {}

        /// Forces a value.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - value: what a property list can hold.
        ///   - domain: the domain; `nil` for the application's.
        ///   - onOverride: what becomes of a write.
        ///   - manager: who says so.
        public mutating func force(
            _ key: String, to value: Any, inDomain domain: String? = nil, onOverride: OnOverride = .refuse,
            by manager: Manager = Manager()
        ) {
            forced[Overlay.place(domain, key)] = Entry(
                value: Value(ofTest: value, key), onOverride: onOverride, manager: manager)
        }

        /// Keeps a key without a value: what the user has stored does not count, what is registered does.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - domain: the domain; `nil` for the application's.
        ///   - onOverride: what becomes of a write.
        ///   - manager: who says so.
        public mutating func forceAbsent(
            _ key: String, inDomain domain: String? = nil, onOverride: OnOverride = .refuse,
            by manager: Manager = Manager()
        ) {
            forced[Overlay.place(domain, key)] = Entry(value: nil, onOverride: onOverride, manager: manager)
        }

        /// Lets the user decide again about a key that was forced or kept without a value.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - domain: the domain; `nil` for the application's.
        public mutating func unforce(_ key: String, inDomain domain: String? = nil) {
            forced[Overlay.place(domain, key)] = nil
        }

        /// Recommends a value, which counts where the user has stored none.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - value: what a property list can hold; `nil` takes a recommendation back.
        ///   - domain: the domain; `nil` for the application's.
        ///   - manager: who says so.
        public mutating func recommend(
            _ key: String, _ value: Any?, inDomain domain: String? = nil, by manager: Manager = Manager()
        ) {
            recommended[Overlay.place(domain, key)] = value.map {
                Entry(value: Value(ofTest: $0, key), onOverride: .refuse, manager: manager)
            }
        }

        /// Sets a value once: it is written into the user's own domain when the policy's version is met for the first time.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - value: what a property list can hold; `nil` takes the entry back.
        ///   - version: the version of the policy; another one sets the value again.
        ///   - domain: the domain; `nil` for the application's.
        ///   - manager: who says so.
        public mutating func setOnce(
            _ key: String, _ value: Any?, version: Int = 1, inDomain domain: String? = nil,
            by manager: Manager = Manager()
        ) {
            once[Overlay.place(domain, key)] = value.map {
                Entry(value: Value(ofTest: $0, key), onOverride: .refuse, manager: manager, version: version)
            }
        }

        /// Allows numbers within bounds only.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - minimum: the least; `nil` for none.
        ///   - maximum: the greatest; `nil` for none.
        ///   - domain: the domain; `nil` for the application's.
        ///   - manager: who says so.
        public mutating func allow(
            _ key: String, minimum: Double? = nil, maximum: Double? = nil, inDomain domain: String? = nil,
            by manager: Manager = Manager()
        ) {
            /// A bound as an administrator would write it.
            func bound(_ number: Double) -> Value { Int(exactly: number).map { .integer($0) } ?? .real(number) }
            allowed[Overlay.place(domain, key)] = (
                Constraint(minimum: minimum.map(bound), maximum: maximum.map(bound)), manager
            )
        }

        /// Allows some values only.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - choices: what a property list can hold, at least two values; one alone would be a forced one.
        ///   - domain: the domain; `nil` for the application's.
        ///   - manager: who says so.
        public mutating func allow(
            _ key: String, oneOf choices: [Any], inDomain domain: String? = nil, by manager: Manager = Manager()
        ) {
            allowed[Overlay.place(domain, key)] = (
                Constraint(oneOf: choices.map { Value(ofTest: $0, key) }), manager
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

        /// Seals a domain: every key that is not forced in it is kept without a value.
        ///
        /// - Parameters:
        ///   - domain: the domain; `nil` for the application's.
        ///   - free: the keys that stay the user's.
        ///   - manager: who says so.
        public mutating func seal(
            _ domain: String? = nil, except free: [String] = [], by manager: Manager = Manager()
        ) {
            sealed[domain.map { PropertyList.Key($0) }] = (Set(free.map { PropertyList.Key($0) }), manager)
        }

        /// Takes the seal of a domain away.
        ///
        /// - Parameter domain: the domain; `nil` for the application's.
        public mutating func unseal(_ domain: String? = nil) {
            sealed[domain.map { PropertyList.Key($0) }] = nil
        }

        /// Marks a key as one whose values are shown to nobody.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - domain: the domain; `nil` for the application's.
        public mutating func hideValues(of key: String, inDomain domain: String? = nil) {
            sensitive.insert(Overlay.place(domain, key))
        }

        /// Where an entry belongs.
        private static func place(_ domain: String?, _ key: String) -> Place {
            Place(domain: domain.map { PropertyList.Key($0) }, key: PropertyList.Key(key))
        }
    }
}
