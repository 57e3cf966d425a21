public import Foundation
public import ManagedDefaults
import Platform

/// Managed defaults for interfaces that take Foundation's `UserDefaults`.
///
/// Every member of `UserDefaults` that can be overridden is, so nothing goes around policy: values are those of the
/// ``ManagedDefaults`` beneath, which saves by itself, sees other processes' changes and refuses writes to forced keys.
/// Of Foundation's own object nothing but the class remains.
///
/// ```swift
/// let viewer = DocumentViewer(defaults: ManagedUserDefaults.standard)
/// ```
///
/// - Values go in as Foundation takes them, `NSNumber`, `NSString`, `NSArray` and their kin included, and come out as
///   Swift's types (`Bool`, `Int`, `UInt64`, `Double`, `String`, `Date`, `Data`, `[Any]`, `[String: Any]`), without the
///   optionals that Foundation on Linux wraps elements in.
/// - `UserDefaults` has no way to say that a write was refused: because the key is forced, because the value is no
///   property list (where Foundation ends the process), or because a domain cannot be written. Set ``onRefusal`` to
///   be told.
/// - `UserDefaults.didChangeNotification` is posted to `NotificationCenter.default` once for each change of what a lookup
///   returns or of whether it is forced, whoever made it, other processes and the administrator included; and where a
///   stored domain changes that is not searched. Its object is the instance, and it has no `userInfo`. It is posted on
///   the thread that made the change, or on one of this library's own.
/// - `UserDefaults.standard` remains Foundation's: nothing can replace it. Say `ManagedUserDefaults.standard`.
/// - Foundation declares that `UserDefaults` is not `Sendable`, for subclasses too. All members may be called from every
///   thread; hand ``managed``, which is `Sendable`, from one isolation to another, and make an object of it there.
public final class ManagedUserDefaults: UserDefaults {
    /// The defaults beneath.
    public let managed: ManagedDefaults
    /// The function that is told of refusals.
    private let refusalHandler = Guarded<RefusalHandler?>(nil)
    /// How many notifications were posted.
    let posted = Guarded(0)
    /// Keeps notifications coming; set once, before anybody else has the object.
    var observation: ManagedDefaults.Observation?

    /// A function that is told of a key or domain whose write was refused, and why.
    public typealias RefusalHandler = @Sendable (_ name: String, _ outcome: ManagedDefaults.WriteOutcome) -> Void

    /// Called for each write that is refused, and for each that a policy hides, with the key (or the domain's name, where
    /// a whole domain was refused) and the outcome.
    public var onRefusal: RefusalHandler? {
        get { refusalHandler.withLock { $0 } }
        set { refusalHandler.withLock { $0 = newValue } }
    }

    /// Wraps managed defaults.
    public init(_ managed: ManagedDefaults) {
        self.managed = managed
        // Foundation's initialiser returns an object for every name, and for none: the one thing it does with `nil` is to
        // read the command line, which nobody asks it for afterwards.
        // swift-format-ignore: NeverForceUnwrap
        super.init(suiteName: nil)!
        observe()
    }

    /// The defaults of this user in a domain that applications share; the rules are those of
    /// ``ManagedDefaults/init(suiteName:)``.
    ///
    /// - Parameter suiteName: the suite's domain; `nil`, as in `ManagedUserDefaults()`, searches what ``standard`` does.
    public override init?(suiteName: String?) {
        guard let managed = ManagedDefaults(suiteName: suiteName) else { return nil }
        self.managed = managed
        super.init(suiteName: nil)
        observe()
    }

    /// The one shared object, and what it was made of.
    private static let shared = Guarded<Box?>(nil)

    /// The defaults of this application and this user, over ``ManagedDefaults/standard``.
    public override class var standard: ManagedUserDefaults {
        let managed = ManagedDefaults.standard
        return shared.withLock { shared in
            // Whoever reset the defaults beneath reset these as well.
            if let object = shared?.object, object.managed === managed { return object }
            let object = ManagedUserDefaults(managed)
            shared = Box(object)
            return object
        }
    }

    /// Saves what the shared object changed and lets it go.
    public override class func resetStandardUserDefaults() {
        ManagedDefaults.resetStandardUserDefaults()
        shared.withLock { $0 = nil }
    }

