/// Usual mistakes, with the way that leads on: spellings of other types, and names and keys in each other's place.
///
/// None of them can be called; the compiler shows the message.
extension ManagedDefaults {
    /// Explains how a key is read by its name.
    @available(*, unavailable, message: "Use object(forKey:) and set(_:forKey:), or declare a ManagedDefaults.Key.")
    public subscript(name: String) -> (any Sendable)? {
        get { nil }
        set {}
    }

    /// Spelled as in key-value coding.
    @available(*, unavailable, renamed: "object(forKey:)")
    public func value(forKey key: String) -> (any Sendable)? { nil }

    /// Spelled as in key-value coding.
    @available(*, unavailable, renamed: "set(_:forKey:)")
    public func setValue(_ value: Any?, forKey key: String) {}

    /// Spelled as in dictionaries.
    @available(*, unavailable, renamed: "removeObject(forKey:)")
    public func removeValue(forKey key: String) {}

    /// Lacks the label.
    @available(*, unavailable, renamed: "register(defaults:)")
    public func register(_ defaults: [String: Any]) {}

    /// Explains how changes are followed.
    @available(
        *, unavailable,
        message: "Use settings(for:) or observeChanges(forKey:_:); ManagedUserDefaults posts the notification."
    )
    public static var didChangeNotification: String { "" }

    /// Explains which settings can be `nil`.
    @available(
        *, unavailable, message: "The setting's type has no nil. Use remove(_:), or declare an optional type."
    )
    public func set<Value: Sendable>(_ value: _OptionalNilComparisonType, for key: Key<Value>) {}

    /// A key with the label of names.
    @available(*, unavailable, message: "A declared key is set with set(_:for:).")
    public func set<Value: Sendable>(_ value: Value, forKey key: Key<Value>) {}

    /// A key with the label of names.
    @available(*, unavailable, message: "A declared key is read with the subscript: defaults[.key].")
    public func object<Value: Sendable>(forKey key: Key<Value>) -> Value { key.defaultValue }

    /// A key with the label of names.
    @available(*, unavailable, renamed: "isForced(_:)")
    public func objectIsForced<Value>(forKey key: Key<Value>) -> Bool { true }

    /// A name in the place of a key.
    @available(*, unavailable, renamed: "objectIsForced(forKey:)")
    public func isForced(_ name: String) -> Bool { true }

    /// A key with the label of names.
    @available(*, unavailable, renamed: "remove(_:)")
    public func removeObject<Value>(forKey key: Key<Value>) {}

    /// A name in the place of a key.
    @available(*, unavailable, message: "Only a declared key has settings. By name, use observeChanges(forKey:_:).")
    public func settings(for name: String) -> Settings<String?> { settings(for: Key(name)) }

    /// A name in the place of a key.
    @available(
        *, unavailable,
        message: "Only a declared key has a setting. By name, use object(forKey:) and forcedEntry(forKey:)."
    )
    public func setting(for name: String) -> Setting<String?> { setting(for: Key(name)) }
}

extension ManagedDefaults.Key {
    /// Explains which types can be stored.
    @available(
        *, unavailable,
        message: "A setting is Codable, or RawRepresentable over a Codable type, or has a codec: Key(_:default:codec:)."
    )
    public convenience init(_ name: String, default defaultValue: Value) {
        self.init(
            name, default: defaultValue,
            codec: .init { _ in
                nil
            } decode: { _, _ in
                defaultValue
            })
    }

    /// Explains which keys have no default.
    @available(*, unavailable, message: "The key needs a default, Key(_:default:), or an optional type.")
    public convenience init?(_ name: String) where Value: Codable { return nil }
}

extension ManagedDefaults.Stored {
    /// Explains which types can be stored.
    @available(
        *, unavailable,
        message: "A setting is Codable, or RawRepresentable over a Codable type, or has a declared key with a codec."
    )
    public init(wrappedValue: Value, _ name: String, in defaults: ManagedDefaults? = nil) {
        let codec = ManagedDefaults.Codec<Value> { _ in
            nil
        } decode: { _, _ in
            wrappedValue
        }
        self.init(ManagedDefaults.Key(name, default: wrappedValue, codec: codec), in: defaults)
    }

    /// Explains where the default of a declared key is.
    @available(*, unavailable, message: "The declared key has the default: leave out the value of the property.")
    public init(wrappedValue: Value, _ key: ManagedDefaults.Key<Value>, in defaults: ManagedDefaults? = nil) {
        self.init(key, in: defaults)
    }
}
