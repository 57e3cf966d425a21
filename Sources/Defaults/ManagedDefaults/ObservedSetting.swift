public import Observation

extension ManagedDefaults {
    /// A setting that takes part in Observation: code that reads it within `withObservationTracking` or `Observations` is
    /// notified when its value, or the policy entry that forces it, changes.
    ///
    /// It is for interfaces that are built on Observation; ``ManagedDefaults/settings(for:)`` needs no object that is kept.
    ///
    /// ```swift
    /// import Observation
    ///
    /// extension ManagedDefaults.Keys {
    ///     static let zoom = Key("ZoomLevel", default: 1.0)
    /// }
    ///
    /// let zoom = ManagedDefaults.ObservedSetting(.zoom)
    /// for await value in Observations({ zoom.value }) { print(value) }
    /// ```
    public final class ObservedSetting<Value: Sendable>: Observable, Sendable {
        /// The setting.
        public let key: Key<Value>
        /// The defaults that contain it.
        public let defaults: ManagedDefaults
        /// The code that has read the setting.
        private let readers: SettingReaders
        /// Ends with this object.
        private let observation: ManagedDefaults.Observation

        /// Observes a setting.
        ///
        /// - Parameters:
        ///   - key: the setting.
        ///   - defaults: the defaults that contain it.
        public init(_ key: Key<Value>, in defaults: ManagedDefaults = .standard) {
            let readers = SettingReaders()
            self.key = key
            self.defaults = defaults
            self.readers = readers
            observation = defaults.observeChanges(forKey: key.name) { _ in readers.notify() }
        }

        /// The setting at this moment; see ``ManagedDefaults/setting(for:)``.
        public var setting: Setting<Value> {
            readers.add()
            return defaults.setting(for: key)
        }

        /// The value in effect.
        ///
        /// Setting it ignores the outcome of the write.
        public var value: Value {
            get {
                readers.add()
                return defaults[key]
            }
            set { defaults.set(newValue, for: key) }
        }

        /// Whether an administrator decides the value.
        public var isForced: Bool {
            readers.add()
            return defaults.isForced(key)
        }

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

/// The code that has read an observed setting since the last change.
private final class SettingReaders: Observable, Sendable {
    /// Remembers readers until the next change.
    private let registrar = ObservationRegistrar()

    /// The one property that readers are registered for: each part of a setting changes with the others.
    private var setting: Void { () }

    /// Registers the code that is reading at present.
    func add() {
        registrar.access(self, keyPath: \.setting)
    }

    /// Notifies the readers; a lookup finds the new value by then.
    func notify() {
        registrar.withMutation(of: self, keyPath: \.setting) {}
    }
}
