package import Engine
import FoundationEssentials
package import PropertyList

extension ManagedDefaults {
    /// Sets a key in the application's domain; `nil` removes it.
    ///
    /// The change is in effect at once and reaches the disk by itself, within a tenth of a second and at the end of the
    /// process. Other writers' changes to other keys survive.
    ///
    /// - Parameters:
    ///   - value: a `String`, `Bool`, number, `Date`, `Data` or `URL`, or an array or dictionary of those but URLs.
    ///   - key: the key.
    /// - Returns: what became of it; a write to a forced key is refused and audited.
    @discardableResult
    public func set(_ value: Any?, forKey key: String) -> WriteOutcome {
        guard let value else { return removeObject(forKey: key) }
        guard let value = storable(value) else { return .invalid(ManagedDefaults.noPropertyList(key)) }
        return write(value, key)
    }

    /// Sets a key to a truth value.
    @discardableResult
    public func set(_ value: Bool, forKey key: String) -> WriteOutcome {
        write(.boolean(value), key)
    }

    /// Sets a key to a whole number.
    @discardableResult
    public func set(_ value: Int, forKey key: String) -> WriteOutcome {
        write(.integer(value), key)
    }

    /// Sets a key to a floating-point number.
    @discardableResult
    public func set(_ value: Double, forKey key: String) -> WriteOutcome {
        write(.real(value), key)
    }

    /// Sets a key to a floating-point number of single precision.
    ///
    /// The number is stored with the digits that Swift prints for it, so that ``string(forKey:)`` of `Float(12.34)` is
    /// `12.34`, ``double(forKey:)`` is 12.34, and ``float(forKey:)`` is the same `Float`.
    @discardableResult
    public func set(_ value: Float, forKey key: String) -> WriteOutcome {
        write(.real(shortest: value), key)
    }

    /// Sets a key to a text.
    @discardableResult
    public func set(_ value: String, forKey key: String) -> WriteOutcome {
        write(.string(value), key)
    }

    /// Sets a key, or says why it could not.
    ///
    /// - Parameters:
    ///   - value: a `String`, `Bool`, number, `Date`, `Data` or `URL`, or an array or dictionary of those but URLs.
    ///   - key: the key.
    /// - Throws: ``WriteError`` where the value is not in effect afterwards.
    public func store(_ value: Any, forKey key: String) throws(WriteError) {
        try set(value, forKey: key).checkEffect()
    }

    /// Removes a key from the application's domain.
    ///
    /// - Parameter key: the key.
    /// - Returns: what became of it. Removing a forced key deletes the user's hidden value, changes nothing in effect and
    ///   is audited.
    @discardableResult
    public func removeObject(forKey key: String) -> WriteOutcome {
        write(nil, key)
    }

    /// Writes what changed to disk, and takes over what changed there: other programs' settings, and policy.
    ///
    /// - Returns: whether everything is on disk and readable.
    @discardableResult
    public func synchronize() -> Bool {
        engine.synchronize()
    }

    /// Adds defaults behind everything else, for all objects of this user; they live as long as the process.
    ///
    /// - Parameter defaults: values by key, of the types that ``set(_:forKey:)`` takes.
    /// - Returns: the keys whose values are no property lists and were left out, and the empty key.
    @discardableResult
    public func register(defaults: [String: Any]) -> [String] {
        var values: [PropertyList.Key: Value] = [:]
        var rejected: [String] = []
        for (key, value) in defaults {
            if !key.isEmpty, let value = storable(value) {
                values[PropertyList.Key(key)] = value
            } else {
                rejected.append(key)
            }
        }
        engine.register(values)
        return rejected.sorted()
    }

    /// What went wrong since the last call: files that could not be read or saved, attempts that could not be recorded.
    public func takeProblems() -> [String] {
        engine.takeProblems()
    }

    /// Changes a key depending on what is stored, while no other process changes the domain: counters, lists that grow.
    ///
    /// All processes that use this function for a domain take turns, so none of their changes is lost. The result is on
    /// disk when the function returns.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - body: takes the stored value and returns the new one; `nil` removes the key. It must be short, must not use
    ///     defaults of the same user, and may run more than once.
    /// - Returns: what became of it.
    @discardableResult
    public func update(forKey key: String, _ body: ((any Sendable)?) -> Any?) -> WriteOutcome {
        guard !key.isEmpty else { return .invalid(ManagedDefaults.emptyKey) }
        var problem: String?
        let outcome = engine.update(PropertyList.Key(key)) { stored in
            guard let new = body(stored.map { $0.bridged }) else { return nil }
            if let value = storable(new) { return value }
            problem = ManagedDefaults.noPropertyList(key)
            return stored
        }
        return problem.map { .invalid($0) } ?? translate(outcome)
    }

    /// Writes and translates the outcome.
    package func write(_ value: Value?, _ key: String) -> WriteOutcome {
        guard value == nil || !key.isEmpty else { return .invalid(ManagedDefaults.emptyKey) }
        return translate(engine.write(value, forKey: PropertyList.Key(key)))
    }

    /// What became of a write, as applications are told.
    package func translate(_ outcome: DefaultsEngine.Outcome) -> WriteOutcome {
        switch outcome {
        case .stored: .stored
        case .unchanged: .unchanged
        case .refused(let entry): .refused(ForcedKey(entry, in: engine.root))
        case .shadowed(let entry): .shadowed(ForcedKey(entry, in: engine.root))
        case .clamped(let value, let constraint):
            .clamped(ClampedValue(value: value, allowed: AllowedValues(constraint, in: engine.root)))
        case .outside(let constraint): .outside(AllowedValues(constraint, in: engine.root))
        case .impossible(let reason): .invalid(reason)
        }
    }

    /// Why nothing is stored under the empty key.
    ///
    /// No policy file can name that key, and mdefaults(1) does not take it, so that nobody could manage it. One that
    /// another program stored can be read and removed.
    static let emptyKey = "The key is empty, so nothing was stored."

    /// The stored form of a value of an application; `nil` for what is neither a property list nor a URL.
    func storable(_ value: Any) -> Value? {
        Value(bridging: value) ?? (value as? URL).flatMap { stored($0) }
    }

    /// Why a value cannot be stored.
    package static func noPropertyList(_ key: String) -> String {
        "The value for \(key) is no property list, so it was not stored."
    }
}
