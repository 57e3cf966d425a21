import FoundationEssentials
package import MDEngine
package import MDPropertyList

extension ManagedDefaults {
    /// Sets a key in the application's domain; `nil` removes it.
    ///
    /// The change is in effect at once and is saved within 100 ms and at the end of the process. Changes of other keys by
    /// other processes are preserved.
    ///
    /// - Parameters:
    ///   - value: a `String`, `Bool`, number, `Date`, `Data` or `URL`, or an array or dictionary of them, but not of URLs;
    ///     at most 511 arrays and dictionaries inside of each other.
    ///   - key: the key; not empty.
    /// - Returns: the outcome. A write to a forced key is refused and recorded in the audit log.
    @discardableResult
    public func set(_ value: Any?, forKey key: String) -> WriteOutcome {
        guard let value else { return removeObject(forKey: key) }
        guard let stored = storable(value) else { return .invalid(.notPropertyList(key, value)) }
        return write(stored, key)
    }

    /// Sets a key to a Boolean.
    @discardableResult
    public func set(_ value: Bool, forKey key: String) -> WriteOutcome {
        write(.boolean(value), key)
    }

    /// Sets a key to an integer.
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

    /// Sets a key, or throws if the value is not in effect afterwards.
    ///
    /// - Parameters:
    ///   - value: as for `set(_:forKey:)`.
    ///   - key: the key; not empty.
    /// - Throws: ``WriteError`` with the outcome of the write.
    public func store(_ value: Any, forKey key: String) throws(WriteError) {
        try set(value, forKey: key).checkEffect()
    }

    /// Removes a key from the application's domain, so that other domains answer.
    ///
    /// - Parameter key: the key.
    /// - Returns: the outcome. Removing a forced key deletes the user's hidden value, leaves the forced one in effect, and
    ///   is recorded in the audit log.
    @discardableResult
    public func removeObject(forKey key: String) -> WriteOutcome {
        write(nil, key)
    }

    /// Saves pending changes, then reads the changes of other processes and of policy.
    ///
    /// Both happen without a call, too. The function returns when the files are synced.
    ///
    /// - Returns: false if a file could not be saved or read; ``drainProblems()`` says which.
    @discardableResult
    public func synchronize() -> Bool {
        engine.synchronize()
    }

    /// Adds default values, which are searched after all other domains, for all objects of this user in this process.
    ///
    /// Nothing is stored. A later default for the same key replaces the earlier one.
    ///
    /// - Parameter defaults: values by key, of the types that `set(_:forKey:)` takes.
    /// - Returns: ``WriteOutcome/invalid(_:)`` for each key that was left out because it is empty or its value is not a
    ///   property list.
    @discardableResult
    public func register(defaults: [String: Any]) -> DomainOutcome {
        var values: [(key: MDPropertyList.Key, value: Value)] = []
        values.reserveCapacity(defaults.count)
        var outcomes: [String: WriteOutcome] = [:]
        for (key, value) in defaults {
            if key.isEmpty {
                outcomes[key] = .invalid(.emptyKey)
            } else if let value = storable(value) {
                values.append((MDPropertyList.Key(key), value))
            } else {
                outcomes[key] = .invalid(.notPropertyList(key, value))
            }
        }
        engine.register(values)
        return DomainOutcome(outcomes)
    }

    /// Changes a key depending on its stored value, while no other process changes the domain: a counter, a growing list.
    ///
    /// Processes that use this function for a domain take turns, so none of their changes is lost. The result is saved when
    /// the function returns.
    ///
    /// - Parameters:
    ///   - key: the key; not empty.
    ///   - body: receives the stored value and returns the new one; `nil` removes the key. It must be short, must not use
    ///     defaults of the same user, and may run more than once.
    /// - Returns: the outcome.
    @discardableResult
    public func updateObject(forKey key: String, _ body: ((any Sendable)?) -> Any?) -> WriteOutcome {
        guard !key.isEmpty else { return .invalid(.emptyKey) }
        var problem: WriteOutcome.InvalidReason?
        let outcome = engine.update(MDPropertyList.Key(key)) { stored in
            problem = nil
            guard let new = body(stored.map { $0.bridged }) else { return .set(nil) }
            if let value = storable(new) { return .set(value) }
            problem = .notPropertyList(key, new)
            return .keep
        }
        return problem.map { .invalid($0) } ?? translate(outcome)
    }

    /// Writes a key of the application's domain.
    package func write(_ value: Value?, _ key: String) -> WriteOutcome {
        guard value == nil || !key.isEmpty else { return .invalid(.emptyKey) }
        let name = MDPropertyList.Key(key)
        if let value, let refusal = engine.refuse(value, forKey: name) { return .refused(PolicyEntry(refusal)) }
        return translate(engine.writeUnderLock(value, forKey: name))
    }

    /// The public form of an engine's outcome.
    package func translate(_ outcome: DefaultsEngine.Outcome) -> WriteOutcome {
        switch outcome {
        case .stored: .stored
        case .unchanged: .unchanged
        case .refused(let entry): .refused(PolicyEntry(entry, in: engine.root))
        case .shadowed(let entry): .shadowed(PolicyEntry(entry, in: engine.root))
        case .clamped(let value, let constraint):
            .clamped(ClampedValue(value: value, allowedValues: AllowedValues(constraint, in: engine.root)))
        case .outside(let constraint): .disallowed(AllowedValues(constraint, in: engine.root))
        case .impossible(let obstacle, let sentence): .unavailable(.init(obstacle, sentence))
        }
    }

    /// The stored form of an application's value; `nil` if it is neither a property list nor a URL.
    func storable(_ value: Any) -> Value? {
        Value(bridging: value) ?? (value as? URL).flatMap { stored($0) }
    }
}

extension ManagedDefaults.WriteOutcome.InvalidReason {
    /// The reason of a value that is neither a property list nor a URL.
    package static func notPropertyList(_ key: String, _ value: Any) -> Self {
        .notPropertyList(key: key, type: "\(type(of: value))")
    }
}
