import Testing

/// Usual mistakes are explained by the compiler.
struct MistakeTests {
    /// Mistakes, each with a part of the message.
    private static let mistakes = [
        (#"_ = defaults["K"]"#, "Use object(forKey:) and set(_:forKey:)"),
        (#"defaults["K"] = 5"#, "Use object(forKey:) and set(_:forKey:)"),
        (#"_ = defaults.value(forKey: "K")"#, "renamed to 'object(forKey:)'"),
        (#"defaults.setValue(5, forKey: "K")"#, "renamed to 'set(_:forKey:)'"),
        (#"defaults.removeValue(forKey: "K")"#, "renamed to 'removeObject(forKey:)'"),
        (#"defaults.register(["K": 5 as Any])"#, "renamed to 'register(defaults:)'"),
        ("_ = ManagedDefaults.didChangeNotification", "Use settings(for:) or observeChanges"),
        ("defaults.set(nil, for: .zoom)", "The setting's type has no nil."),
        ("defaults.set(1.5, forKey: .zoom)", "set(_:for:)"),
        ("_ = defaults.object(forKey: .zoom)", "the subscript"),
        ("_ = defaults.objectIsForced(forKey: .zoom)", "renamed to 'isForced(_:)'"),
        (#"_ = defaults.isForced("K")"#, "renamed to 'objectIsForced(forKey:)'"),
        ("defaults.removeObject(forKey: .zoom)", "renamed to 'remove(_:)'"),
        (#"_ = defaults.settings(for: "K")"#, "Only a declared key has settings."),
        (#"_ = defaults.setting(for: "K")"#, "Only a declared key has a setting."),
        (#"_ = ManagedDefaults.Key("K", default: Plain())"#, "A setting is Codable"),
        (#"_ = ManagedDefaults.Key<Int>("K")"#, "The key needs a default"),
        (#"_ = ManagedDefaults.Stored(wrappedValue: Plain(), "K")"#, "A setting is Codable"),
        ("_ = ManagedDefaults.Stored(wrappedValue: 2, .zoom)", "The declared key has the default"),
    ]

    @Test func `the compiler says what to write instead`() throws {
        let lines = [
            "```swift", "extension ManagedDefaults.Keys {", #"    static let zoom = Key("ZoomLevel", default: 1.0)"#,
            #"    static let proxy = Key<String?>("Proxy")"#, "}", "struct Plain: Sendable { var a = 1 }",
            "let defaults = ManagedDefaults.standard",
            // What is right stays right beside them.
            "defaults.set(nil, for: .proxy)", #"defaults.set(nil, forKey: "K")"#, "defaults[.proxy] = nil",
            #"defaults.register(["K": 5])"#,
        ]
        let text = (lines + MistakeTests.mistakes.map(\.0) + ["```"]).joined(separator: "\n")
        let errors = try SnippetTests.errors(in: SnippetPage.pages(of: "Page.md", text))
        #expect(errors.count == MistakeTests.mistakes.count, "\(errors)")
        for (number, mistake) in MistakeTests.mistakes.enumerated() {
            let place = "Page.md:\(lines.count + number + 1):"
            let error = errors.first { $0.contains(place) }
            #expect(error?.contains(mistake.1) == true, "\(mistake.0): \(error ?? "no error")")
        }
    }
}
