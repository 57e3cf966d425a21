import MDEngine
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPreferences
import MDPropertyList

extension ManagedDefaults {
    /// A setting at one moment: its value, the policy entry that forces it, and the allowed values, read together.
    ///
    /// ```swift
    /// extension ManagedDefaults.Keys {
    ///     static let zoom = Key("ZoomLevel", default: 1.0)
    /// }
    ///
    /// let setting = ManagedDefaults.standard.setting(for: .zoom)
    /// print(setting.value, setting.bounds(within: 0.5...3), setting.forcedEntry?.message ?? "")
    /// ```
    public struct Setting<Value: Sendable>: Sendable {
        /// The setting.
        public let key: Key<Value>
        /// What was found.
        let content: SettingContent<Value>
        /// The defaults that the setting was read from, which resolve `~` in its paths.
        package let defaults: ManagedDefaults

        /// The value in effect.
        public var value: Value { content.value }
        /// The policy entry that forces the setting; `nil` if the user decides.
        public var forcedEntry: PolicyEntry? { content.forcedEntry }
        /// The values that the administrator allows; `nil` if any value is allowed, or the setting is forced.
        public var allowedValues: AllowedValues? { content.allowedValues }
        /// Whether no domain but the registered defaults and the languages has a usable value: the value is a default.
        public var isDefault: Bool { content.isDefault }
        /// Why the value of a domain is not used; `nil` if it is, or there is none.
        public var problem: Problem? { content.problem }

        /// Whether an administrator decides the value: disable the control of the setting.
        public var isForced: Bool { forcedEntry != nil }
    }

    /// A setting at this moment, with everything that a settings page shows.
    ///
    /// The answer is kept until a lookup may return something else, so a value is decoded once after each change.
    /// Complexity: O(domains of the search list) the first time and after a change of any key; else O(1). Both under a
    /// lock; the subscript is faster if only the value is needed.
    public func setting<Value: Sendable>(for key: Key<Value>) -> Setting<Value> {
        if let content = keptSettings.content(of: key, at: read({ $0.moment })) {
            return Setting(key: key, content: content, defaults: self)
        }
        let lookup = engine.lookUp(MDPropertyList.Key(key.name))
        let setting = setting(for: key, lookup)
        keptSettings.keep(setting.content, of: key, at: lookup.moment)
        return setting
    }

    /// Makes a setting of the result of a lookup.
    func setting<Value: Sendable>(for key: Key<Value>, _ lookup: DefaultsEngine.Lookup) -> Setting<Value> {
        let forced = lookup.forced.map { PolicyEntry($0, in: engine.root) }
        let allowed = lookup.constraint.map { AllowedValues($0, in: engine.root) }
        let content: SettingContent<Value>
        do {
            let stored = try lookup.value.map { try key.codec.decode($0, self) }
            content = SettingContent(
                value: stored ?? key.defaultValue, forcedEntry: forced, allowedValues: allowed,
                isDefault: lookup.value == nil || !lookup.isSet)
        } catch {
            content = SettingContent(
                value: key.defaultValue, forcedEntry: forced, allowedValues: allowed, isDefault: true,
                problem: Problem(problem(of: key, error, forced: forced)))
        }
        return Setting(key: key, content: content, defaults: self)
    }
}

extension ManagedDefaults.Setting: Equatable where Value: Equatable {
    /// Whether a settings page shows the same for both.
    public static func == (left: Self, right: Self) -> Bool {
        left.key.name == right.key.name && left.value == right.value && left.forcedEntry == right.forcedEntry
            && left.allowedValues == right.allowedValues && left.isDefault == right.isDefault
            && left.problem == right.problem
    }
}

extension ManagedDefaults.Setting where Value: BinaryInteger & FixedWidthInteger {
    /// The numbers of a range that the administrator allows, for a slider or a stepper.
    ///
    /// - Parameter range: the numbers that the control offers.
    /// - Returns: a part of the range, or all of it if any number is allowed; if none of it is allowed, the end that is
    ///   nearest to an allowed number.
    public func bounds(within range: ClosedRange<Value>) -> ClosedRange<Value> {
        let least = allowedValues?.constraint.minimum.map { ManagedDefaults.integer(nearestTo: $0, .up) } ?? Value.min
        let greatest =
            allowedValues?.constraint.maximum.map { ManagedDefaults.integer(nearestTo: $0, .down) } ?? Value.max
        // Bounds such as 0.2 to 0.8 contain no integer.
        return (least <= greatest ? least...greatest : value...value).clamped(to: range)
    }
}

