import MDEngine
import MDPropertyList

/// Codable types whose properties are settings.
extension ManagedDefaults {
    /// Reads a type whose properties are settings, each under the name of its coding key.
    ///
    /// Each key is one lookup in the whole search list, so forced values count. An optional property is `nil` if no
    /// domain has its key; for other properties, ``register(_:)-(Encodable)`` a value with the defaults first. Types
    /// are read strictly: a text is not a number. Keys are read one after the other, so a concurrent change may affect
    /// the later ones only.
    ///
    /// - Parameter type: the type.
    /// - Returns: the settings.
    /// - Throws: `DecodingError` with the key that is missing or of another type, and any error of the type itself.
    public func decode<Settings: Decodable>(_ type: Settings.Type = Settings.self) throws -> Settings {
        try ValueDecoder.decode(type, from: EngineLookups(engine: engine))
    }

    /// Writes a type whose properties are settings, each under the name of its coding key.
    ///
    /// Each key is written by itself: a forced one is refused and recorded in the audit log, the others are stored. The key
    /// of a property that is `nil` is removed.
    ///
    /// - Parameter settings: the settings.
    /// - Returns: the outcome for each key. If the type cannot be encoded, nothing is written, and
    ///   ``DomainOutcome/error`` gives the reason.
    @discardableResult
    public func encode(_ settings: some Encodable) -> DomainOutcome {
        do {
            var outcomes: [String: WriteOutcome] = [:]
            for (key, value) in try ValueEncoder.encodeEntries(settings).sorted(by: { $0.key < $1.key }) {
                outcomes[key.string] = write(encoded: value, key.string)
            }
            return DomainOutcome(outcomes)
        } catch {
            return DomainOutcome(nothingWritten: .invalid("Nothing was stored. \(CodingSentence.of(error))"))
        }
    }

    /// Registers the properties of a value as defaults, each under the name of its coding key.
    ///
    /// - Parameter settings: a value with the defaults; a property that is `nil` has none.
    /// - Returns: no outcomes; if the type cannot be encoded, nothing is registered, and ``DomainOutcome/error`` gives the
    ///   reason.
    @discardableResult
    public func register(_ settings: some Encodable) -> DomainOutcome {
        do {
            engine.register(Array(try ValueEncoder.encodeEntries(settings).compactMapValues { $0 }))
            return DomainOutcome([:])
        } catch {
            return DomainOutcome(nothingWritten: .invalid("Nothing was registered. \(CodingSentence.of(error))"))
        }
    }
}

/// The search list as the entries of a dictionary.
private struct EngineLookups: DecodedLookups {
    /// The engine that looks keys up.
    let engine: DefaultsEngine

    /// The value that a lookup returns.
    func value(of key: String) -> MDPropertyList.Value? { engine.cell.value(key) }
    /// Every key of the search list, in byte order.
    var keys: [String] { engine.union.keys.sorted().map(\.string) }
}
