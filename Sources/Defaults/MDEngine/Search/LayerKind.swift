package import MDPropertyList

/// The places of the search list, from the one that is asked first; the raw values are those of `explain --json`.
package enum LayerKind: String, Sendable, CaseIterable {
    /// Forced by policy: application domain, suites, NSGlobalDomain.
    case forced
    /// `-key value` pairs of the command line (NSArgumentDomain).
    case argument
    /// The application's domain, this user, this host.
    case applicationHost = "application-host"
    /// The application's domain, this user.
    case application
    /// A suite, this host or any.
    case suite
    /// NSGlobalDomain, this user, this host.
    case globalHost = "global-host"
    /// NSGlobalDomain, this user.
    case global
    /// The application's domain, all users.
    case applicationAllUsers = "application-all-users"
    /// NSGlobalDomain, all users.
    case globalAllUsers = "global-all-users"
    /// Recommended by policy: application domain, suites, NSGlobalDomain.
    case recommended
    /// The languages of the user, in order.
    case language
    /// The defaults that the application registered (NSRegistrationDomain).
    case registration
}

extension LayerKind {
    /// Whether the user controls what the layer holds, so that constraints apply to it: arguments and stored domains.
    package var isUsers: Bool {
        switch self {
        case .argument, .applicationHost, .application, .suite, .globalHost, .global: true
        case .forced, .applicationAllUsers, .globalAllUsers, .recommended, .language, .registration: false
        }
    }
}

extension Key {
    /// NSArgumentDomain: the pairs of the command line.
    package static let argument: Key = "NSArgumentDomain"
    /// NSRegistrationDomain: what the application registered.
    package static let registration: Key = "NSRegistrationDomain"
    /// The key of the user's languages.
    static let appleLanguages: Key = "AppleLanguages"

    /// Whether the name is that of a domain that is always volatile.
    package var isVolatile: Bool { self == .argument || self == .registration }
}
