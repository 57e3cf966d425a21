import Engine
import PropertyList

/// The types whose typed reads are the plain getters, without a generic function in between.
extension ManagedDefaults {
    /// The value of a truth value; see the generic subscript.
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

    /// The value of a whole number; see the generic subscript.
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
