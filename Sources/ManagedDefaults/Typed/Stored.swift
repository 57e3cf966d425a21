extension ManagedDefaults {
    /// A property that is a setting.
    ///
    /// ```swift
    /// struct Page {
    ///     @ManagedDefaults.Stored(.zoom) var zoom
    /// }
    /// page.zoom = 1.5                            // what becomes of it is not told
    /// zoomField.isEnabled = !page.$zoom.isForced
    /// if case .refused(let forced) = page.$zoom.set(1.5) { show(forced.message) }
    /// ```
    @propertyWrapper
    public struct Stored<Value: Sendable>: Sendable {
        /// The setting.
        public let key: Key<Value>
        /// The defaults that were given; `nil` for the standard ones, looked up at each use.
        private let given: ManagedDefaults?

        /// Makes a property.
        ///
        /// - Parameters:
        ///   - key: the setting.
        ///   - defaults: the defaults that hold it; `nil` for ``ManagedDefaults/standard``.
        public init(_ key: Key<Value>, in defaults: ManagedDefaults? = nil) {
            self.key = key
            given = defaults
        }

        /// The defaults that hold the setting.
        public var defaults: ManagedDefaults { given ?? .standard }

        /// The value in effect; setting it ignores what becomes of the write.
        public var wrappedValue: Value {
            get { defaults[key] }
            nonmutating set { defaults.set(newValue, for: key) }
        }

        /// The property itself, with what a settings page needs.
        public var projectedValue: Self { self }

        /// The setting with who forces it and why, taken in one look.
        public var setting: Setting<Value> { defaults.setting(for: key) }

        /// Whether an administrator decides the value: a control for the setting belongs disabled.
        public var isForced: Bool { defaults.isForced(key) }

        /// The value now and after each change.
        public var values: Values<Value> { defaults.values(of: key) }

        /// Sets the setting, and tells what became of it.
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
