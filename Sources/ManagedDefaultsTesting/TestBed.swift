import Engine
public import ManagedDefaults
import Platform
import Policy
import Preferences
import PropertyList

extension ManagedDefaults {
    /// Defaults in memory for the tests of applications, with an administrator who does what a test says.
    ///
    /// Nothing is read from or written to disk, environment, command line, policy or audit log, so tests never touch real
    /// settings and run side by side. Code under test takes its `ManagedDefaults` as a parameter and gets ``defaults``.
    ///
    /// ```swift
    /// let bed = ManagedDefaults.TestBed(stored: ["HomePage": "https://mine.example"])
    /// let page = SettingsPage(defaults: bed.defaults)
    /// bed.overlay.force("HomePage", to: "https://exam.example.edu")
    /// #expect(!page.homePageField.isEnabled)
    /// page.homePageField.enter("https://mine.example")
    /// #expect(bed.attempts.map(\.key) == ["HomePage"])
    /// ```
    public final class TestBed: Sendable {
        /// The application's defaults.
        public let defaults: ManagedDefaults
        /// The application's domain.
        public let application: String

        /// What the defaults are a view of.
        private let store: DefaultsStore
        /// What stands for the user's files.
        private let storage: MemoryStorage
        /// What stands for the administrator.
        private let policy: OverlayPolicy
        /// What stands for the audit log.
        private let recorder: AttemptRecorder

        /// Sets up a user and an administrator.
        ///
        /// Values must be such that a property list can hold them.
        ///
        /// - Parameters:
        ///   - application: the application's domain.
        ///   - stored: what the user has stored in it.
        ///   - overlay: what the administrator says.
        ///   - arguments: the command line whose `-key value` pairs count, without the program's name.
        public init(
            application: String = "org.example.Application", stored: [String: Any] = [:], overlay: Overlay = Overlay(),
            arguments: [String] = []
        ) {
            let domain = PropertyList.Key(application)
            let values = Dictionary(
                stored.map { (PropertyList.Key($0.key), Value(ofTest: $0.value, $0.key)) }, uniquingKeysWith: { $1 })
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

        /// What the administrator forces and recommends.
        ///
        /// Change it in place, `bed.overlay.force("Zoom", to: 150)`, or set a whole one. It is in effect, and observers
        /// were told, when the change returns. Tests that change it from several threads set whole ones.
        public var overlay: Overlay {
            get { policy.overlay }
            set {
                policy.overlay = newValue
                _ = store.synchronize()
            }
        }

        /// The writes to forced keys since the beginning, oldest first: what would stand in the audit log.
        public var attempts: [Attempt] { recorder.attempts }

        /// Forgets the attempts.
        public func forgetAttempts() {
            recorder.forget()
        }

        /// What would stand in the user's file, all changes saved: neither policy nor registered defaults show in it.
        ///
        /// - Parameter domain: the domain; `nil` for the application's.
        /// - Returns: the keys and values; empty where nothing is stored.
        public func stored(inDomain domain: String? = nil) -> [String: any Sendable] {
            _ = store.synchronize()
            return Value.bridged(storage.values(of: place(domain)))
        }

        /// Stores a value as another process would: observers are told that it was another one.
        ///
        /// What the application changed before is saved first, as it would long have been.
        ///
        /// - Parameters:
        ///   - value: what a property list can hold; `nil` removes the key.
        ///   - key: the key.
        ///   - domain: the domain; `nil` for the application's.
        public func storeElsewhere(_ value: Any?, forKey key: String, inDomain domain: String? = nil) {
            _ = store.synchronize()
            storage.changeElsewhere(
                PropertyList.Key(key), to: value.map { Value(ofTest: $0, key) }, in: place(domain))
            _ = store.synchronize()
        }

        /// Another object of the same process and user, with its own search list.
        ///
        /// - Parameter suite: the domain that it writes and searches first; `nil` for the application's.
        /// - Returns: the object; `nil` where no domain can have the name.
        public func makeDefaults(suite: String? = nil) -> ManagedDefaults? {
            let domain = PropertyList.Key(suite ?? application)
            guard (try? DomainName.validate(domain)) != nil else { return nil }
            let identity = ApplicationIdentity(domain: PropertyList.Key(application), source: .code)
            return ManagedDefaults(engine: DefaultsEngine(store: store, identity: identity, domain: domain))
        }

        /// What stands for the file of a domain.
        private func place(_ domain: String?) -> StoredPlace {
            StoredPlace(domain: PropertyList.Key(domain ?? application), host: .anyHost)
        }
    }
}

extension Value {
    /// Takes over a value that stands in a test.
    ///
    /// The value is the programmer's, so that one which no property list can hold ends the test.
    init(ofTest value: Any, _ key: String) {
        guard let value = Value(bridging: value) else {
            preconditionFailure("The value of \(key) is nothing that a property list can hold.")
        }
        self = value
    }
}
