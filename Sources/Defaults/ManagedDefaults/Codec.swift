import MDPropertyList

extension ManagedDefaults {
    /// How a setting is stored.
    ///
    /// ```swift
    /// struct Color {
    ///     var hex: String
    /// }
    ///
    /// extension ManagedDefaults.Keys {
    ///     static let accent = Key(
    ///         "Accent", default: Color(hex: "#0000ff"),
    ///         codec: ManagedDefaults.Codec(storedAs: String.self, encode: { $0.hex }, decode: { Color(hex: $0) }))
    /// }
    /// ```
    public struct Codec<Value: Sendable>: Sendable {
        /// Makes the stored value; `nil` for no value.
        let encode: @Sendable (Value) throws -> MDPropertyList.Value?
        /// Reads a stored value; the defaults know whose home `~` is.
        let decode: @Sendable (MDPropertyList.Value, ManagedDefaults) throws -> Value
        /// Whether the type is read as its plain getter reads it, so that a read may use that.
        let isPlain: Bool

        /// Makes a codec of two functions.
        init(
            isPlain: Bool = false, encode: @escaping @Sendable (Value) throws -> MDPropertyList.Value?,
            decode: @escaping @Sendable (MDPropertyList.Value, ManagedDefaults) throws -> Value
        ) {
            self.isPlain = isPlain
            self.encode = encode
            self.decode = decode
        }

        /// Stores values as another type, which is stored as a ``Key`` of it would be.
        ///
        /// - Parameters:
        ///   - type: the type that is stored.
        ///   - encode: makes the stored value.
        ///   - decode: reads the stored value; returns `nil` if it is not a value of the setting.
        public init<Stored: Codable & Sendable>(
            storedAs type: Stored.Type, encode: @escaping @Sendable (Value) throws -> Stored,
            decode: @escaping @Sendable (Stored) throws -> Value?
        ) {
            let codec = Codec<Stored>.codable
            self.init(
                encode: { try codec.encode(try encode($0)) },
                decode: { stored, defaults in
                    guard let value = try decode(try codec.decode(stored, defaults)) else {
                        throw UnreadableValue(message: "It is none of the values of \(Value.self).")
                    }
                    return value
                })
        }
    }
}

/// Why a stored value is not one of a setting's type.
struct UnreadableValue: Error, CustomStringConvertible {
    /// The reason, in a sentence.
    let message: String

    /// The reason, in a sentence.
    var description: String { message }
}

extension ManagedDefaults.Codec where Value: Codable {
    /// Stores scalars as what they are and other types as they encode themselves.
    static var codable: Self {
        // One initializer of keys serves all Codable types, so which it is shows while the program runs.
        if let scalar = Value.self as? any ScalarValue.Type, let codec = scalar.codec as? Self { return codec }
        if let optional = Value.self as? any OptionalValue.Type, let codec = optional.scalarCodec as? Self {
            return codec
        }
        return ManagedDefaults.Codec(
            encode: { try ValueEncoder.encode($0) },
            decode: { stored, _ in try ValueDecoder.decode(Value.self, from: stored) })
    }
}

extension ManagedDefaults.Codec where Value: RawRepresentable, Value.RawValue: Codable & Sendable {
    /// Stores the raw value.
    static var rawValue: Self {
        ManagedDefaults.Codec(storedAs: Value.RawValue.self, encode: { $0.rawValue }, decode: { Value(rawValue: $0) })
    }
}

extension ManagedDefaults.Codec {
    /// Stores the wrapped value; `nil` removes the key.
    static func optional<Wrapped: Sendable>(_ wrapped: ManagedDefaults.Codec<Wrapped>) -> Self
    where Value == Wrapped? {
        ManagedDefaults.Codec(
            encode: { try $0.flatMap { try wrapped.encode($0) } }, decode: { try wrapped.decode($0, $1) })
    }
}

extension ScalarValue {
    /// Reads numbers, and texts that say one, as each other.
    private static var typedCodec: ManagedDefaults.Codec<Self> {
        ManagedDefaults.Codec(
            isPlain: true,
            encode: { value in
                guard let stored = value.settingValue else {
                    throw UnreadableValue(message: ManagedDefaults.unstorable(Self.self))
                }
                return stored
            },
            decode: { stored, defaults in
                guard let value = Self(coercing: stored, in: defaults) else {
                    throw UnreadableValue(message: "Expected \(Self.self), found \(stored.typeName).")
                }
                return value
            })
    }

    /// A `Codec<Self>`.
    fileprivate static var codec: any Sendable { typedCodec }

    /// A `Codec<Self?>`.
    fileprivate static var optionalCodec: any Sendable { ManagedDefaults.Codec<Self?>.optional(typedCodec) }
}

extension OptionalValue {
    /// A `Codec<Self>`; `nil` if the wrapped type is not a scalar.
    fileprivate static var scalarCodec: (any Sendable)? {
        (wrappedType as? any ScalarValue.Type)?.optionalCodec
    }
}

extension ManagedDefaults {
    /// Why a value of a scalar type is not stored.
    ///
    /// The value is not printed: FoundationEssentials traps on invalid dates.
    static func unstorable(_ type: Any.Type) -> String {
        "This \(type) cannot be stored in a property list."
    }
}

/// Makes a sentence of a decoding or encoding error.
enum CodingSentence {
    /// The sentence, with the place inside of the value if the error has one.
    static func of(_ error: any Error) -> String {
        switch error {
        case let error as DecodingError:
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                return sentence(context.debugDescription, context.codingPath)
            @unknown default: return "\(error)"
            }
        case let error as EncodingError:
            if case .invalidValue(_, let context) = error {
                return sentence(context.debugDescription, context.codingPath)
            }
            return "\(error)"
        default: return "\(error)"
        }
    }

    /// A description with its place in front.
    private static func sentence(_ description: String, _ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return description }
        return "At \(path.map(\.stringValue).joined(separator: ".")): \(description)"
    }
}
