import ManagedDefaults

/// The settings of the browser: name, type, and what holds where nobody set anything.
extension ManagedDefaults.Keys {
    /// The page that a new window shows.
    static let homePage = Key("HomePage", default: "about:blank")
    /// Where a search goes; `%s` stands for its words.
    static let searchEngine = Key("SearchEngine", default: "https://search.example/?q=%s")
    /// Where files are saved.
    static let downloadFolder = Key("DownloadFolder", default: "~/Downloads")
    /// Through whom pages are fetched; `nil` for nobody.
    static let proxy = Key<String?>("Proxy")
    /// Whether nothing is remembered.
    static let privateBrowsing = Key("PrivateBrowsing", default: true)
    /// Whether bookmarks have a bar of their own.
    static let showsBookmarksBar = Key("ShowBookmarksBar", default: false)
    /// How large pages are; 1 as they are written.
    static let zoom = Key("ZoomLevel", default: 1.0)
}
