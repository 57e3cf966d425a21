import Engine
import PropertyList

/// The types whose typed reads are the plain getters, without a generic function in between.
extension ManagedDefaults {
    /// The value of a truth value.
    public subscript(key: Key<Bool>) -> Bool {
        get {
            switch engine.cell.value(key.name) {
            case .boolean(let value)? where key.codec.isPlain: value
            case nil: key.defaultValue
            case let stored?: decode(stored, of: key)
            }
        }
        set { set(newValue, for: key) }
    }

    /// The value of a whole number.
    public subscript(key: Key<Int>) -> Int {
        get {
            switch engine.cell.value(key.name) {
            case .integer(let value)? where key.codec.isPlain: value.int64.map { Int($0) } ?? .max
            case nil: key.defaultValue
            case let stored?: decode(stored, of: key)
            }
        }
        set { set(newValue, for: key) }
    }

    /// The value of a floating-point number.
    public subscript(key: Key<Double>) -> Double {
        get {
            switch engine.cell.value(key.name) {
            case .real(let value)? where key.codec.isPlain: value
            case nil: key.defaultValue
            case let stored?: decode(stored, of: key)
            }
        }
        set { set(newValue, for: key) }
    }

    /// The value of a text.
    public subscript(key: Key<String>) -> String {
        get {
            switch engine.cell.value(key.name) {
            case .string(let value)? where key.codec.isPlain: value
            case nil: key.defaultValue
            case let stored?: decode(stored, of: key)
            }
        }
        set { set(newValue, for: key) }
    }
}
