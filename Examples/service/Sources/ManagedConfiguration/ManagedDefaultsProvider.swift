public import Configuration
public import ManagedDefaults

/// Managed defaults as a provider of swift-configuration.
///
/// Two of them make the search list: forced keys ahead of flags and environment, all other domains behind them.
///
/// ```swift
/// let config = ConfigReader(providers: [
///     ManagedDefaultsProvider(defaults, .forced),
///     CommandLineArgumentsProvider(),
///     EnvironmentVariablesProvider(),
///     ManagedDefaultsProvider(defaults, .allDomains),
/// ])
/// ```
///
/// The key `http.port` of the configuration is the key `http.port` of the domain.
public struct ManagedDefaultsProvider: ConfigProvider {
    /// Which values a provider has.
    public enum Part: String, Sendable {
        /// Those that an administrator forces.
        case forced
        /// Those of the whole search list.
        case allDomains
    }

    /// The defaults.
    private let defaults: ManagedDefaults
    /// Which values it has.
    private let part: Part
    /// The name for reports of accesses.
    public var providerName: String { "ManagedDefaultsProvider[\(part.rawValue)]" }

    /// Makes a provider.
    public init(_ defaults: ManagedDefaults, _ part: Part) {
        self.defaults = defaults
        self.part = part
    }

    /// The value now.
    ///
    /// - Throws: ``ManagedDefaultsError`` if it cannot be read as the type, or policy forces the key to have no value. A
    ///   reader asks no other provider then, so neither flag nor environment takes the place of what is forced.
    public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        try snapshot().value(forKey: key, type: type)
    }

    /// The value after a look at what other processes and the administrator changed.
    public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
        defaults.synchronize()
        return try value(forKey: key, type: type)
    }

    /// The value now and after each change of the key, until the handler returns.
    public func watchValue<Return: ~Copyable>(
        forKey key: AbsoluteConfigKey, type: ConfigType,
        updatesHandler: (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws -> Return
    ) async throws -> Return {
        try await watch(key.components.joined(separator: ".")) { signals in
            try await updatesHandler(
                ConfigUpdatesAsyncSequence(signals.map { _ in Result { try value(forKey: key, type: type) } }))
        }
    }

    /// All values now.
    public func snapshot() -> any ConfigSnapshot {
        ManagedDefaultsSnapshot(providerName: providerName, part: part, values: defaults.snapshot())
    }

    /// All values now and after each change, until the handler returns.
    public func watchSnapshot<Return: ~Copyable>(
        updatesHandler: (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
    ) async throws -> Return {
        try await watch(nil) { signals in
            try await updatesHandler(ConfigUpdatesAsyncSequence(signals.map { _ in snapshot() }))
        }
    }

    /// Calls a function with a signal for now and for each change; several that nobody took yet are one.
    private func watch<Return: ~Copyable>(
        _ key: String?, _ body: (AsyncStream<Void>) async throws -> Return
    ) async throws -> Return {
        let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let observation = defaults.observeChanges(forKey: key) { _ in continuation.yield() }
        defer { observation.cancel() }
        continuation.yield()
        return try await body(signals)
    }
}

/// The values of managed defaults at one moment.
private struct ManagedDefaultsSnapshot: ConfigSnapshot {
    /// The name of the provider.
    let providerName: String
    /// Which values it has.
    let part: ManagedDefaultsProvider.Part
    /// The values.
    let values: ManagedDefaults.Snapshot

    /// The value of a key.
    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        let name = key.components.joined(separator: ".")
        guard part == .allDomains || values.objectIsForced(forKey: name) else {
            return LookupResult(encodedKey: name, value: nil)
        }
        return try part.result(name, values.object(forKey: name), type)
    }
}

extension ManagedDefaultsProvider.Part {
    /// Makes the result of a lookup.
    fileprivate func result(_ name: String, _ value: (any Sendable)?, _ type: ConfigType) throws -> LookupResult {
        guard let value else {
            if self == .forced { throw ManagedDefaultsError(message: "Policy forces \(name) to have no value.") }
            return LookupResult(encodedKey: name, value: nil)
        }
        guard let content = ConfigContent(value, as: type) else {
            throw ManagedDefaultsError(message: "The value of \(name) cannot be read as \(type.rawValue).")
        }
        return LookupResult(encodedKey: name, value: ConfigValue(content, isSecret: false))
    }
}

/// Why a provider of managed defaults has no answer, and no other may have one.
public struct ManagedDefaultsError: Error, Equatable, CustomStringConvertible {
    /// The reason, in a sentence.
    public let message: String

    /// The reason, in a sentence.
    public var description: String { message }
}
