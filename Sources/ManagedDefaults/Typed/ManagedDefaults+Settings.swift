import Engine
import PropertyList

/// Types whose properties are settings.
extension ManagedDefaults {
    /// Reads a type whose properties are settings, each under the name of its coding key.
    ///
    /// Each key is one lookup in the whole search list, so forced values count. A property that is optional is `nil` where
    /// nothing has its key; for others, ``register(_:)`` what a new value of the type holds. Types are read strictly: a
    /// text is no number. Keys are read one after another; a change meanwhile may show in the later ones only.
    ///
    /// - Parameter type: the type.
    /// - Returns: the settings.
    /// - Throws: `DecodingError` with the key that is missing or of another type, and whatever the type throws itself.
    public func decode<Settings: Decodable>(_ type: Settings.Type = Settings.self) throws -> Settings {
        try ValueDecoder.decode(type, from: EngineLookups(engine: engine))
    }

    /// Stores a type whose properties are settings, each under the name of its coding key.
    ///
    /// Every key is written for itself: a forced one is refused and audited, the others are stored. A property that is
    /// `nil` is removed.
    ///
    /// - Parameter settings: the settings.
    /// - Returns: what became of each key; where the type cannot be encoded, nothing is stored, and
    ///   ``DomainOutcome/message`` says why.
    @discardableResult
    public func store(_ settings: some Encodable) -> DomainOutcome {
        do {
            var outcomes: [String: WriteOutcome] = [:]
            for (key, value) in try ValueEncoder.encodeEntries(settings).sorted(by: { $0.key < $1.key }) {
                outcomes[key.string] = write(encoded: value, key.string)
            }
            return DomainOutcome(outcomes: outcomes, message: nil)
        } catch {
            return DomainOutcome(outcomes: [:], message: "Nothing was stored. \(CodingSentence.of(error))")
        }
    }

    /// Registers the properties of a value as defaults, each under the name of its coding key.
    ///
    /// - Parameter settings: a value that holds the defaults.
    /// - Throws: `EncodingError` where a property cannot be stored; nothing is registered then.
    public func register(_ settings: some Encodable) throws {
        engine.register(try ValueEncoder.encodeEntries(settings).compactMapValues { $0 })
    }
}

/// The search list as the entries of a dictionary.
private struct EngineLookups: DecodedLookups {
    /// Who is asked.
    let engine: DefaultsEngine

    /// What a lookup finds.
    func value(of key: String) -> PropertyList.Value? { engine.cell.value(key) }
    /// Every key that lookups find.
    var keys: [String] { engine.union.keys.sorted().map(\.string) }
}
