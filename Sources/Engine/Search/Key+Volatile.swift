package import PropertyList

extension Key {
    /// NSArgumentDomain: the pairs of the command line.
    package static let argument: Key = "NSArgumentDomain"
    /// NSRegistrationDomain: what the application registered.
    package static let registration: Key = "NSRegistrationDomain"
}
