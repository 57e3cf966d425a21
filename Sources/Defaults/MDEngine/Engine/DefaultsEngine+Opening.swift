import MDPlatform
import MDPreferences
package import MDPropertyList

extension DefaultsEngine {
    /// The identity that the application's code named, and whether it can still be named.
    private struct Naming {
        /// The identity, once named or used.
        var identity: ApplicationIdentity?
        /// Whether it was used.
        var isInUse = false
    }

    /// The identity of this process.
    private static let naming = Guarded(resettable: Naming())

    /// Names the application before its first use.
    ///
    /// - Parameter domain: the application's domain, which a file can have.
    /// - Returns: the identity in use, if it is too late for another one; `nil` if the name counts.
    package static func identify(as domain: Key) -> ApplicationIdentity? {
        let new = ApplicationIdentity(domain: domain, source: .code)
        return naming.withLock { naming in
            if naming.isInUse { return naming.identity == new ? nil : naming.identity }
            naming.identity = new
            return nil
        }
    }

    /// The identity of this process, which stays from now on.
    private static func useIdentity() -> ApplicationIdentity {
        if let identity = naming.read({ $0.isInUse ? $0.identity : nil }) { return identity }
        return naming.withLock { naming in
            let identity = naming.identity ?? .ofCurrentProcess()
            naming = Naming(identity: identity, isInUse: true)
            return identity
        }
    }

    /// Whether a name can be that of a suite.
    package static func isUsableSuite(_ name: Key) -> Bool {
        name != DomainName.global && !name.isVolatile && (try? DomainName.validate(name)) != nil
    }

    /// Opens the caller's defaults on this machine.
    ///
    /// - Parameter searchesNothing: whether the search list begins empty.
    /// - Returns: the engine; policy that could be read is in force in any case.
    package static func ofCaller(searchesNothing: Bool = false) -> DefaultsEngine {
        let identity = useIdentity()
        return DefaultsEngine(
            store: .ofCaller(), identity: identity, domain: identity.domain, arguments: processArguments,
            searchesNothing: searchesNothing)
    }

    /// Opens the caller's defaults on this machine for an application that the code of a program in another language names.
    ///
    /// The command line of such a program belongs to its interpreter and is not searched. One process may host several
    /// applications, each with its own engine.
    ///
    /// - Parameter application: the application's domain, which a file can have; `nil` for the one that the program's files
    ///   give.
    /// - Returns: the engine; policy that could be read is in force in any case.
    package static func ofApplication(_ application: Key?) -> DefaultsEngine {
        let identity = application.map { ApplicationIdentity(domain: $0, source: .code) } ?? useIdentity()
        return DefaultsEngine(store: .ofCaller(), identity: identity, domain: identity.domain)
    }

    /// Opens the caller's defaults on this machine, with a suite in the place of the application's own domain.
    ///
    /// - Returns: `nil` for the application's own domain, which is not a suite, and for names that no suite has.
    package static func ofSuite(_ suite: Key) -> DefaultsEngine? {
        let identity = useIdentity()
        guard suite != identity.domain, isUsableSuite(suite) else { return nil }
        return DefaultsEngine(
            store: .ofCaller(), identity: identity, domain: suite, arguments: processArguments)
    }

    /// The pairs of this process's command line.
    private static var processArguments: [Key: Value] { ArgumentDomain.values(of: [""] + CurrentProcess.arguments) }

    /// Opens the defaults of a user on this machine, if the caller may.
    ///
    /// - Parameter name: the user's name.
    /// - Returns: `nil` if there is no such user, or it is another user than the caller: root, too, must not open
    ///   files in another user's home with root's rights.
    package static func ofUser(_ name: String) -> DefaultsEngine? {
        let store = DefaultsStore.ofCaller()
        guard let account = store.account, account.name == name else { return nil }
        return DefaultsEngine(
            store: store, identity: useIdentity(), domain: useIdentity().domain, arguments: processArguments,
            searchesNothing: true)
    }

    /// Opens the defaults of an application on a machine whose `/` is a folder.
    ///
    /// - Parameters:
    ///   - folder: the folder.
    ///   - user: the user's name; `nil` for the caller.
    ///   - application: the application's domain.
    ///   - arguments: the command line whose pairs count.
    /// - Throws: if the folder or the user does not exist.
    package convenience init(
        folder: String, user: String?, application: Key, arguments: [String]
    ) throws(SessionError) {
        self.init(
            store: try .open(folder: folder, user: user),
            identity: ApplicationIdentity(domain: application, source: .code), domain: application,
            arguments: ArgumentDomain.values(of: arguments))
    }
}
