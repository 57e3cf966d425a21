import Engine
public import FoundationEssentials
import PropertyList

extension ManagedDefaults {
    /// The value of a key: `String`, `Bool`, `Int`, `UInt64`, `Double`, `Date`, `Data`, or an array or dictionary of them.
    ///
    /// It is a copy that nobody else can change. `as? [Any]`, `as? [String: Any]` and casts to arrays and dictionaries of
    /// one type work.
    public func object(forKey key: String) -> (any Sendable)? {
        read { $0.value(key) }.map { $0.bridged }
    }

    /// The value as a truth value: numbers other than 0, and texts that begin like `YES`, `true` or `1`.
    ///
    /// False where there is no value. Complexity: one hash lookup, no lock.
    public func bool(forKey key: String) -> Bool {
        read { $0.boolean(key) }
    }

    /// The value as a whole number; texts are read up to the first character that is no digit.
    ///
    /// 0 where there is no value.
    public func integer(forKey key: String) -> Int {
        read { $0.integer(key) }
    }

    /// The value as a floating-point number; 0 where there is none.
    public func double(forKey key: String) -> Double {
        read { $0.double(key) }
    }

    /// The value as a floating-point number of single precision; 0 where there is none.
    public func float(forKey key: String) -> Float {
        read { $0.float(key) }
    }

    /// The value as text; numbers and truth values are written out, anything else gives `nil`.
    public func string(forKey key: String) -> String? {
        read { $0.string(key) }
    }

    /// The value as a list of texts; `nil` where any element is something else.
    public func stringArray(forKey key: String) -> [String]? {
        read { $0.value(key) }?.stringArrayValue
    }

    /// The value as a list.
    public func array(forKey key: String) -> [any Sendable]? {
        if case .array(let values)? = read({ $0.value(key) }) { values.map(\.bridged) } else { nil }
    }

    /// The value as a dictionary.
    public func dictionary(forKey key: String) -> [String: any Sendable]? {
        guard case .dictionary(let values)? = read({ $0.value(key) }) else { return nil }
        return Value.bridged(values)
    }

    /// The value as bytes.
    public func data(forKey key: String) -> Data? {
        if case .data(let bytes)? = read({ $0.value(key) }) { Data(bytes) } else { nil }
    }

    /// The value as a point in time.
    public func date(forKey key: String) -> Date? {
        if case .date(let seconds)? = read({ $0.value(key) }) {
            Date(timeIntervalSinceReferenceDate: seconds)
        } else {
            nil
        }
    }

    /// Every key of the search list with the value that a lookup returns.
    ///
    /// Of keys that Swift's `String` takes for equal, though their bytes differ, one remains.
    public func dictionaryRepresentation() -> [String: any Sendable] {
        Value.bridged(engine.union)
    }
}
