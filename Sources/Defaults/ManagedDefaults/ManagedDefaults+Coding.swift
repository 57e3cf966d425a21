import MDEngine
import MDPropertyList

/// Codable types whose properties are settings.
extension ManagedDefaults {
    /// Reads a type whose properties are settings, each under the name of its coding key.
    ///
    /// Each key is one lookup in the whole search list, so forced values count. An optional property is `nil` if no
    /// domain has its key; for other properties, ``register(_:)-(Encodable)`` a value with the defaults first. Types
    /// are read strictly: a text is not a number. All keys are read at one moment, as of a ``snapshot()``.
    ///
    /// - Parameter type: the type.
    /// - Returns: the settings.
    /// - Throws: `DecodingError` with the key that is missing or of another type, and any error of the type itself.
    public func settings<Settings: Decodable>(_ type: Settings.Type = Settings.self) throws -> Settings {
        try snapshot().settings(type)
    }

    /// Writes a type whose properties are settings, each under the name of its coding key.
    ///
    /// Each key is written by itself: a forced one is refused and recorded in the audit log, the others are stored. The key
    /// of a property that is `nil` is removed.
    ///
    /// - Parameter settings: the settings.
    /// - Throws: ``DomainError`` with the outcome for each key, if the write of one is not in effect. If the type cannot be
    ///   encoded, nothing is written, and ``DomainOutcome/error`` gives the reason.
    public func store(_ settings: some Encodable) throws(DomainError) {
        try write(settings).checkEffect()
    }

    /// Writes the properties of a value.
    private func write(_ settings: some Encodable) -> DomainOutcome {
        do {
            var outcomes: [String: WriteOutcome] = [:]
            for (key, value) in try ValueEncoder.encodeEntries(settings).sorted(by: { $0.key < $1.key }) {
                outcomes[key.string] = write(encoded: value, key.string)
            }
            return DomainOutcome(outcomes)
        } catch {
            return DomainOutcome(nothingWritten: .notEncodable(error))
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
            return DomainOutcome(nothingWritten: .notEncodable(error))
        }
    }
}

extension ManagedDefaults.WriteOutcome {
    /// The outcome of a value whose properties are settings, which cannot be encoded.
    fileprivate static func notEncodable(_ error: any Error) -> Self {
        .invalid(.notEncodable(key: nil, reason: CodingSentence.of(error)))
    }
}
