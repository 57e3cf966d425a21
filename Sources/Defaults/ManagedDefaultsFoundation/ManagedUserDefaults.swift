public import Foundation
import MDPlatform
public import ManagedDefaults

/// Managed defaults for interfaces that take Foundation's `UserDefaults`.
///
/// Every member of `UserDefaults` that can be overridden is, so policy cannot be bypassed: values are those of the
/// underlying ``managed`` defaults, which save without a call, read other processes' changes and refuse writes to forced
/// keys. Nothing of Foundation's implementation is used.
///
/// ```swift
/// import Foundation
///
/// let defaults: UserDefaults = ManagedUserDefaults.standard
/// ```
///
/// - Values may be all types that Foundation takes, `NSNumber`, `NSString`, `NSArray` and their subclasses included. Reads
///   return Swift's types (`Bool`, `Int`, `UInt64`, `Double`, `String`, `Date`, `Data`, `[Any]`, `[String: Any]`), without
///   the optionals that Foundation on Linux wraps elements in.
/// - `UserDefaults` cannot return that a write was refused: because the key is forced, because the value is no property
///   list (Foundation ends the process then), or because a domain cannot be written. Set ``onRefusal`` to be called.
/// - `UserDefaults.didChangeNotification` is posted to `NotificationCenter.default` once for each change of the value that a
///   lookup returns or of the policy entry that forces it, by this process, other processes and the administrator; and, as
///   Foundation does, once for each call that replaces or removes a whole domain. Its object is the instance, and it has
///   no `userInfo`. It is posted on the thread that made the change, or on a thread of this library.
/// - A `Float` is stored as the `Double` of the same value, as Foundation does; ``string(forKey:)`` has its own digits.
/// - `UserDefaults.standard` remains Foundation's and cannot be replaced. Use `ManagedUserDefaults.standard`.
/// - Foundation declares that `UserDefaults` is not `Sendable`, for subclasses too. All members may be called from every
///   thread; pass ``managed``, which is `Sendable`, from one isolation to another, and make an object of it there.
public final class ManagedUserDefaults: UserDefaults {
    /// The underlying defaults.
    public let managed: ManagedDefaults
    /// The function that is called for each refusal.
    private let refusalHandler = Guarded<RefusalHandler?>(resettable: nil)
    /// The number of whole domains that are being written; each posts one notification at its end.
    private let domainWrites = Guarded(resettable: 0)
    /// The source of notifications; set once, before the initializer returns.
    var observation: ManagedDefaults.Observation?

    /// A function that receives a key or domain whose write is not in effect, and the outcome.
    public typealias RefusalHandler = @Sendable (_ name: String, _ outcome: ManagedDefaults.WriteOutcome) -> Void

    /// Called for each write that is not in effect, with the key and the outcome; for a whole domain that was refused, with
    /// the domain's name.
    public var onRefusal: RefusalHandler? {
        get { refusalHandler.read { $0 } }
        set { refusalHandler.withLock { $0 = newValue } }
    }

    /// Wraps managed defaults.
    public init(_ managed: ManagedDefaults) {
        self.managed = managed
        // Foundation's initializer never returns `nil`. With `nil` as the name it does nothing but read the command line,
        // which is not used.
        // swift-format-ignore: NeverForceUnwrap
        super.init(suiteName: nil)!
        observe()
    }

    /// The defaults of this user in a domain that applications share; the rules are those of
    /// ``ManagedDefaults/init(suiteName:)``.
    ///
    /// - Parameter suiteName: the suite's domain; `nil`, as in `ManagedUserDefaults()`, for the search list of ``standard``.
    public override init?(suiteName: String?) {
        guard let managed = ManagedDefaults(suiteName: suiteName) else { return nil }
        self.managed = managed
        super.init(suiteName: nil)
        observe()
    }

    /// The shared object.
    private static let shared = Guarded<Box?>(resettable: nil)

    /// The defaults of this application and this user, over ``ManagedDefaults/standard``.
    public override class var standard: ManagedUserDefaults {
        let managed = ManagedDefaults.standard
        return shared.withLock { shared in
            // A reset of the underlying defaults resets this object too.
            if let object = shared?.object, object.managed === managed { return object }
            let object = ManagedUserDefaults(managed)
            shared = Box(object)
            return object
        }
    }