extension ManagedDefaults.Setting where Value: BinaryFloatingPoint {
    /// The numbers of a range that the administrator allows, for a slider.
    ///
    /// - Parameter range: the numbers that the control offers.
    /// - Returns: a part of the range, or all of it if any number is allowed; if none of it is allowed, the end that is
    ///   nearest to an allowed number.
    public func bounds(within range: ClosedRange<Value>) -> ClosedRange<Value> {
        let least = allowedValues?.minimum.map { Value($0) } ?? -Value.greatestFiniteMagnitude
        let greatest = allowedValues?.maximum.map { Value($0) } ?? Value.greatestFiniteMagnitude
        return (least <= greatest ? least...greatest : greatest...greatest).clamped(to: range)
    }
}

extension ManagedDefaults.Setting {
    /// The values to choose from, for a menu; `nil` if there is no such list.
    ///
    /// Values that cannot be read as the setting's type are left out.
    public var choices: [Value]? {
        allowedValues?.constraint.oneOf?.compactMap { try? key.codec.decode($0, defaults) }
    }
}

extension ManagedDefaults {
    /// The integer of a type that is nearest to a bound, on one side of it.
    fileprivate static func integer<Number: FixedWidthInteger>(
        nearestTo bound: MDPropertyList.Value, _ rule: FloatingPointRoundingRule
    ) -> Number {
        if case .integer(let number) = bound {
            if let number = number.int64 { return Number(clamping: number) }
            if let number = number.uint64 { return Number(clamping: number) }
        }
        let number = bound.doubleValue.rounded(rule)
        return Number(exactly: number) ?? (number < 0 ? Number.min : Number.max)
    }
}

extension ManagedDefaults {
    /// A setting now, and after each change of its value, its policy entry or its allowed values.
    ///
    /// This is one of the two ways to follow a key; ``observeChanges(forKey:_:)`` calls a function instead.
    ///
    /// Of several changes between two reads only the newest is delivered. The sequence ends when its task is cancelled.
    public func settings<Value: Sendable>(for key: Key<Value>) -> Settings<Value> {
        Settings(defaults: self, key: key)
    }

    /// A setting as it changes; see ``settings(for:)``.
    public struct Settings<Value: Sendable>: AsyncSequence, Sendable {
        /// The defaults that contain the setting.
        let defaults: ManagedDefaults
        /// The setting.
        let key: Key<Value>

        /// Begins to observe.
        public func makeAsyncIterator() -> Iterator {
            Iterator(defaults, key)
        }

        /// An iterator over the changes.
        public struct Iterator: AsyncIteratorProtocol {
            /// The defaults that contain the setting.
            private let defaults: ManagedDefaults
            /// The setting.
            private let key: Key<Value>
            /// An element for each change; the setting is looked up when the reader asks, so that it is never outdated.
            private var signals: AsyncStream<Void>.Iterator
            /// The lookup of the last element.
            private var last: DefaultsEngine.Lookup?

            /// Observes a setting from now on.
            init(_ defaults: ManagedDefaults, _ key: Key<Value>) {
                self.defaults = defaults
                self.key = key
                signals = AsyncStream<Void>(bufferingPolicy: .bufferingNewest(1)) { continuation in
                    let observation = defaults.observeChanges(forKey: key.name) { _ in continuation.yield() }
                    continuation.onTermination = { _ in observation.cancel() }
                    continuation.yield()
                }.makeAsyncIterator()
            }

            /// The setting after the next change; `nil` after the task was cancelled.
            public mutating func next() async -> Setting<Value>? {
                while await signals.next() != nil {
                    let lookup = defaults.engine.lookUp(MDPropertyList.Key(key.name))
                    if let last, lookup.isSame(as: last) { continue }
                    last = lookup
                    return defaults.setting(for: key, lookup)
                }
                return nil
            }
        }
    }
}

extension DefaultsEngine.Lookup {
    /// Whether a settings page shows the same for both.
    fileprivate func isSame(as other: Self) -> Bool {
        value.isIdentical(to: other.value) && isSet == other.isSet && (forced == nil) == (other.forced == nil)
            && forced?.origin == other.forced?.origin && forced?.contact == other.forced?.contact
            && forced?.description == other.forced?.description && constraint?.entry == other.constraint?.entry
    }
}
