import MDEngine
import MDPlatform
import Synchronization

/// The last answers of ``ManagedDefaults/setting(for:)``, each kept until a lookup may return something else.
///
/// A few keys share a slot if there are very many; the last one asked for has it.
final class KeptSettings: Sendable {
    /// The answer for one key.
    private struct Slot {
        /// The number of the key.
        var key: UInt64
        /// The moment of the lookups that the answer belongs to.
        var moment: UInt64
        /// The generation of the process, because a child that fork(2) made looks everything up again.
        var generation: UInt32
        /// A ``SettingContent`` of the key's type.
        var content: any AnyObject & Sendable
    }

    /// The slots; none before the first answer.
    private let slots = Guarded<[Slot?]>(resettable: [])
    /// The number of slots; a power of two.
    private static let count = 256
    /// The number of the last key that was made.
    private static let lastNumber = Atomic<UInt64>(0)

    /// A number that no other key of the process has.
    static func nextNumber() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }

    /// The index of a key's slot.
    private static func index(of number: UInt64) -> Int { Int(truncatingIfNeeded: number) & (count - 1) }

    /// The answer that is kept for a key; `nil` if there is none of this moment.
    func content<Value>(of key: ManagedDefaults.Key<Value>, at moment: UInt64) -> SettingContent<Value>? {
        let number = key.number
        let content = slots.read { slots -> (any AnyObject & Sendable)? in
            guard !slots.isEmpty, let slot = slots[KeptSettings.index(of: number)], slot.key == number,
                slot.moment == moment, slot.generation == Fork.generation
            else { return nil }
            return slot.content
        }
        guard let content else { return nil }
        // Only `keep` fills slots, and the number is that of this key, so the content is of its type.
        return unsafe unsafeDowncast(content, to: SettingContent<Value>.self)
    }

    /// Keeps the answer for a key.
    ///
    /// - Parameters:
    ///   - content: the answer.
    ///   - key: the key.
    ///   - moment: the moment before the lookup; `nil` if the next lookup may return something else without notice.
    func keep<Value>(_ content: SettingContent<Value>, of key: ManagedDefaults.Key<Value>, at moment: UInt64?) {
        guard let moment else { return }
        let slot = Slot(key: key.number, moment: moment, generation: Fork.generation, content: content)
        // The old answer is freed after the lock: a value is the application's, and its end may ask for a setting.
        let old = slots.withLock { slots -> Slot? in
            if slots.isEmpty { slots = Array(repeating: nil, count: KeptSettings.count) }
            let index = KeptSettings.index(of: slot.key)
            defer { slots[index] = slot }
            return slots[index]
        }
        withExtendedLifetime(old) {}
    }
}

/// What a setting is at one moment, without the objects that it belongs to, so that keeping it keeps none of them.
final class SettingContent<Value: Sendable>: Sendable {
    /// The value in effect.
    let value: Value
    /// The policy entry that forces the setting.
    let forcedEntry: ManagedDefaults.PolicyEntry?
    /// The values that the administrator allows.
    let allowedValues: ManagedDefaults.AllowedValues?
    /// Whether the value is a default.
    let isDefault: Bool
    /// Why the value of a domain is not used.
    let problem: ManagedDefaults.Problem?

    /// Makes content.
    init(
        value: Value, forcedEntry: ManagedDefaults.PolicyEntry?, allowedValues: ManagedDefaults.AllowedValues?,
        isDefault: Bool, problem: ManagedDefaults.Problem? = nil
    ) {
        (self.value, self.forcedEntry, self.allowedValues) = (value, forcedEntry, allowedValues)
        (self.isDefault, self.problem) = (isDefault, problem)
    }
}
