package import Engine
import PropertyList

/// The defaults of an application: the user's settings, with what the administrator forces ahead of them.
///
/// The interface is that of NSUserDefaults. Reading takes no lock. Writing returns a ``WriteOutcome``: a write to a forced
/// key changes nothing and is audited.
///
/// ```swift
/// let defaults = ManagedDefaults.standard
/// defaults.register(defaults: ["HomePage": "about:blank"])
/// homePageField.isEnabled = !defaults.objectIsForced(forKey: "HomePage")
/// ```
public final class ManagedDefaults: Sendable {
    /// The name of the domain that every application reads.
    public static let globalDomain = "NSGlobalDomain"
    /// The name of the domain of the command line's `-key value` pairs.
    public static let argumentDomain = "NSArgumentDomain"
    /// The name of the domain of registered defaults.
    public static let registrationDomain = "NSRegistrationDomain"

    /// The search list, the snapshot and the store behind it.
    package let engine: DefaultsEngine

    /// Wraps an engine.
    package init(engine: DefaultsEngine) {
        self.engine = engine
    }

    /// The defaults of this application and this user, with the standard search list.
    ///
    /// The application is the one that ``identify(as:)`` named, else the `CFBundleIdentifier` of an Info.plist beside the
    /// program that the user cannot write, else the name of the program's file.
    public static let standard = ManagedDefaults(engine: .standard(suite: nil))

    /// Names this application, in place of what its files say.
    ///
    /// Call it before ``standard`` is used for the first time.
    ///
    /// - Parameter domain: the application's domain, in reverse DNS.
    /// - Returns: whether the name was taken; false once the identity is in use.
    @discardableResult
    public static func identify(as domain: String) -> Bool {
        DefaultsEngine.identify(as: Key(domain))
    }

    /// The defaults of this application, writing to and searching first a suite.
    ///
    /// - Parameter suiteName: the suite's domain; `nil` gives what ``standard`` has. The global domain and a name that no
    ///   file could have give `nil`.
    public convenience init?(suiteName: String?) {
        if let suiteName {
            guard DefaultsEngine.isUsableSuite(Key(suiteName)) else { return nil }
        }
        self.init(engine: .standard(suite: suiteName.map { Key($0) }))
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
    /// - Throws: ``OpenError`` where the folder or the user does not exist.
    public convenience init(
        root: String, user: String? = nil, application: String, arguments: [String] = []
    ) throws(OpenError) {
        do {
            self.init(
                engine: try DefaultsEngine(
                    folder: root, user: user, application: Key(application), arguments: arguments))
        } catch {
            throw OpenError(message: error.description)
        }
    }
}
