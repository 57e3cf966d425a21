extension ManagedDefaults {
    /// A property that is a setting, of a declared key or of a name.
    ///
    /// ```swift
    /// extension ManagedDefaults.Keys {
    ///     static let zoom = Key("ZoomLevel", default: 1.0)
    /// }
    ///
    /// struct Page {
    ///     @ManagedDefaults.Stored(.zoom) var zoom
    ///     @ManagedDefaults.Stored("ShowsSidebar") var showsSidebar = false
    ///     @ManagedDefaults.Stored("Proxy") var proxy: String?
    /// }
    ///
    /// let page = Page()
    /// page.zoom = 1.5                             // ignores the outcome of the write
    /// let isEditable = !page.$zoom.isForced
    /// if let message = page.$zoom.set(1.5).message { print(message) }
    /// ```
    @propertyWrapper
    public struct Stored<Value: Sendable>: Sendable {
        /// The setting.
        public let key: Key<Value>
        /// The defaults that were given; `nil` for the standard ones, which are looked up at each use.
        private let given: ManagedDefaults?

        /// Makes a property.
        ///
        /// - Parameters:
        ///   - key: the setting.
        ///   - defaults: the defaults that contain it; `nil` for ``ManagedDefaults/standard`` at the time of each use.
        public init(_ key: Key<Value>, in defaults: ManagedDefaults? = nil) {
            self.key = key
            given = defaults
        }

        /// The defaults that contain the setting.
        public var defaults: ManagedDefaults { given ?? .standard }

        /// The value in effect.
        ///
        /// Setting it ignores the outcome of the write.
        public var wrappedValue: Value {
            get { defaults[key] }
            nonmutating set { defaults.set(newValue, for: key) }
        }

        /// The property itself, with its further members.
        public var projectedValue: Self { self }

        /// The setting at this moment; see ``ManagedDefaults/setting(for:)``.
        public var setting: Setting<Value> { defaults.setting(for: key) }

        /// Whether an administrator decides the value.
        public var isForced: Bool { defaults.isForced(key) }

        /// The setting now and after each change; see ``ManagedDefaults/settings(for:)``.
        public var settings: Settings<Value> { defaults.settings(for: key) }

        /// Sets the setting; see ``ManagedDefaults/set(_:for:)``.
        @discardableResult
        public func set(_ value: Value) -> WriteOutcome {
            defaults.set(value, for: key)
        }

        /// Removes the setting from the application's domain, so that other domains or the default answer.
        @discardableResult
        public func remove() -> WriteOutcome {
            defaults.remove(key)
        }
    }
}

/// Properties of a name, with the default that is written behind them.
extension ManagedDefaults.Stored where Value: Codable {
    /// Makes a property of a Codable type.
    ///
    /// - Parameters:
    ///   - wrappedValue: the value if no domain has one.
    ///   - name: the key in the user's domain, in policy files and on the command line; not empty.
    ///   - defaults: the defaults that contain it; `nil` for ``ManagedDefaults/standard`` at the time of each use.
    public init(wrappedValue: Value, _ name: String, in defaults: ManagedDefaults? = nil) {
        self.init(ManagedDefaults.Key(name, default: wrappedValue), in: defaults)
    }
}

extension ManagedDefaults.Stored where Value: RawRepresentable, Value.RawValue: Codable & Sendable {
    /// Makes a property of a type that is stored as its raw value.
    public init(wrappedValue: Value, _ name: String, in defaults: ManagedDefaults? = nil) {
        self.init(ManagedDefaults.Key(name, default: wrappedValue), in: defaults)
    }

    /// Makes a property of a type that is stored as its raw value, though it is Codable too.
    public init(wrappedValue: Value, _ name: String, in defaults: ManagedDefaults? = nil) where Value: Codable {
        self.init(ManagedDefaults.Key(name, default: wrappedValue), in: defaults)
    }
}

extension ManagedDefaults.Stored {
    /// Makes a property without a default.
    public init<Wrapped: Codable & Sendable>(_ name: String, in defaults: ManagedDefaults? = nil)
    where Value == Wrapped? {
        self.init(ManagedDefaults.Key(name), in: defaults)
    }

    /// Makes a property without a default, of a type that is stored as its raw value.
    public init<Wrapped: RawRepresentable & Sendable>(_ name: String, in defaults: ManagedDefaults? = nil)
    where Value == Wrapped?, Wrapped.RawValue: Codable & Sendable {
        self.init(ManagedDefaults.Key(name), in: defaults)
    }

    /// Makes a property without a default, of a type that is stored as its raw value, though it is Codable too.
    public init<Wrapped: RawRepresentable & Codable & Sendable>(_ name: String, in defaults: ManagedDefaults? = nil)
    where Value == Wrapped?, Wrapped.RawValue: Codable & Sendable {
        self.init(ManagedDefaults.Key(name), in: defaults)
    }
}
