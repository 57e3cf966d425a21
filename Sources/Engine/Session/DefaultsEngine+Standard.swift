import Platform
import Policy
import Preferences
package import PropertyList

extension DefaultsEngine {
    /// The identity that the application's code named, and whether it can still be named.
    private struct Naming {
        /// The identity, once named or used.
        var identity: ApplicationIdentity?
        /// Whether somebody used it.
        var isInUse = false
    }

    /// The identity of this process.
    private static let naming = Guarded(Naming())

    /// Names the application before its first use.
    ///
    /// - Returns: whether the name was taken.
    package static func identify(as domain: Key) -> Bool {
        guard (try? DomainName.validate(domain)) != nil else { return false }
        return naming.withLock { naming in
            guard !naming.isInUse else { return false }
            naming.identity = ApplicationIdentity(domain: domain, source: .code)
            return true
        }
    }

    /// The identity of this process, which stays from now on.
    private static func useIdentity() -> ApplicationIdentity {
        naming.withLock { naming in
            let identity = naming.identity ?? .ofCurrentProcess()
            naming = Naming(identity: identity, isInUse: true)
            return identity
        }
    }

    /// Whether a name can be that of a suite.
    package static func isUsableSuite(_ name: Key) -> Bool {
        name != DomainName.global && (try? DomainName.validate(name)) != nil
    }

    /// Opens the caller's defaults on this machine.
    ///
    /// Where the caller has no account, defaults live in memory only, and ``takeProblems()`` says so.
    ///
    /// - Parameter suite: a suite that is written and searched first; `nil` for the application's own domain.
    /// - Returns: the engine; policy that could be read is in force in any case.
    package static func standard(suite: Key?) -> DefaultsEngine {
        let identity = useIdentity()
        var session: UserSession?
        var problems: [String] = []
        do {
            let machine = try PolicyMachine(folder: nil, mayRenew: CurrentProcess.uid == 0)
            session = UserSession(machine: machine, account: try machine.account(named: nil))
        } catch {
            problems.append(error.description)
        }
        let suites = suite == nil || suite == identity.domain ? [] : [identity.domain]
        return DefaultsEngine(
            session: session, problems: problems, identity: identity, domain: suite ?? identity.domain,
            suites: suites, arguments: ArgumentDomain.values(of: CommandLine.arguments), folder: nil, user: nil)
    }
}
