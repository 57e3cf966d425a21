import Configuration
import ConfigurationTesting
import Foundation
import ManagedConfiguration
import ManagedDefaults
import ManagedDefaultsTesting
import Testing

/// The values that the test of swift-configuration expects.
private let expected: [String: any Sendable] = {
    let (first, second) = (Data("magic".utf8), Data("magic2".utf8))
    return [
        "string": "Hello", "other.string": "Other Hello", "int": 42, "other.int": 24, "double": 3.14,
        "other.double": 2.72, "bool": true, "other.bool": false, "bytes": first, "other.bytes": second,
        "stringy.array": ["Hello", "World"], "other.stringy.array": ["Hello", "Swift"], "inty.array": [42, 24],
        "other.inty.array": [16, 32], "doubly.array": [3.14, 2.72], "other.doubly.array": [0.9, 1.8],
        "booly.array": [true, false], "other.booly.array": [false, true, true], "byteChunky.array": [first, second],
        "other.byteChunky.array": [first, second, first],
    ]
}()

@Test(arguments: [ManagedDefaultsProvider.Part.forced, ManagedDefaultsProvider.Part.allDomains])
func `Both providers pass the test of swift-configuration`(_ part: ManagedDefaultsProvider.Part) async throws {
    let bed = ManagedDefaults.TestBed(stored: expected.filter { _ in part == .allDomains })
    if part == .forced {
        for (key, value) in expected { bed.overlay.force(key, to: value) }
    }
    try await ProviderCompatTest(provider: ManagedDefaultsProvider(bed.defaults, part)).runTest()
}

/// A reader as a service has it.
private func reader(_ bed: ManagedDefaults.TestBed) -> ConfigReader {
    ConfigReader(providers: [
        ManagedDefaultsProvider(bed.defaults, .forced),
        CommandLineArgumentsProvider(arguments: ["service", "--http-port", "81"]),
        EnvironmentVariablesProvider(environmentVariables: ["HTTP_PORT": "82", "HTTP_HOST": "environment"]),
        ManagedDefaultsProvider(bed.defaults, .allDomains),
    ])
}

@Test func `Forced wins over flags and environment, the user's setting does not`() {
    let bed = ManagedDefaults.TestBed(stored: ["http.port": 83, "http.host": "user", "theme": "dark"])
    let config = reader(bed)
    #expect(config.int(forKey: "http.port") == 81)
    #expect(config.string(forKey: "http.host") == "environment")
    #expect(config.string(forKey: "theme") == "dark")
    bed.overlay.force("http.port", to: 80)
    bed.overlay.force("http.host", to: "policy")
    #expect(config.int(forKey: "http.port") == 80)
    #expect(config.string(forKey: "http.host") == "policy")
    #expect(config.snapshot().int(forKey: "http.port") == 80)
}

@Test func `A key that is forced to have no value takes none from the environment`() {
    let bed = ManagedDefaults.TestBed()
    bed.overlay.forceAbsent("http.host")
    let config = reader(bed)
    #expect(config.string(forKey: "http.host") == nil)
    #expect(config.string(forKey: "http.host", default: "built in") == "built in")
    #expect(config.snapshot().string(forKey: "http.host") == nil)
    let error = #expect(throws: ManagedDefaultsError.self) { try config.requiredString(forKey: "http.host") }
    #expect(error?.message == "Policy forces http.host to have no value.")
}

@Test func `A forced value of another type takes none from the environment`() {
    let bed = ManagedDefaults.TestBed()
    bed.overlay.force("http.port", to: "eighty")
    #expect(reader(bed).int(forKey: "http.port") == nil)
}

@Test func `A watcher sees policy come and go`() async throws {
    let bed = ManagedDefaults.TestBed()
    let found = try await reader(bed).watchInt(forKey: "http.port") {
        (updates: ConfigUpdatesAsyncSequence<Int?, Never>) in
        var found: [Int?] = []
        for await value in updates where found.last != .some(value) {
            found.append(value)
            if found.count == 1 { bed.overlay.force("http.port", to: 80) }
            if found.count == 2 { bed.overlay.unforce("http.port") }
            if found.count == 3 { break }
        }
        return found
    }
    #expect(found == [81, 80, 81])
}
