import Foundation
import MDPolicyStore
import MDPropertyList
import ManagedDefaults
import Testing

@testable import MDPolicyAdministration

/// An enumeration that lists its cases.
private enum Theme: String, CaseIterable { case light, dark }

/// An enumeration of numbers that does not.
private enum Level: UInt8 { case low = 1, high }

/// A type that is stored as entries.
private struct Window: Codable {
    /// Its width.
    var width: Int
    /// Its title.
    var title: String?
}

extension ManagedDefaults.Keys {
    fileprivate static let home = Key("HomePage", default: "about:blank")
    fileprivate static let zoom = Key("ZoomLevel", default: 1.0)
    fileprivate static let ratio = Key<Float?>("Ratio")
    fileprivate static let downloads = Key("AllowDownloads", default: true)
    fileprivate static let pages = Key("Pages", default: 7)
    fileprivate static let small = Key("Small", default: UInt8(3))
    fileprivate static let huge = Key<UInt64?>("Huge")
    fileprivate static let site = Key<URL?>("Site")
    fileprivate static let since = Key("Since", default: Date(timeIntervalSinceReferenceDate: 5))
    fileprivate static let bytes = Key("Bytes", default: Data([1]))
    fileprivate static let theme = Key("Theme", default: Theme.light)
    fileprivate static let maybeTheme = Key<Theme?>("MaybeTheme")
    fileprivate static let level = Key<Level?>("Level")
    fileprivate static let names = Key("Names", default: [String]())
    fileprivate static let limits = Key("Limits", default: [String: Int16]())
    fileprivate static let window = Key("Window", default: Window(width: 640))
    fileprivate static let accent = Key(
        "Accent", default: 255,
        codec: ManagedDefaults.Codec(
            storedAs: String.self, encode: { String($0, radix: 16) }, decode: { Int($0, radix: 16) }))
}

/// A program's manifest says of its keys what their types and defaults say.
struct ManifestOfKeysTests {
    /// A manifest that was read again.
    private func parsed(_ keys: [ManagedDefaults.Manifest.DescribedKey]) throws -> Manifest {
        let text = try ManagedDefaults.Manifest("org.x", title: "X", description: "For X", keys: keys).text()
        let (manifest, findings) = Manifest.parse(bytes: Array(text.utf8), shownPath: "x.plist")
        #expect(findings.isEmpty)
        return try #require(manifest)
    }

    @Test func `A key's type, default and choices come from its declaration`() throws {
        let manifest = try parsed([
            .init(.home, "Home", "Where it begins"), .init(.zoom, minimum: 0.25, maximum: 5), .init(.ratio),
            .init(.downloads), .init(.pages), .init(.small), .init(.huge), .init(.site), .init(.since), .init(.bytes),
            .init(.theme), .init(.maybeTheme), .init(.level), .init(.names), .init(.limits), .init(.window),
            .init(.accent, isSensitive: true),
        ])
        #expect(manifest.isWhole && manifest.title == "X" && manifest.description == "For X")
        let types = manifest.keys.mapValues { $0.type?.rawValue ?? "-" }
        #expect(
            types == [
                "HomePage": "string", "ZoomLevel": "real", "Ratio": "real", "AllowDownloads": "boolean",
                "Pages": "integer", "Small": "integer", "Huge": "integer", "Site": "url", "Since": "date",
                "Bytes": "data", "Theme": "string", "MaybeTheme": "string", "Level": "integer", "Names": "array",
                "Limits": "dictionary", "Window": "dictionary", "Accent": "string",
            ])
        let home = try #require(manifest.keys["HomePage"])
        #expect(home.title == "Home" && home.description == "Where it begins")
        #expect(home.defaultValue == .string("about:blank"))
        #expect(manifest.keys["Proxy"]?.defaultValue == nil)
        #expect(manifest.keys["Accent"]?.isSensitive == true && manifest.keys["Accent"]?.defaultValue == .string("ff"))
    }

    @Test(
        arguments: [
            ("ZoomLevel", .real(9), "must be at most 5.0, and is 9.0"), ("ZoomLevel", .integer(2), nil),
            ("ZoomLevel", .string("2"), "must be a real, not a string"),
            ("Pages", .integer(-9), nil), ("Small", .integer(256), "must be at most 255, and is 256"),
            ("Huge", .integer(-1), "must be at least 0, and is -1"),
            ("Theme", .string("pink"), #"must be one of "light", "dark", and is "pink""#),
            ("MaybeTheme", .string("dark"), nil), ("Level", .integer(300), "must be at most 255, and is 300"),
            ("Names", .array([.string("a"), .integer(1)]), "[1] must be a string, not an integer"),
            ("Limits", .dictionary(["a": .integer(40_000)]), ".a must be at most 32767, and is 40000"),
            ("Window", .dictionary(["width": .string("wide")]), ".width must be an integer, not a string"),
            ("Window", .dictionary(["title": .string("t")]), nil),
        ] as [(String, Value, String?)])
    func `A wrong value is found by what the declaration says`(_ key: String, _ value: Value, _ words: String?) throws {
        let manifest = try parsed([
            .init(.zoom, minimum: 0.25, maximum: 5), .init(.pages), .init(.small), .init(.huge), .init(.theme),
            .init(.maybeTheme), .init(.level), .init(.names), .init(.limits), .init(.window),
        ])
        #expect(try #require(manifest.keys[Key(key)]).objection(to: value) == words)
    }

    @Test func `A mistake in a declaration is an error with the key's name`() {
        let mistakes: [([ManagedDefaults.Manifest.DescribedKey], String)] = [
            ([.init(.home), .init(.home)], "HomePage is there twice."),
            ([.init(.zoom, minimum: 2)], "ZoomLevel: the default is not an allowed value."),
            ([.init(.pages, minimum: 9, maximum: 3)], "Pages: its Minimum is greater than its Maximum."),
            ([.init(.home, choices: ["a"])], "HomePage: the default is not an allowed value."),
            ([.init(.home, choices: [])], "HomePage: its OneOf is empty."),
            ([.init(.names, choices: [["a"]])], "Names: limits and choices are for values without parts."),
            ([.init(ManagedDefaults.Key("", default: 1))], "A key has no name."),
        ]
        for (keys, words) in mistakes {
            #expect(throws: ManagedDefaults.ManifestError.self) { try parsed(keys) }
            let error = #expect(throws: ManagedDefaults.ManifestError.self) {
                try ManagedDefaults.Manifest("org.x", keys: keys).text()
            }
            #expect(error?.message == words)
        }
        let error = #expect(throws: ManagedDefaults.ManifestError.self) {
            try ManagedDefaults.Manifest("a/b", keys: []).text()
        }
        #expect(error?.message == "The domain \"a/b\" contains '/'.")
    }

    @Test func `The same settings make the same text, in whatever order`() throws {
        let keys: [ManagedDefaults.Manifest.DescribedKey] = [.init(.home), .init(.zoom), .init(.theme)]
        let text = try ManagedDefaults.Manifest("org.x", keys: keys).text()
        #expect(try ManagedDefaults.Manifest("org.x", keys: keys.reversed()).text() == text)
    }
}
