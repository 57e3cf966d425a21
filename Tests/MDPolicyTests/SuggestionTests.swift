import MDPolicyModel
import Testing

/// The domain that was probably meant.
struct SuggestionTests {
    /// Known domains; one that ends with a full stop begins the names of many.
    private static let known = [
        "org.mozilla.firefox", "org.mozilla.thunderbird", "org.chromium.Chromium", "org.gnome.", "org.kde.",
        "org.example.a1",
    ]

    @Test(arguments: [
        ("org.mozila.firefox", "org.mozilla.firefox"), ("ORG.Mozilla.Firefox", "org.mozilla.firefox"),
        ("com.mozilla.firefox", "org.mozilla.firefox"), ("org.mozilla.fierfox", "org.mozilla.firefox"),
        ("firefox", "org.mozilla.firefox"), ("chromium", "org.chromium.Chromium"),
        ("org.gnmoe.desktop.interface", "org.gnome.desktop.interface"), ("org.gnome.x.y", "org.gnome.x.y"),
        ("org.mozila.firefx", nil), ("com.gnome.desktop", nil), ("org.kd.kwinrc", nil), ("gnome", nil),
        ("org.example.a2", nil), ("org.mozilla.firefox.more", nil), ("org.mozilla", nil), ("", nil), ("...", nil),
        ("com.firefox", nil),
    ])
    func `is known, differs in one part, or is its last part`(name: String, meant: String?) {
        #expect(Suggestion.domain(near: name, among: Self.known, tolerance: 2) == meant)
    }
}
