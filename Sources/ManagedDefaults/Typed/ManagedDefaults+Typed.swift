import Engine
import Policy
import PropertyList

extension ManagedDefaults {
    /// The value of a setting: what lookups find, or the key's default where there is nothing that can be read.
    ///
    /// Setting it ignores what becomes of the write; ``set(_:for:)`` tells. Complexity: one hash lookup, no lock; other
    /// types than numbers, truth values and texts are decoded each time.
    public subscript<Value: Sendable>(key: Key<Value>) -> Value {
        get { value(of: key) }
        set { set(newValue, for: key) }
    }

    /// Sets a setting in the application's domain; `nil` removes it.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - key: the setting.
    /// - Returns: what became of it; a write to a forced key is refused and audited, also that of `nil` where a value is
    ///   forced. `.invalid` where the value cannot be stored as the key's type.
    @discardableResult
    public func set<Value: Sendable>(_ value: Value, for key: Key<Value>) -> WriteOutcome {
        do {
            return write(encoded: try key.codec.encode(value), key.name)
        } catch {
            return .invalid("The value for \(key.name) was not stored. \(CodingSentence.of(error))")
        }
    }

    /// Sets a setting, or says why it could not.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - key: the setting.
    /// - Throws: ``WriteError`` where the value is not in effect afterwards.
    public func store<Value: Sendable>(_ value: Value, for key: Key<Value>) throws(WriteError) {
        try set(value, for: key).checkEffect()
    }

    /// Removes a setting from the application's domain, so that other domains or the default answer.
    ///
    /// - Parameter key: the setting.
    /// - Returns: what became of it, as with ``removeObject(forKey:)``.
    @discardableResult
    public func remove(_ key: Keys) -> WriteOutcome {
        removeObject(forKey: key.name)
    }

    /// Whether an administrator decides the value of a setting: a control for it belongs disabled.
    public func isForced(_ key: Keys) -> Bool {
        objectIsForced(forKey: key.name)
    }

    /// Registers the defaults of settings, for other readers: untyped getters, libraries, the other objects of this user.
    ///
    /// Typed reads find their key's default also without.
    ///
    /// - Parameter keys: the settings.
    /// - Returns: the names of those whose defaults cannot be stored; a default of `nil` is none to register.
    @discardableResult
    public func register(_ keys: Keys...) -> [String] {
        var values: [PropertyList.Key: PropertyList.Value] = [:]
        var rejected: [String] = []
        for key in keys {
            do {
                values[PropertyList.Key(key.name)] = try key.registeredValue()
            } catch {
                rejected.append(key.name)
            }
        }
        engine.register(values)
        return rejected.sorted()
    }

    /// Changes a setting depending on what it is, while no other process changes the domain: counters, lists that grow.
    ///
    /// All processes that use this function for a domain take turns, so none of their changes is lost. The result is on
    /// disk when the function returns.
    ///
    /// - Parameters:
    ///   - key: the setting.
    ///   - body: changes the value that is stored, or, where none is, the one in effect. It must be short, must not use
    ///     defaults of the same user, and may run more than once.
    /// - Returns: what became of it.
    @discardableResult
    public func update<Value: Sendable>(_ key: Key<Value>, _ body: (inout Value) -> Void) -> WriteOutcome {
        let inEffect = self[key]
        var problem: String?
        let outcome = engine.update(PropertyList.Key(key.name)) { stored in
            var value = stored.flatMap { try? key.codec.decode($0, self) } ?? inEffect
            body(&value)
            do {
                problem = nil
                return try key.codec.encode(value)
            } catch {
                problem = "The value for \(key.name) was not stored. \(CodingSentence.of(error))"
                return stored
            }
        }
        return problem.map { .invalid($0) } ?? translate(outcome)
    }
}

extension ManagedDefaults {
    /// Writes what a codec made; `nil` removes the key.
    ///
    /// Removing succeeds under a forced value, as the user's hidden one is gone then; who wanted there to be none is told
    /// that there is one.
    func write(encoded value: PropertyList.Value?, _ key: String) -> WriteOutcome {
        let outcome = write(value, key)
        guard value == nil, let forced = engine.look(at: PropertyList.Key(key)).forced, forced.value != nil else {
            return outcome
        }
        return .refused(ForcedKey(forced, in: engine.root))
    }

    /// Looks a setting up.
    func value<Value: Sendable>(of key: Key<Value>) -> Value {
        guard let stored = read({ $0.value(key.name) }) else { return key.defaultValue }
        return decode(stored, of: key)
    }

    /// Reads what a lookup found as a setting's type; where that cannot be, the default, and a complaint.
    func decode<Value: Sendable>(_ stored: PropertyList.Value, of key: Key<Value>) -> Value {
        do {
            return try key.codec.decode(stored, self)
        } catch {
            complain(about: stored, of: key, error)
            return key.defaultValue
        }
    }

    /// Says once that a value is not used.
    @inline(never)
    private func complain(about stored: PropertyList.Value, of key: Keys, _ error: any Error) {
        guard complaints.isNew(stored, of: PropertyList.Key(key.name)) else { return }
        engine.note(complaint(key, error, forced: forcedKey(key.name)))
    }

    /// Why a value is not used, and who forces it; of a sensitive one, only that it is not.
    func complaint(_ key: Keys, _ error: any Error, forced: ForcedKey?) -> String {
        let place = forced.map { key in
            " It is forced by the policy \(key.policy) (\(key.file)\(key.line > 0 ? ":\(key.line)" : ""))."
        }
        let why =
            engine.isSensitive(PropertyList.Key(key.name))
            ? "It is of another type than the setting." : CodingSentence.of(error)
        return "The value of \(key.name) is not used, and the default holds. \(why)\(place ?? "")"
    }
}

extension ManagedDefaults.WriteOutcome {
    /// Throws unless lookups return what was written.
    func checkEffect() throws(ManagedDefaults.WriteError) {
        switch self {
        case .stored, .unchanged: return
        case .refused(let key), .shadowed(let key): throw .forced(key)
        case .clamped(let clamped): throw .clamped(clamped)
        case .outside(let allowed): throw .outside(allowed)
        case .invalid(let message): throw .invalid(message)
        }
    }
}
