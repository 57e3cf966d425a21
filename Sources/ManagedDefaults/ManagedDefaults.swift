package import Engine
import Platform
import PropertyList

/// The defaults of an application: the user's settings, with what the administrator forces ahead of them.
///
/// The interface is that of NSUserDefaults. Reading takes no lock. Writing returns a ``WriteOutcome``: a write to a forced
/// key changes nothing and is audited. A change is in effect at once, for every object of the process, and reaches the
/// disk by itself within a tenth of a second and at the end of the process; what other processes and the administrator
/// change arrives by itself too, from a tenth of a second after the first use on.
///
/// ```swift
/// let defaults = ManagedDefaults.standard
/// defaults.register(defaults: ["HomePage": "about:blank"])
/// homePageField.isEnabled = !defaults.objectIsForced(forKey: "HomePage")
/// ```
@safe
public final class ManagedDefaults: Sendable {
    /// The name of the domain that every application reads.
    public static let globalDomain = "NSGlobalDomain"
    /// The name of the domain of the command line's `-key value` pairs.
    public static let argumentDomain = "NSArgumentDomain"
    /// The name of the domain of registered defaults.
    public static let registrationDomain = "NSRegistrationDomain"

    /// The search list, the snapshot and the store behind it.
    package let engine: DefaultsEngine
    /// The unreadable values of typed keys that were complained about.
    let complaints = Complaints()

    /// What readers see: the engine's cell, without a reference that each read would count.
    private let cell: Unmanaged<SnapshotCell>

    /// Wraps an engine.
    package init(engine: DefaultsEngine) {
        self.engine = engine
        unsafe cell = Unmanaged.passUnretained(engine.cell)
    }

    /// Reads from what the last change left.
    ///
    /// Counting a reference is the most expensive part of a read, and threads that share the counter wait for each other.
    @inline(__always)
    package func read<Result>(_ body: (SnapshotCell) -> Result) -> Result {
        // The engine keeps its cell, and this object its engine, for as long as anybody reads.
        defer { withExtendedLifetime(self) {} }
        return unsafe cell._withUnsafeGuaranteedRef(body)
    }

    /// The shared object, once somebody asked for it.
    private static let shared = Guarded<ManagedDefaults?>(nil)

    /// The defaults of this application and this user, with the standard search list.
    ///
    /// The application is the one that ``identify(as:)`` named, else the `CFBundleIdentifier` of an Info.plist beside the
    /// program that the user cannot write, else the name of the program's file. Changes of the object's search list stay;
    /// ``resetStandardUserDefaults()`` makes another object.
    public static var standard: ManagedDefaults {
        if let standard = shared.withLock({ $0 }) { return standard }
        // Opening may find that policy changed, and tells observers of other objects, who may ask for this one: no lock may
        // be held meanwhile. Of several that are made at the same time all but one are let go.
        let made = ManagedDefaults(engine: .ofCaller())
        return shared.withLock { shared in
            let standard = shared ?? made
            shared = standard
            return standard
        }
    }

    /// Saves what the shared object changed and lets it go; the next use of ``standard`` makes one with the standard
    /// search list.
    public static func resetStandardUserDefaults() {
        let old = shared.withLock { shared in
            defer { shared = nil }
            return shared
        }
        _ = old?.synchronize()
    }

    /// Names this application, in place of what its files say.
    ///
    /// Call it before ``standard`` is used for the first time.
    ///
    /// - Parameter domain: the application's domain, in reverse DNS.
    /// - Returns: whether the name was taken; false once the identity is in use.
    @discardableResult
    public static func identify(as domain: String) -> Bool {
        DefaultsEngine.identify(as: PropertyList.Key(domain))
    }

    /// The defaults of this application and this user, with an empty search list.
    ///
    /// What is forced is found all the same; ``searchList`` and ``addSuite(named:)`` add to it. Arguments and registered
    /// defaults are set up.
    public convenience init() {
        self.init(engine: .ofCaller(searchesNothing: true))
    }

    /// The defaults of this application and another user, with an empty search list.
    ///
    /// - Parameter user: the user's name. `nil` is returned where there is no such user or where it is not the caller:
    ///   also root does not open files in another user's home with root's rights; `mdefaults --user` does it in a process
    ///   that has taken on the user's.
    public convenience init?(user: String) {
        guard let engine = DefaultsEngine.ofUser(user) else { return nil }
        self.init(engine: engine)
    }

    /// The defaults of this user in a domain that applications share, with the standard search list of that domain.
    ///
    /// - Parameter suiteName: the suite's domain; `nil` gives what ``standard`` has. The application's own domain, the
    ///   global domain and a name that no file could have give `nil`.
    public convenience init?(suiteName: String?) {
        guard let suiteName else {
            self.init(engine: .ofCaller())
            return
        }
        guard let engine = DefaultsEngine.ofSuite(PropertyList.Key(suiteName)) else { return nil }
        self.init(engine: engine)
    }

    /// The defaults of an application on the machine that a folder stands for.
    ///
    /// Meant for examples, tests and dry runs; audit records say which root it was.
    ///
    /// - Parameters:
    ///   - root: the folder that holds `etc`, `home` and `var`.
    ///   - user: a name of the folder's `etc/passwd`; `nil` is the entry with the caller's uid.
    ///   - application: the application's domain.
    ///   - arguments: the command line whose `-key value` pairs count.
    /// - Throws: ``OpenError`` where the folder or the user does not exist, or no domain can have the application's name.
    public convenience init(
        root: String, user: String? = nil, application: String, arguments: [String] = []
    ) throws(OpenError) {
        let domain = PropertyList.Key(application)
        guard application == ManagedDefaults.globalDomain || DefaultsEngine.isUsableSuite(domain) else {
            throw OpenError(message: "\(domain) cannot be the name of an application's domain.")
        }
        do {
            self.init(
                engine: try DefaultsEngine(
                    folder: root, user: user, application: domain, arguments: arguments))
        } catch {
            throw OpenError(message: error.description)
        }
    }
}
