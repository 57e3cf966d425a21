import MDEngine
import MDPlatform
import MDPreferences
import MDPropertyList
public import ManagedDefaults

extension ManagedDefaults {
    /// Defaults in memory for the tests of applications, with a policy that the test sets.
    ///
    /// Nothing is read from or written to disk, environment, command line, policy or audit log, so tests never touch real
    /// settings and run in parallel. Code under test takes its `ManagedDefaults` as a parameter and gets ``defaults``.
    ///
    /// ```swift
    /// import Testing
    ///
    /// let bed = ManagedDefaults.TestBed(stored: ["HomePage": "https://mine.example"])
    /// bed.overlay.force("HomePage", to: "https://exam.example.edu")
    /// #expect(bed.defaults.objectIsForced(forKey: "HomePage"))
    /// bed.defaults.set("https://mine.example", forKey: "HomePage")
    /// #expect(bed.attempts.map(\.key) == ["HomePage"])
    /// ```
    public final class TestBed: Sendable {
        /// The application's defaults.
        public let defaults: ManagedDefaults
        /// The application's domain.
        public let application: String

        /// The store of the defaults.
        private let store: DefaultsStore
        /// The user's preference files.
        private let storage: MemoryStorage
        /// The policy.
        private let policy: OverlayPolicy
        /// The audit log.
        private let recorder: AttemptRecorder

        /// Makes defaults of a user who has stored some values.
        ///
        /// - Parameters:
        ///   - application: the application's domain.
        ///   - stored: the keys and values that the user has stored in it, of types that a property list can hold.
        ///   - overlay: the policy.
        ///   - arguments: the command line, whose `-key value` pairs are the argument domain, without the program's name.
        public init(
            application: String = "org.example.Application", stored: [String: Any] = [:], overlay: Overlay = Overlay(),
            arguments: [String] = []
        ) {
            let domain = MDPropertyList.Key(application)
            let values = Dictionary(
                stored.map { (MDPropertyList.Key($0.key), Value(ofTest: $0.value, $0.key)) }, uniquingKeysWith: { $1 })
            storage = MemoryStorage([StoredPlace(domain: domain, host: .anyHost): values])
            policy = OverlayPolicy(overlay, application: domain)
            recorder = AttemptRecorder()
            store = DefaultsStore(
                account: Account(name: "tester", uid: 65_534, gid: 65_534, fullName: "", home: "/nonexistent"),
                root: .system, storage: storage, sharedDefaults: nil, policy: policy, sink: recorder,
                setOnceBook: MemorySetOnceBook(), environment: [:])
            self.application = application
            defaults = ManagedDefaults(
                engine: DefaultsEngine(
                    store: store, identity: ApplicationIdentity(domain: domain, source: .code), domain: domain,
                    arguments: ArgumentDomain.values(of: ["test"] + arguments)))
        }

        /// The policy.
        ///
        /// Change it in place, `bed.overlay.force("Zoom", to: 150)`, or assign another one. When the change returns it is in
        /// effect, and observers have been called. A test that changes it on several threads assigns whole overlays.
        public var overlay: Overlay {
            get { policy.overlay }
            set {
                policy.overlay = newValue
                _ = store.synchronize()
            }
        }

        /// The override attempts that the audit log would contain, oldest first.
        public var attempts: [Attempt] { recorder.attempts }

        /// Removes the attempts from ``attempts``.
        public func removeAllAttempts() {
            recorder.forget()
        }

        /// Saves all changes and returns the content of the user's preference file, which contains neither forced values nor
        /// registered defaults.
        ///
        /// - Parameter domain: the domain; `nil` for the application's.
        /// - Returns: the keys and values; empty if nothing is stored.
        public func stored(inDomain domain: String? = nil) -> [String: any Sendable] {
            _ = store.synchronize()
            return Value.bridged(storage.values(of: place(domain)))
        }

        /// Stores a value as another process does: observers get the cause `otherProcess`.
        ///
        /// Pending changes of the application are saved first.
        ///
        /// - Parameters:
        ///   - value: a value that a property list can hold; `nil` removes the key.
        ///   - key: the key.
        ///   - domain: the domain; `nil` for the application's.
        public func setByOtherProcess(_ value: Any?, forKey key: String, inDomain domain: String? = nil) {
            _ = store.synchronize()
            storage.changeElsewhere(
                MDPropertyList.Key(key), to: value.map { Value(ofTest: $0, key) }, in: place(domain))
            _ = store.synchronize()
        }

        /// Makes another object of the same process and user, with its own search list.
        ///
        /// - Parameter suiteName: the domain that it writes and searches first; `nil` for the application's.
        /// - Returns: the object; `nil` if no domain can have the name.
        public func makeDefaults(suiteName: String? = nil) -> ManagedDefaults? {
            let domain = MDPropertyList.Key(suiteName ?? application)
            guard (try? DomainName.validate(domain)) != nil else { return nil }
            let identity = ApplicationIdentity(domain: MDPropertyList.Key(application), source: .code)
            return ManagedDefaults(engine: DefaultsEngine(store: store, identity: identity, domain: domain))
        }

        /// The place of a domain's preference file.
        private func place(_ domain: String?) -> StoredPlace {
            StoredPlace(domain: MDPropertyList.Key(domain ?? application), host: .anyHost)
        }
    }
}

extension Value {
    /// Converts a value of a test.
    ///
    /// A value that no property list can hold is an error of the test's code, which ends it.
    init(ofTest value: Any, _ key: String) {
        guard let value = Value(bridging: value) else {
            preconditionFailure("The value of \(key) is nothing that a property list can hold.")
        }
        self = value
    }
}
