import MDEngine
import MDPropertyList

extension ManagedDefaults {
    /// What lookups find at one moment, for readers of several keys that belong together: a host and its port, all
    /// controls of a page.
    ///
    /// Later changes do not reach it. It is a value: keep it as long as needed, and pass it on.
    ///
    /// ```swift
    /// let snapshot = ManagedDefaults.standard.snapshot()
    /// let (host, port) = (snapshot.string(forKey: "ProxyHost"), snapshot.integer(forKey: "ProxyPort"))
    /// let isEditable = !snapshot.objectIsForced(forKey: "ProxyHost")
    /// ```
    public struct Snapshot: Sendable {
        /// The defaults, which resolve `~` in paths.
        private let defaults: ManagedDefaults
        /// What lookups find.
        private let content: EngineSnapshot

        /// Describes the present.
        init(_ defaults: ManagedDefaults) {
            self.defaults = defaults
            content = defaults.engine.snapshot()
        }

        /// Every key that has a value, in byte order.
        public var keys: [String] { content.keys.map(\.string) }

        /// The value of a setting; see the subscript of ``ManagedDefaults``.
        public subscript<Value: Sendable>(key: Key<Value>) -> Value {
            guard let stored = content.cell.value(key.name) else { return key.defaultValue }
            return defaults.decode(stored, of: key)
        }

        /// The value of a key; see ``ManagedDefaults/object(forKey:)``.
        public func object(forKey key: String) -> (any Sendable)? { content.cell.value(key).map { $0.bridged } }

        /// The value as a Boolean; see ``ManagedDefaults/bool(forKey:)``.
        public func bool(forKey key: String) -> Bool { content.cell.boolean(key) }

        /// The value as an integer; see ``ManagedDefaults/integer(forKey:)``.
        public func integer(forKey key: String) -> Int { content.cell.integer(key) }

        /// The value as a floating-point number; see ``ManagedDefaults/double(forKey:)``.
        public func double(forKey key: String) -> Double { content.cell.double(key) }

        /// The value as text; see ``ManagedDefaults/string(forKey:)``.
        public func string(forKey key: String) -> String? { content.cell.string(key) }

        /// A type whose properties are settings; see ``ManagedDefaults/settings(_:)``.
        public func settings<Settings: Decodable>(_ type: Settings.Type = Settings.self) throws -> Settings {
            try ValueDecoder.decode(type, from: self)
        }

        /// Whether an administrator decides the value of a key; see ``ManagedDefaults/objectIsForced(forKey:)``.
        public func objectIsForced(forKey key: String) -> Bool { content.cell.isForced(key) }

        /// Whether an administrator decides the value of a setting.
        public func isForced<Value>(_ key: Key<Value>) -> Bool { objectIsForced(forKey: key.name) }

        /// The policy entry that forces a key; `nil` if the user decides.
        public func forcedEntry(forKey key: String) -> PolicyEntry? {
            content.rule(of: MDPropertyList.Key(key)).entry.map { PolicyEntry($0, in: defaults.engine.root) }
        }

        /// The policy entry that forces a setting; `nil` if the user decides.
        public func forcedEntry<Value>(for key: Key<Value>) -> PolicyEntry? { forcedEntry(forKey: key.name) }
    }

    /// What lookups find now, of all keys at one moment.
    ///
    /// Complexity: O(1) if the defaults did not change since the last read, else O(keys). The first write after it costs
    /// the next read O(keys).
    public func snapshot() -> Snapshot {
        Snapshot(self)
    }
}

extension ManagedDefaults.Snapshot: DecodedLookups {
    /// The value that a lookup returns.
    func value(of key: String) -> MDPropertyList.Value? { content.cell.value(key) }
}
