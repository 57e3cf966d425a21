public import ManagedDefaults
import Platform
import Policy
import PropertyList

extension ManagedDefaults.TestBed {
    /// What an administrator says in a test: forced values, keys that are kept without a value, recommended values.
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
        private struct Place: Hashable {
            /// The domain; `nil` for the application's.
            let domain: PropertyList.Key?
            /// The key.
            let key: PropertyList.Key
        }

        /// An entry.
        private struct Entry {
            /// The value; `nil` for a key that is kept without one.
            let value: Value?
            /// What becomes of a write.
            let onOverride: OnOverride
            /// Who says so.
            let manager: Manager
        }

        /// The forced entries, those without a value among them.
        private var forced: [Place: Entry] = [:]
        /// The recommended entries.
        private var recommended: [Place: Entry] = [:]

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

        /// Where an entry belongs.
        private static func place(_ domain: String?, _ key: String) -> Place {
            Place(domain: domain.map { PropertyList.Key($0) }, key: PropertyList.Key(key))
        }

        /// What this leaves for the user.
        func resultant(of application: PropertyList.Key) -> ResultantSet {
            /// Makes entries of policy, by domain and key.
            func entries(_ entries: [Place: Entry], _ level: Level) -> [PropertyList.Key: [PropertyList.Key:
                ResolvedEntry]]
            {
                var result: [PropertyList.Key: [PropertyList.Key: ResolvedEntry]] = [:]
                for (place, entry) in entries {
                    let domain = place.domain ?? application
                    let manager = entry.manager
                    result[domain, default: [:]][place.key] = ResolvedEntry(
                        level: entry.value == nil ? .absent : level, domain: domain, key: place.key, value: entry.value,
                        origin: Origin(
                            policy: manager.policy, file: manager.file,
                            position: Position(line: manager.line, column: 1, offset: 0)),
                        onOverride: entry.onOverride == .shadow ? .shadow : .refuse, contact: manager.contact,
                        description: manager.summary, fileDigest: SHA256.hash(Array(manager.file.utf8)))
                }
                return result
            }
            return ResultantSet(forced: entries(forced, .forced), recommended: entries(recommended, .recommended))
        }
    }
}
