import MDEngine
import MDPolicyCore
import MDPropertyList

extension ManagedDefaults {
    /// The value of a setting: the one that a lookup finds, or the key's default if there is none that can be read.
    ///
    /// Setting it ignores the outcome of the write, which ``set(_:for:)`` returns. Complexity: one hash lookup, without a
    /// lock; types other than numbers, Booleans and texts are decoded each time.
    public subscript<Value: Sendable>(key: Key<Value>) -> Value {
        get { value(of: key) }
        set { set(newValue, for: key) }
    }

    /// Sets a setting in the application's domain; `nil` removes it.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - key: the setting.
    /// - Returns: the outcome. A write to a forced key is refused and recorded in the audit log, that of `nil` too;
    ///   ``WriteOutcome/invalid(_:)`` if the value cannot be encoded.
    @discardableResult
    public func set<Value: Sendable>(_ value: Value, for key: Key<Value>) -> WriteOutcome {
        do {
            return write(encoded: try key.codec.encode(value), key.name)
        } catch {
            return .invalid(.notEncodable(key: key.name, reason: CodingSentence.of(error)))
        }
    }

    /// Sets a setting, or throws if the value is not in effect afterwards.
    ///
    /// - Parameters:
    ///   - value: the value; `nil` removes it.
    ///   - key: the setting.
    /// - Throws: ``WriteError`` with the outcome of the write.
    public func store<Value: Sendable>(_ value: Value, for key: Key<Value>) throws(WriteError) {
        try set(value, for: key).checkEffect()
    }

    /// Removes a setting from the application's domain, so that other domains or the default answer.
    ///
    /// - Parameter key: the setting.
    /// - Returns: the outcome, as of ``removeObject(forKey:)``.
    @discardableResult
    public func remove<Value>(_ key: Key<Value>) -> WriteOutcome {
        removeObject(forKey: key.name)
    }

    /// Registers the defaults of settings for untyped readers: getters by name, libraries, other objects of this user.
    ///
    /// Typed reads do not need it: they return their key's default.
    ///
    /// - Parameter keys: the settings; a default of `nil` is not registered.
    /// - Returns: ``WriteOutcome/invalid(_:)`` for each key that was left out because its default cannot be encoded.
    @discardableResult
    public func register<each Value: Sendable>(_ keys: repeat Key<each Value>) -> DomainOutcome {
        var values: [(key: MDPropertyList.Key, value: MDPropertyList.Value)] = []
        var outcomes: [String: WriteOutcome] = [:]
        for key in repeat each keys {
            do {
                if let value = try key.codec.encode(key.defaultValue) {
                    values.append((MDPropertyList.Key(key.name), value))
                }
            } catch {
                outcomes[key.name] = .invalid(.notEncodable(key: key.name, reason: CodingSentence.of(error)))
            }
        }
        engine.register(values)
        return DomainOutcome(outcomes)
    }

    /// Changes a setting depending on its value, while no other process changes the domain: a counter, a growing list.
    ///
    /// Processes that use this function for a domain take turns, so none of their changes is lost. The result is saved when
    /// the function returns.
    ///
    /// - Parameters:
    ///   - key: the setting.
    ///   - body: changes the stored value or, if there is none, the one in effect. It must be short, must not use defaults
    ///     of the same user, and may run more than once.
    /// - Returns: the outcome.
    @discardableResult
    public func update<Value: Sendable>(_ key: Key<Value>, _ body: (inout Value) -> Void) -> WriteOutcome {
        let inEffect = self[key]
        var problem: WriteOutcome.InvalidReason?
        let outcome = engine.update(MDPropertyList.Key(key.name)) { stored in
            var value = stored.flatMap { try? key.codec.decode($0, self) } ?? inEffect
            body(&value)
            do {
                problem = nil
                return .set(try key.codec.encode(value))
            } catch {
                problem = .notEncodable(key: key.name, reason: CodingSentence.of(error))
                return .keep
            }
        }
        return problem.map { .invalid($0) } ?? translate(outcome)
    }
}

extension ManagedDefaults {
    /// Writes an encoded value; `nil` removes the key.
    ///
    /// Removing a key succeeds while a value is forced, because the user's hidden value is deleted. A setting of `nil` is
    /// not in effect then, so the outcome is a refusal.
    func write(encoded value: MDPropertyList.Value?, _ key: String) -> WriteOutcome {
        let outcome = write(value, key)
        guard value == nil, let forced = engine.lookUp(MDPropertyList.Key(key)).forced, forced.value != nil else {
            return outcome
        }
        return .refused(PolicyEntry(forced, in: engine.root))
    }

    /// Looks up a setting of any type.
    func value<Value: Sendable>(of key: Key<Value>) -> Value {
        guard let stored = read({ $0.value(key.name) }) else { return key.defaultValue }
        return decode(stored, of: key)
    }

    /// Decodes a stored value; if that fails, returns the default and reports a problem.
    func decode<Value: Sendable>(_ stored: MDPropertyList.Value, of key: Key<Value>) -> Value {
        do {
            return try key.codec.decode(stored, self)
        } catch {
            report(unreadable: stored, of: key, error)
            return key.defaultValue
        }
    }
}

/// Subscripts of the types that a snapshot reads directly, without the cost of a generic function.
extension ManagedDefaults {
    /// The value of a Boolean; see the generic subscript.
    public subscript(key: Key<Bool>) -> Bool {
        get {
            if key.codec.isPlain {
                switch read({ $0.plainBoolean(key.name) }) {
                case .plain(let value): return value
                case .missing: return key.defaultValue
                case .other: break
                }
            }
            return value(of: key)
        }
        set { set(newValue, for: key) }
    }

    /// The value of an integer; see the generic subscript.
    public subscript(key: Key<Int>) -> Int {
        get {
            if key.codec.isPlain {
                switch read({ $0.plainInteger(key.name) }) {
                case .plain(let value): return value
                case .missing: return key.defaultValue
                case .other: break
                }
            }
            return value(of: key)
        }
        set { set(newValue, for: key) }
    }

    /// The value of a floating-point number; see the generic subscript.
    public subscript(key: Key<Double>) -> Double {
        get {
            if key.codec.isPlain {
                switch read({ $0.plainReal(key.name) }) {
                case .plain(let value): return value
                case .missing: return key.defaultValue
                case .other: break
                }
            }
            return value(of: key)
        }
        set { set(newValue, for: key) }
    }

    /// The value of a floating-point number of single precision; see the generic subscript.
    public subscript(key: Key<Float>) -> Float {
        get {
            if key.codec.isPlain {
                switch read({ $0.plainReal(key.name) }) {
                case .plain(let value): return Float(value)
                case .missing: return key.defaultValue
                case .other: break
                }
            }
            return value(of: key)
        }
        set { set(newValue, for: key) }
    }

    /// The value of a text; see the generic subscript.
    public subscript(key: Key<String>) -> String {
        get {
            if key.codec.isPlain {
                switch read({ $0.plainText(key.name) }) {
                case .plain(let value): return value
                case .missing: return key.defaultValue
                case .other: break
                }
            }
            return value(of: key)
        }
        set { set(newValue, for: key) }
    }
}
