import ManagedDefaults

/// The settings of the browser: name, type, and what holds where nobody set anything.
extension ManagedDefaults.Keys {
    static let homePage = Key("HomePage", default: "about:blank")
    static let searchEngine = Key("SearchEngine", default: "https://search.example/?q=%s")
    static let downloadFolder = Key("DownloadFolder", default: "~/Downloads")
    static let proxy = Key<String?>("Proxy")
    static let privateBrowsing = Key("PrivateBrowsing", default: true)
    static let showsBookmarksBar = Key("ShowBookmarksBar", default: false)
    static let zoom = Key("ZoomLevel", default: 1.0)
}
