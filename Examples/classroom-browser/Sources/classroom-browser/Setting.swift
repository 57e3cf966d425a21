import ManagedDefaults

/// A setting of the browser.
struct Setting {
    /// The domain of the browser's settings.
    static let domain = "org.example.Browser"

    /// The name that people see.
    let title: String
    /// The key.
    let key: String
    /// The value where nobody set one.
    let registered: any Sendable

    /// All settings, in the order of the settings page.
    static let all = [
        Setting(title: "Home page", key: "HomePage", registered: "about:blank"),
        Setting(title: "Search engine", key: "SearchEngine", registered: "https://search.example/?q=%s"),
        Setting(title: "Downloads go to", key: "DownloadFolder", registered: "~/Downloads"),
        Setting(title: "Proxy", key: "Proxy", registered: "none"),
        Setting(title: "Private browsing", key: "PrivateBrowsing", registered: true),
        Setting(title: "Bookmarks bar", key: "ShowBookmarksBar", registered: false),
        Setting(title: "Zoom", key: "ZoomLevel", registered: 1.0),
    ]

    /// The values where nobody set one, for `register(defaults:)`.
    static var registered: [String: Any] {
        Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0.registered) })
    }

    /// The value in effect, as people read it.
    func text(in defaults: ManagedDefaults) -> String {
        switch registered {
        case is Bool: defaults.bool(forKey: key) ? "on" : "off"
        case is Double: "\(Int((defaults.double(forKey: key) * 100).rounded())) %"
        default: defaults.string(forKey: key) ?? "none"
        }
    }
}