    /// Saves the changes of the shared object and releases it.
    public override class func resetStandardUserDefaults() {
        ManagedDefaults.resetStandardUserDefaults()
        shared.withLock { $0 = nil }
    }

    /// The value of a key as Swift's types.
    public override func object(forKey defaultName: String) -> Any? {
        managed.object(forKey: defaultName)
    }

    /// The value as text; numbers and Booleans are converted.
    ///
    /// The Float 12.34 is stored as 12.34000015258789 and gives `12.34`, as with Foundation.
    public override func string(forKey defaultName: String) -> String? {
        guard let text = managed.string(forKey: defaultName) else { return nil }
        // So many digits, of a number that a Float holds exactly, are those of a widened Float.
        guard text.utf8.count(where: { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) > 14,
            let number = managed.object(forKey: defaultName) as? Double, let single = Float(exactly: number)
        else { return text }
        return "\(single)"
    }

    /// The value as an array.
    public override func array(forKey defaultName: String) -> [Any]? {
        managed.array(forKey: defaultName)
    }

    /// The value as a dictionary.
    public override func dictionary(forKey defaultName: String) -> [String: Any]? {
        managed.dictionary(forKey: defaultName)
    }

    /// The value as bytes.
    public override func data(forKey defaultName: String) -> Data? {
        managed.data(forKey: defaultName)
    }

    /// The value as an array of texts; `nil` if an element has another type.
    public override func stringArray(forKey defaultName: String) -> [String]? {
        managed.stringArray(forKey: defaultName)
    }

    /// The value as an integer.
    public override func integer(forKey defaultName: String) -> Int {
        managed.integer(forKey: defaultName)
    }

    /// The value as a floating-point number of single precision.
    public override func float(forKey defaultName: String) -> Float {
        managed.float(forKey: defaultName)
    }

    /// The value as a floating-point number.
    public override func double(forKey defaultName: String) -> Double {
        managed.double(forKey: defaultName)
    }

    /// The value as a Boolean.
    public override func bool(forKey defaultName: String) -> Bool {
        managed.bool(forKey: defaultName)
    }

    /// The value as a URL; `nil` if the value is not a URL.
    public override func url(forKey defaultName: String) -> URL? {
        managed.url(forKey: defaultName)
    }

    /// Every key with the value that a lookup returns.
    public override func dictionaryRepresentation() -> [String: Any] {
        managed.dictionaryRepresentation()
    }

    /// Whether an administrator decides the value of a key.
    public override func objectIsForced(forKey key: String) -> Bool {
        managed.objectIsForced(forKey: key)
    }

    /// Whether an administrator decides the value of a key in one domain.
    public override func objectIsForced(forKey key: String, inDomain domain: String) -> Bool {
        managed.objectIsForced(forKey: key, inDomain: domain)
    }

    /// Sets a key in the application's domain; `nil` removes it.
    ///
    /// A value that is not a property list is refused, and ``onRefusal`` is called; Foundation ends the process.
    public override func set(_ value: Any?, forKey defaultName: String) {
        guard let value else { return removeObject(forKey: defaultName) }
        guard let plain = PlainValue.plain(value) else {
            return report(defaultName, .invalid(.notPropertyList(key: defaultName, type: "\(type(of: value))")))
        }
        report(defaultName, managed.set(plain, forKey: defaultName))
    }

    /// Sets a key to an integer.
    public override func set(_ value: Int, forKey defaultName: String) {
        report(defaultName, managed.set(value, forKey: defaultName))
    }

    /// Sets a key to a floating-point number of single precision, which is stored as the `Double` of the same value.
    public override func set(_ value: Float, forKey defaultName: String) {
        report(defaultName, managed.set(Double(value), forKey: defaultName))
    }

    /// Sets a key to a floating-point number.
    public override func set(_ value: Double, forKey defaultName: String) {
        report(defaultName, managed.set(value, forKey: defaultName))
    }

    /// Sets a key to a Boolean.
    public override func set(_ value: Bool, forKey defaultName: String) {
        report(defaultName, managed.set(value, forKey: defaultName))
    }

    /// Sets a key to a URL; `nil` removes it.
    public override func set(_ url: URL?, forKey defaultName: String) {
        report(defaultName, managed.set(url, forKey: defaultName))
    }

    /// Removes a key from the application's domain.
    public override func removeObject(forKey defaultName: String) {
        report(defaultName, managed.removeObject(forKey: defaultName))
    }

    /// Adds default values, which are searched after all other domains; ``onRefusal`` is called for each value that is no
    /// property list, which is left out.
    public override func register(defaults registrationDictionary: [String: Any]) {
        let outcomes = managed.register(defaults: PlainValue.plain(registrationDictionary)).outcomes
        for (key, outcome) in outcomes.sorted(by: { $0.key < $1.key }) { report(key, outcome) }
    }

    /// Saves pending changes, then reads the changes of other processes and of policy.
    ///
    /// - Returns: false if a file could not be saved or read.
    @discardableResult
    public override func synchronize() -> Bool {
        managed.synchronize()
    }

    /// Adds a shared domain to this object's search list.
    public override func addSuite(named suiteName: String) {
        guard !managed.addSuite(named: suiteName) else { return }
        let reason = "No domain can have the name \(suiteName), so it was not added."
        report(suiteName, .invalid(.domainName(suiteName, reason: reason)))
    }

    /// Removes a shared domain from this object's search list.
    public override func removeSuite(named suiteName: String) {
        managed.removeSuite(named: suiteName)
    }

    /// The names of this object's volatile domains.
    public override var volatileDomainNames: [String] {
        managed.volatileDomainNames
    }

    /// The values of a volatile domain.
    public override func volatileDomain(forName domainName: String) -> [String: Any] {
        managed.volatileDomain(forName: domainName)
    }

    /// Makes a volatile domain; refused if a volatile or persistent domain has the name.
    public override func setVolatileDomain(_ domain: [String: Any], forName domainName: String) {
        report(domainName, managed.setVolatileDomain(PlainValue.plain(domain), forName: domainName))
    }

    /// Removes a volatile domain.
    public override func removeVolatileDomain(forName domainName: String) {
        managed.removeVolatileDomain(forName: domainName)
    }

    /// The keys and values that are stored for the user in a domain.
    public override func persistentDomain(forName domainName: String) -> [String: Any]? {
        managed.persistentDomain(forName: domainName)
    }

    /// Replaces the keys and values of a stored domain, except those that are forced.
    public override func setPersistentDomain(_ domain: [String: Any], forName domainName: String) {
        write(domainName) { managed.setPersistentDomain(PlainValue.plain(domain), forName: domainName) }
    }

    /// Removes everything that is stored for the user in a domain.
    public override func removePersistentDomain(forName domainName: String) {
        write(domainName) { managed.removePersistentDomain(forName: domainName) }
    }
}

extension ManagedUserDefaults {
    /// An object that is passed between threads; sound because all of its members may be called from every thread.
    private final class Box: @unchecked Sendable {
        /// The object.
        let object: ManagedUserDefaults

