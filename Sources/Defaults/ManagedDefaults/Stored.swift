extension ManagedDefaults {
    /// A property that is a setting.
    ///
    /// ```swift
    /// extension ManagedDefaults.Keys {
    ///     static let zoom = Key("ZoomLevel", default: 1.0)
    /// }
    ///
    /// struct Page {
    ///     @ManagedDefaults.Stored(.zoom) var zoom
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

        /// The value now and after each change; see ``ManagedDefaults/values(for:)``.
        public var values: Values<Value> { defaults.values(for: key) }

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
