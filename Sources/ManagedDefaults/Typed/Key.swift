package import PropertyList

extension ManagedDefaults {
    /// A setting: its name, its type, its default, and how it is stored.
    ///
    /// The type may be anything Codable, a RawRepresentable over such a type, or anything at all with a ``Codec``.
    ///
    /// - `Bool`, whole and floating-point numbers and `String` are read as NSUserDefaults' typed getters read them: the
    ///   text `5` is the number 5, as the command line and other programs store it. Where the result does not fit the
    ///   type, the value counts as unreadable; `Int` alone takes the nearest, as `integer(forKey:)` does.
    /// - `Date` and `Data` are themselves. A `URL` is stored as its absolute string, which an administrator can read and
    ///   force; a path that begins with `/` or `~` and what `set(_:forKey:)` stores are read too.
    /// - RawRepresentable types are stored as their raw values, other Codable types as they encode themselves. These are
    ///   read strictly: in an array of numbers, a text is none.
    /// - `nil` is no value: setting it removes the key.
    ///
    /// A value that is there and cannot be read as the type is not used: the default is in its place, and
    /// ``takeProblems()`` says so once.
    @safe
    public final class Key<Value: Sendable>: Keys, @unchecked Sendable {
        /// The value where no domain has one.
        public let defaultValue: Value
        /// How the setting is stored.
        let codec: Codec<Value>

        /// Makes a key with a codec.
        ///
        /// - Parameters:
        ///   - name: the key in the user's domain, in policy files and on the command line.
        ///   - defaultValue: the value where no domain has one.
        ///   - codec: how the setting is stored.
        public init(_ name: String, default defaultValue: Value, codec: Codec<Value>) {
            self.defaultValue = defaultValue
            self.codec = codec
            super.init(name: name)
        }

        /// The default as it is registered.
        package override func registeredValue() throws -> PropertyList.Value? {
            try codec.encode(defaultValue)
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
