import Engine
import Policy
import Preferences
import PropertyList

extension ManagedDefaults {
    /// The values of a setting: the one in effect, then the one after each change; of changes that nobody took in time
    /// the newest remains.
    ///
    /// The sequence ends when its task is cancelled. A change of who forces the setting, with the same value, is none;
    /// ``settings(of:)`` has those too.
    public func values<Value: Sendable>(of key: Key<Value>) -> Values<Value> {
        Values(settings: settings(of: key))
    }

    /// A setting now, then after each change of its value or of who forces it; of changes that nobody took in time the
    /// newest remains.
    ///
    /// The sequence ends when its task is cancelled.
    public func settings<Value: Sendable>(of key: Key<Value>) -> Settings<Value> {
        Settings(defaults: self, key: key)
    }

    /// A setting as it changes.
    public struct Settings<Value: Sendable>: AsyncSequence, Sendable {
        /// The defaults that hold the setting.
        let defaults: ManagedDefaults
        /// The setting.
        let key: Key<Value>

        /// Begins to observe.
        public func makeAsyncIterator() -> Iterator {
            Iterator(defaults, key)
        }

        /// One reader of the changes.
        public struct Iterator: AsyncIteratorProtocol {
            /// The defaults that hold the setting.
            private let defaults: ManagedDefaults
            /// The setting.
            private let key: Key<Value>
            /// Says that there is something new; what it is is looked up when the reader asks, so that it is never old.
            private var signals: AsyncStream<Void>.Iterator
            /// What the reader knows.
            private var known: DefaultsEngine.Look?
            /// Whether the last step changed the value, not only who forces it.
            private(set) var isNewValue = false

            /// Observes a setting from now on.
            init(_ defaults: ManagedDefaults, _ key: Key<Value>) {
                self.defaults = defaults
                self.key = key
                signals = AsyncStream<Void>(bufferingPolicy: .bufferingNewest(1)) { continuation in
                    let observation = defaults.observe(key.name) { _ in continuation.yield() }
                    continuation.onTermination = { _ in observation.cancel() }
                    continuation.yield()
                }.makeAsyncIterator()
            }

            /// The setting after the next change; `nil` once the task is cancelled.
            public mutating func next() async -> Setting<Value>? {
                while await signals.next() != nil {
                    let look = defaults.engine.look(at: PropertyList.Key(key.name))
                    if let known, look.isSame(as: known) { continue }
                    isNewValue = known.map { !look.hasSameValue(as: $0) } ?? true
                    known = look
                    return defaults.setting(for: key, look)
                }
                return nil
            }
        }
    }

    /// The values of a setting as it changes.
    public struct Values<Value: Sendable>: AsyncSequence, Sendable {
        /// The setting as it changes.
        let settings: Settings<Value>

        /// Begins to observe.
        public func makeAsyncIterator() -> Iterator {
            Iterator(settings: settings.makeAsyncIterator())
        }

        /// One reader of the values.
        public struct Iterator: AsyncIteratorProtocol {
            /// The setting as it changes.
            var settings: Settings<Value>.Iterator

            /// The value after the next change; `nil` once the task is cancelled.
            public mutating func next() async -> Value? {
                while let setting = await settings.next() {
                    if settings.isNewValue { return setting.value }
                }
                return nil
            }
        }
    }
}

extension DefaultsEngine.Look {
    /// Whether lookups return the same.
    fileprivate func hasSameValue(as other: Self) -> Bool {
        switch (value, other.value) {
        case (nil, nil): true
        case (let one?, let other?): one.isIdentical(to: other)
        default: false
        }
    }

    /// Whether a settings page would show the same.
    fileprivate func isSame(as other: Self) -> Bool {
        hasSameValue(as: other) && isSet == other.isSet && (forced == nil) == (other.forced == nil)
            && forced?.origin == other.forced?.origin && forced?.contact == other.forced?.contact
            && forced?.description == other.forced?.description
    }
}
