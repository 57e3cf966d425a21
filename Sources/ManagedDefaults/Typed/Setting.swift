import Engine
import PropertyList

extension ManagedDefaults {
    /// A setting at one moment: all that a settings page needs to show it.
    public struct Setting<Value: Sendable>: Sendable {
        /// The setting.
        public let key: Key<Value>
        /// The value in effect.
        public let value: Value
        /// Who forces the setting, why, and whom to ask; `nil` where the user decides.
        public let managedBy: ForcedKey?
        /// What the administrator allows the user to choose; `nil` where anything is allowed, or the setting is forced.
        public let allowed: AllowedValues?
        /// Whether nobody set the setting: the value is the application's default.
        public let isDefault: Bool
        /// Why a value that is there is not used, in a sentence for whoever wrote it; `nil` where all is well.
        public let problem: String?

        /// The defaults that the setting was read from, whose relative paths it is read with.
        package let defaults: ManagedDefaults

        /// Whether an administrator decides the value: a control for the setting belongs disabled.
        public var isForced: Bool { managedBy != nil }

        /// A sentence for the user: who forces the setting and whom to ask; `nil` where the user decides.
        public var message: String? { managedBy?.message }
    }

    /// A setting with all that a settings page needs, taken in one look.
    public func setting<Value: Sendable>(for key: Key<Value>) -> Setting<Value> {
        setting(for: key, engine.look(at: PropertyList.Key(key.name)))
    }

    /// A setting as a look found it.
    func setting<Value: Sendable>(for key: Key<Value>, _ look: DefaultsEngine.Look) -> Setting<Value> {
        let forced = look.forced.map { ForcedKey($0, in: engine.root) }
        let allowed = look.constraint.map { AllowedValues($0, in: engine.root) }
        guard let stored = look.value else {
            return Setting(
                key: key, value: key.defaultValue, managedBy: forced, allowed: allowed, isDefault: true, problem: nil,
                defaults: self)
        }
        do {
            return Setting(
                key: key, value: try key.codec.decode(stored, self), managedBy: forced, allowed: allowed,
                isDefault: !look.isSet, problem: nil, defaults: self)
        } catch {
            return Setting(
                key: key, value: key.defaultValue, managedBy: forced, allowed: allowed, isDefault: true,
                problem: complaint(key, error, forced: forced), defaults: self)
        }
    }
}

extension ManagedDefaults.Setting: Equatable where Value: Equatable {
    /// Whether a settings page would show the same.
    public static func == (left: Self, right: Self) -> Bool {
        left.key.name == right.key.name && left.value == right.value && left.managedBy == right.managedBy
            && left.allowed == right.allowed && left.isDefault == right.isDefault && left.problem == right.problem
    }
}
