package import MDEngine
import MDPlatform
import MDPropertyList

/// The defaults of an application: the user's settings, with the values that an administrator forces ahead of them.
///
/// The interface is that of NSUserDefaults. Reading takes no lock. Writing returns a ``WriteOutcome``: a write to a forced
/// key changes nothing and is recorded in the audit log. A change is in effect at once, for every object of the process,
/// and is saved within 100 ms and at the end of the process. Changes by other processes and by the administrator arrive
/// without a call, from 100 ms after the first use.
///
/// ```swift
/// let defaults = ManagedDefaults.standard
/// defaults.register(defaults: ["HomePage": "about:blank"])
/// let page = defaults.string(forKey: "HomePage")
/// let isEditable = !defaults.objectIsForced(forKey: "HomePage")
/// ```
///
/// All members may be called from every thread.
///
/// The class has the name of its module, so that `ManagedDefaults.standard` reads like `UserDefaults.standard`. Such a
/// class hides the module's other names: `ManagedDefaults.X` always means a member of the class. Therefore every other
/// public type of the module is nested in the class, so that each can be named in full, and none collides with a name of
/// an application.
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
    /// The unreadable values of settings that were reported.
    let unreadableValues = UnreadableValues()
    /// The last answers about settings.
    let keptSettings = KeptSettings()

    /// The engine's snapshot for readers, without a reference that each read would count.
    private let cell: Unmanaged<SnapshotCell>

    /// Wraps an engine.
    package init(engine: DefaultsEngine) {
        self.engine = engine
        unsafe cell = Unmanaged.passUnretained(engine.cell)
    }

    /// Reads from the current snapshot.
    ///
    /// Counting a reference is the most expensive part of a read, and threads that share the counter wait for each other.
    @inline(__always)
    package func read<Result>(_ body: (SnapshotCell) -> Result) -> Result {
        // This object retains the engine, and the engine its cell, until the read has ended.
        defer { withExtendedLifetime(self) {} }
        return unsafe cell._withUnsafeGuaranteedRef(body)
    }

    /// The shared object; `nil` until it is used.
    private static let shared = Guarded<ManagedDefaults?>(resettable: nil)

    /// The defaults of this application and this user, with the standard search list.
    ///
    /// The application is the one that ``identify(as:)`` named, else the `CFBundleIdentifier` of an Info.plist beside the
    /// program that the user cannot write, else the name of the program's file. Changes of the object's search list
    /// persist until ``resetStandardUserDefaults()``.
    ///
    /// If the user has no account, or policy is unknown, the object exists all the same: nothing is stored then, and
    /// ``drainProblems()`` says why.
    public static var standard: ManagedDefaults {
        if let standard = shared.read({ $0 }) { return standard }
        // Opening may find that policy changed, and calls observers of other objects, which may use this one. So no lock is
        // held meanwhile, and of several objects that threads make at the same time one is used.
        let made = ManagedDefaults(engine: .ofCaller())
        return shared.withLock { shared in
            let standard = shared ?? made
            shared = standard
            return standard
        }
    }

    /// Saves the changes of the shared object and releases it; the next use of ``standard`` makes one with the standard
    /// search list.
    public static func resetStandardUserDefaults() {
        let old = shared.withLock { shared in
            defer { shared = nil }
            return shared
        }
        _ = old?.synchronize()
    }

    /// Sets the domain of this application, instead of the one that its files give.
    ///
    /// Call it before the first use of any object. A call that names the same domain again does nothing.
    ///
    /// - Parameter domain: the application's domain, in reverse DNS notation: `org.example.Browser`.
    /// - Throws: ``IdentityError`` if no file can have the name, or it is too late because an object exists already; the
    ///   identity is unchanged then.
    public static func identify(as domain: String) throws(IdentityError) {
        let name = MDPropertyList.Key(domain)
        guard DefaultsEngine.isUsableSuite(name) else { throw .unusableName(domain) }
        if let inUse = DefaultsEngine.identify(as: name) {
            throw .tooLate(name: domain, inUse: inUse.domain.string)
        }
    }

    /// The defaults of this application and this user, with an empty search list.
    ///
    /// Forced values are found nevertheless. ``searchList`` and ``addSuite(named:)`` add domains; writes go to the
    /// application's domain.
    public convenience init() {
        self.init(engine: .ofCaller(searchesNothing: true))
    }

    /// The defaults of this application and another user, with an empty search list.
    ///
    /// - Parameter user: the user's name. The result is `nil` if there is no such user, or it is not the caller. This
    ///   includes root, because files in another user's home are not opened with root's rights; `mdefaults --user` does
    ///   it in a process with the rights of that user.
    public convenience init?(user: String) {
        guard let engine = DefaultsEngine.ofUser(user) else { return nil }
        self.init(engine: engine)
    }

    /// The defaults of this user in a domain that applications share, with the standard search list of that domain.
    ///
    /// - Parameter suiteName: the suite's domain; `nil` for the search list of ``standard``. The result is `nil` for the
    ///   application's own domain, the global domain, and a name that no file can have.
    public convenience init?(suiteName: String?) {
        guard let suiteName else {
            self.init(engine: .ofCaller())
            return
        }
        guard let engine = DefaultsEngine.ofSuite(MDPropertyList.Key(suiteName)) else { return nil }
        self.init(engine: engine)
    }

    /// The defaults of an application on a machine that is represented by a folder.
    ///
    /// Meant for examples, tests and dry runs; audit records name the folder.
    ///
    /// - Parameters:
    ///   - root: the path of the folder that contains `etc`, `home` and `var`.
    ///   - user: a name of the folder's `etc/passwd`; `nil` for the entry with the caller's uid.
    ///   - application: the application's domain.
    ///   - arguments: a command line, whose `-key value` pairs are the argument domain; the first element is the program.
    /// - Throws: ``OpenError`` if the folder or the user does not exist, or no domain can have the application's name.
    public convenience init(
        root: String, user: String? = nil, application: String, arguments: [String] = []
    ) throws(OpenError) {
        let domain = MDPropertyList.Key(application)
        guard application == ManagedDefaults.globalDomain || DefaultsEngine.isUsableSuite(domain) else {
            throw .application(application)
        }
        do {
            self.init(
                engine: try DefaultsEngine(
                    folder: root, user: user, application: domain, arguments: arguments))
        } catch {
            throw OpenError(error)
        }
    }
}
