public import Observation

extension ManagedDefaults {
    /// A setting that takes part in Observation: whoever reads it with `withObservationTracking` or in `Observations` is
    /// told of changes of its value and of who forces it.
    ///
    /// ```swift
    /// let zoom = ManagedDefaults.ObservedSetting(.zoom, in: defaults)
    /// for await zoom in Observations({ zoom.value }) { page.scale(zoom) }
    /// ```
    public final class ObservedSetting<Value: Sendable>: Observable, Sendable {
        /// The setting.
        public let key: Key<Value>
        /// The defaults that hold it.
        public let defaults: ManagedDefaults
        /// Who reads it.
        private let readers: SettingReaders
        /// Ends with this object.
        private let observation: ManagedDefaults.Observation

        /// Observes a setting.
        ///
        /// - Parameters:
        ///   - key: the setting.
        ///   - defaults: the defaults that hold it.
        public init(_ key: Key<Value>, in defaults: ManagedDefaults = .standard) {
            let readers = SettingReaders()
            self.key = key
            self.defaults = defaults
            self.readers = readers
            observation = defaults.observe(key.name) { _ in readers.tell() }
        }

        /// The setting with who forces it and why, taken in one look.
        public var setting: Setting<Value> {
            readers.note()
            return defaults.setting(for: key)
        }

        /// The value in effect; setting it ignores what becomes of the write.
        public var value: Value {
            get {
                readers.note()
                return defaults[key]
            }
            set { defaults.set(newValue, for: key) }
        }

        /// Whether an administrator decides the value: a control for the setting belongs disabled.
        public var isForced: Bool {
            readers.note()
            return defaults.isForced(key)
        }

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

/// Who reads an observed setting.
private final class SettingReaders: Observable, Sendable {
    /// Remembers readers until the next change.
    private let registrar = ObservationRegistrar()

    /// What readers are said to read: a setting is one thing, whichever part of it they look at.
    private var setting: Void { () }

    /// Remembers whoever is reading now.
    func note() {
        registrar.access(self, keyPath: \.setting)
    }

    /// Tells who read; what they read next is the new state already.
    func tell() {
        registrar.withMutation(of: self, keyPath: \.setting) {}
    }
}
