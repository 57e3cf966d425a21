package import PropertyList

extension ManagedDefaults {
    /// The names of an application's settings; extend it with one constant for each.
    ///
    /// ```swift
    /// extension ManagedDefaults.Keys {
    ///     static let homePage = Key("HomePage", default: "about:blank")
    ///     static let zoom = Key("ZoomLevel", default: 1.0)
    /// }
    /// let zoom = defaults[.zoom]
    /// ```
    ///
    /// Sendable unchecked, as the compiler wants final classes: it is immutable, and so is the one subclass.
    @safe
    public class Keys: @unchecked Sendable {
        /// A setting with its type.
        public typealias Key = ManagedDefaults.Key

        /// The key in the user's domain, in policy files and on the command line.
        public let name: String

        /// Makes a key of some type.
        init(name: String) {
            self.name = name
        }

        /// The default as it is registered; `nil` where that is no value.
        ///
        /// - Throws: why the default cannot be stored.
        package func registeredValue() throws -> PropertyList.Value? { nil }
    }
}
