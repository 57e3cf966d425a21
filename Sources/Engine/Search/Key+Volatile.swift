package import PropertyList

extension Key {
    /// NSArgumentDomain: the pairs of the command line.
    package static let argument: Key = "NSArgumentDomain"
    /// NSRegistrationDomain: what the application registered.
    package static let registration: Key = "NSRegistrationDomain"
    /// The key of the user's languages.
    static let appleLanguages: Key = "AppleLanguages"
}

extension Key {
    /// Whether the name is that of a domain which always is volatile.
    package var isVolatile: Bool { self == .argument || self == .registration }
}
