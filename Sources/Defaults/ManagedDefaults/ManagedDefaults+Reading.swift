public import FoundationEssentials
import MDEngine
import MDPropertyList

/// Reading by name, with the conversions of NSUserDefaults.
///
/// All functions find the first value in the order of the search list, forced values first. They never fail: a missing or
/// unsuitable value is `nil`, false, 0 or empty. Complexity: one hash lookup, without a lock, and the copy of the value.
extension ManagedDefaults {
    /// The value of a key: a `String`, `Bool`, `Int`, `UInt64`, `Double`, `Date` or `Data`, or an array or dictionary of
    /// them; `nil` if there is none.
    ///
    /// It is a copy that does not change. `as? [Any]`, `as? [String: Any]` and casts to arrays and dictionaries of one type
    /// succeed.
    public func object(forKey key: String) -> (any Sendable)? {
        read { $0.value(key) }.map { $0.bridged }
    }

    /// The value as a Boolean: true for a number other than 0 and a text that begins like `YES`, `true` or `1`; false if
    /// there is no value.
    public func bool(forKey key: String) -> Bool {
        read { $0.boolean(key) }
    }

    /// The value as an integer; 0 if there is none.
    ///
    /// A text is read up to the first character that is not a digit. A number that does not fit gives the nearest
    /// `Int`.
    public func integer(forKey key: String) -> Int {
        read { $0.integer(key) }
    }

    /// The value as a floating-point number; 0 if there is none.
    public func double(forKey key: String) -> Double {
        read { $0.double(key) }
    }

    /// The value as a floating-point number of single precision; 0 if there is none.
    public func float(forKey key: String) -> Float {
        read { $0.float(key) }
    }

    /// The value as text: numbers and Booleans are converted; `nil` for any other type.
    public func string(forKey key: String) -> String? {
        read { $0.string(key) }
    }

    /// The value as an array of texts; `nil` if it is not an array or an element has another type.
    public func stringArray(forKey key: String) -> [String]? {
        read { $0.value(key) }?.stringArrayValue
    }

    /// The value as an array; `nil` if the value is not an array.
    ///
    /// `array(forKey: "AppleLanguages")` gives the languages whose domains the search list contains, the preferred one
    /// first, from the environment if no domain has the key.
    public func array(forKey key: String) -> [any Sendable]? {
        if case .array(let values)? = read({ $0.value(key) }) { values.map(\.bridged) } else { nil }
    }

    /// The value as a dictionary; `nil` if the value is not a dictionary.
    public func dictionary(forKey key: String) -> [String: any Sendable]? {
        guard case .dictionary(let values)? = read({ $0.value(key) }) else { return nil }
        return Value.bridged(values)
    }

    /// The value as bytes; `nil` if the value is not data.
    public func data(forKey key: String) -> Data? {
        if case .data(let bytes)? = read({ $0.value(key) }) { Data(bytes) } else { nil }
    }

    /// The value as a point in time; `nil` if the value is not a date.
    public func date(forKey key: String) -> Date? {
        if case .date(let seconds)? = read({ $0.value(key) }) {
            Date(timeIntervalSinceReferenceDate: seconds)
        } else {
            nil
        }
    }

    /// Every key of the search list with the value that a lookup returns.
    ///
    /// Of keys that are equal as Swift's `String` but differ in their bytes, the dictionary contains one.
    ///
    /// Complexity: O(keys that changed since the last call), under a lock; O(keys) the first time, after a change of policy or
    /// of the search list, and if an earlier result is still in use.
    public func dictionaryRepresentation() -> [String: any Sendable] {
        engine.union { $0.bridged }
    }
}