        /// Retains an object.
        init(_ object: ManagedUserDefaults) {
            self.object = object
        }
    }

    /// A weak reference to an object for its observer; sound for the same reason, and set before the observer has it.
    private final class WeakBox: @unchecked Sendable {
        /// The object, while it lives.
        weak var object: ManagedUserDefaults?

        /// Refers to an object.
        init(_ object: ManagedUserDefaults) {
            self.object = object
        }
    }

    /// Begins to post a notification for each change.
    func observe() {
        let box = WeakBox(self)
        observation = managed.observeChanges { _ in
            // The one notification of a domain that is being written comes after this change.
            guard let object = box.object, object.domainWrites.withLock({ $0 == 0 }) else { return }
            object.post()
        }
    }

    /// Posts one notification.
    private func post() {
        NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: self)
    }

    /// Writes a whole domain, and posts one notification, also if nothing changed, unless nothing could be written.
    func write(_ name: String, _ body: () -> ManagedDefaults.DomainOutcome) {
        domainWrites.withLock { $0 += 1 }
        let outcome = body()
        domainWrites.withLock { $0 -= 1 }
        if let error = outcome.error { report(name, error.outcome) } else { post() }
        for (key, outcome) in outcome.outcomes { report(key, outcome) }
    }

    /// Calls ``onRefusal`` with an outcome, unless the write is in effect.
    func report(_ name: String, _ outcome: ManagedDefaults.WriteOutcome) {
        guard !outcome.isInEffect else { return }
        onRefusal?(name, outcome)
    }
}
