extension ManagedDefaults {
    /// The namespace of an application's settings: extend it with one constant for each.
    ///
    /// ```swift
    /// extension ManagedDefaults.Keys {
    ///     static let homePage = Key("HomePage", default: "about:blank")
    ///     static let zoom = Key("ZoomLevel", default: 1.0)
    /// }
    ///
    /// let zoom = ManagedDefaults.standard[.zoom]
    /// ```
    ///
    /// It has no members and no instances of its own. ``Key`` inherits from it for one reason: a leading dot (`.zoom`)
    /// searches the superclass, and a generic type cannot have stored constants.
    ///
    /// Sendable unchecked, because the compiler checks final classes only; there is no state.
    @safe
    public class Keys: @unchecked Sendable {
        /// A setting with its type.
        public typealias Key = ManagedDefaults.Key

        /// Permits the one subclass.
        fileprivate init() {}
    }

    /// A setting: its name, its type, its default, and how it is stored.
    ///
    /// The type may be anything Codable, a RawRepresentable over such a type, or anything at all with a ``Codec``.
    ///
    /// - `Bool`, integers, floating-point numbers and `String` are read as each other: the text `5` is the number 5, as the
    ///   command line and other programs store it. A text is a number only if all of it is one, and a `Bool` also if it is
    ///   `YES`, `NO`, `true`, `false` or their first letter; `wide` and `12abc` are unreadable. So is a number that does not
    ///   fit the type; only `Int` takes the nearest number, as `integer(forKey:)` does.
    /// - `Date` and `Data` are stored as such. A `URL` is stored as its absolute string, which an administrator can read
    ///   and force; a path that begins with `/` or `~` and the values that `set(_:forKey:)` stores are read too.
    /// - RawRepresentable types are stored as their raw values, other Codable types as they encode themselves. These are
    ///   read strictly: in an array of numbers, a text is unreadable.
    /// - `nil` is no value: setting it removes the key.
    ///
    /// If a value cannot be read as the type, the default is used, and ``drainProblems()`` reports it once.
    @safe
    public final class Key<Value: Sendable>: Keys, @unchecked Sendable {
        /// The key in the user's domain, in policy files and on the command line.
        public let name: String
        /// The value if no domain has one.
        public let defaultValue: Value
        /// How the setting is stored.
        let codec: Codec<Value>
        /// A number that no other key of the process has.
        let number = KeptSettings.nextNumber()

        /// Makes a key with a codec.
        ///
        /// - Parameters:
        ///   - name: the key in the user's domain, in policy files and on the command line; not empty.
        ///   - defaultValue: the value if no domain has one.
        ///   - codec: how the setting is stored.
        public init(_ name: String, default defaultValue: Value, codec: Codec<Value>) {
            self.name = name
            self.defaultValue = defaultValue
            self.codec = codec
            super.init()
        }
    }
}

extension ManagedDefaults.Key where Value: Codable {
    /// Makes a key of a Codable type.
    public convenience init(_ name: String, default defaultValue: Value) {
        self.init(name, default: defaultValue, codec: .codable)
    }
}

extension ManagedDefaults.Key where Value: RawRepresentable, Value.RawValue: Codable & Sendable {
    /// Makes a key of a type that is stored as its raw value.
    public convenience init(_ name: String, default defaultValue: Value) {
        self.init(name, default: defaultValue, codec: .rawValue)
    }

    /// Makes a key of a type that is stored as its raw value, though it is Codable too.
    public convenience init(_ name: String, default defaultValue: Value) where Value: Codable {
        self.init(name, default: defaultValue, codec: .rawValue)
    }
}

extension ManagedDefaults.Key {
    /// Makes a key without a default.
    public convenience init<Wrapped: Codable & Sendable>(_ name: String) where Value == Wrapped? {
        self.init(name, default: nil, codec: .codable)
    }

    /// Makes a key without a default, of a type that is stored as its raw value.
    public convenience init<Wrapped: RawRepresentable & Sendable>(_ name: String)
    where Value == Wrapped?, Wrapped.RawValue: Codable & Sendable {
        self.init(name, default: nil, codec: .optional(.rawValue))
    }

    /// Makes a key without a default, of a type that is stored as its raw value, though it is Codable too.
    public convenience init<Wrapped: RawRepresentable & Codable & Sendable>(_ name: String)
    where Value == Wrapped?, Wrapped.RawValue: Codable & Sendable {
        self.init(name, default: nil, codec: .optional(.rawValue))
    }
}