    /// The value of a key as Swift's types.
    public override func object(forKey defaultName: String) -> Any? {
        managed.object(forKey: defaultName)
    }

    /// The value as text; numbers and truth values are written out.
    public override func string(forKey defaultName: String) -> String? {
        managed.string(forKey: defaultName)
    }

    /// The value as a list.
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

    /// The value as a list of texts; `nil` where an element is something else.
    public override func stringArray(forKey defaultName: String) -> [String]? {
        managed.stringArray(forKey: defaultName)
    }

    /// The value as a whole number.
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

    /// The value as a truth value.
    public override func bool(forKey defaultName: String) -> Bool {
        managed.bool(forKey: defaultName)
    }

    /// The value as a URL; `nil` where it is none, whatever it is.
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
    /// A value that is no property list is refused, and ``onRefusal`` is told; Foundation would end the process.
    public override func set(_ value: Any?, forKey defaultName: String) {
        guard let value else { return removeObject(forKey: defaultName) }
        guard let plain = PlainValue.plain(value) else {
            let message = "The value for \(defaultName) is no property list, so it was not stored."
            return report(defaultName, .invalid(message))
        }
        report(defaultName, managed.set(plain, forKey: defaultName))
    }

    /// Sets a key to a whole number.
    public override func set(_ value: Int, forKey defaultName: String) {
        report(defaultName, managed.set(value, forKey: defaultName))
    }

    /// Sets a key to a floating-point number of single precision.
    public override func set(_ value: Float, forKey defaultName: String) {
        report(defaultName, managed.set(value, forKey: defaultName))
    }

    /// Sets a key to a floating-point number.
    public override func set(_ value: Double, forKey defaultName: String) {
        report(defaultName, managed.set(value, forKey: defaultName))
    }

    /// Sets a key to a truth value.
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

    /// Adds defaults behind everything else; values that are no property lists are left out, and ``onRefusal`` is told.
    public override func register(defaults registrationDictionary: [String: Any]) {
        for key in managed.register(defaults: PlainValue.plain(registrationDictionary)) {
            let reason = key.isEmpty ? "The key is empty" : "The value for \(key) is no property list"
            report(key, .invalid("\(reason), so it was not registered."))
        }
    }

    /// Writes what changed to disk, and takes over what changed there.
    ///
    /// - Returns: whether everything is on disk and readable.
    @discardableResult
    public override func synchronize() -> Bool {
        managed.synchronize()
    }

    /// Adds a shared domain to this object's search list.
    public override func addSuite(named suiteName: String) {
        guard !managed.addSuite(named: suiteName) else { return }
        report(suiteName, .invalid("No domain can have the name \(suiteName), so it was not added."))
    }

    /// Takes a shared domain out of this object's search list.
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

    /// Makes a volatile domain; refused where a volatile or persistent domain has the name.
    public override func setVolatileDomain(_ domain: [String: Any], forName domainName: String) {
        report(domainName, managed.setVolatileDomain(PlainValue.plain(domain), forName: domainName))
    }

    /// Removes a volatile domain.
    public override func removeVolatileDomain(forName domainName: String) {
        managed.removeVolatileDomain(forName: domainName)
    }

    /// What is stored for the user in a domain.
    public override func persistentDomain(forName domainName: String) -> [String: Any]? {
        managed.persistentDomain(forName: domainName)
    }

    /// Gives a stored domain exactly these keys and values, but for those that are forced.
    public override func setPersistentDomain(_ domain: [String: Any], forName domainName: String) {
        write(domainName) { managed.setPersistentDomain(PlainValue.plain(domain), forName: domainName) }
    }

    /// Removes what is stored for the user in a domain.
    public override func removePersistentDomain(forName domainName: String) {
        write(domainName) { managed.removePersistentDomain(forName: domainName) }
    }
}

extension ManagedUserDefaults {
    /// An object on its way between threads; sound because all of its members may be called from each.
    private final class Box: @unchecked Sendable {
        /// The object.
        let object: ManagedUserDefaults

        /// Keeps an object.
        init(_ object: ManagedUserDefaults) {
            self.object = object
        }
    }
}
