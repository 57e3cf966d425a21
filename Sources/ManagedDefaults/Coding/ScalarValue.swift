import PropertyList

/// A type of Swift that is one value of a property list, without parts.
protocol ScalarValue: Codable, Sendable {
    /// The value that is stored; `nil` for what no property list can hold.
    var storedValue: PropertyList.Value? { get }

    /// The value that is stored for a setting by itself, outside of a Codable type, as `set(_:forKey:)` stores it.
    var settingValue: PropertyList.Value? { get }

    /// Takes over a stored value without a change of type, as Codable types do.
    init(strictly value: PropertyList.Value) throws(ScalarMismatch)

    /// Takes over a stored value as NSUserDefaults' typed getters do; `nil` for what has no reading as this type.
    init?(coercing value: PropertyList.Value, in defaults: ManagedDefaults)
}

/// Why a stored value is not taken over.
enum ScalarMismatch: Error {
    /// It is of another type.
    case type
    /// It is of the right type, and the number or text does not fit: the reason, as a clause.
    case content(String)
}

extension ScalarValue {
    /// The value that is stored in a Codable type, too.
    var settingValue: PropertyList.Value? { storedValue }

    /// Takes over values of the right type only.
    init?(coercing value: PropertyList.Value, in defaults: ManagedDefaults) {
        guard let result = try? Self(strictly: value) else { return nil }
        self = result
    }
}
