import ManagedDefaults

/// The settings of the browser: name, type and default.
extension ManagedDefaults.Keys {
    /// The page that a new window shows.
    static let homePage = Key("HomePage", default: "about:blank")
    /// The address of a search; `%s` stands for its words.
    static let searchEngine = Key("SearchEngine", default: "https://search.example/?q=%s")
    /// The folder of saved files.
    static let downloadFolder = Key("DownloadFolder", default: "~/Downloads")
    /// The proxy that fetches pages; `nil` for none.
    static let proxy = Key<String?>("Proxy")
    /// Whether visited pages are not remembered.
    static let privateBrowsing = Key("PrivateBrowsing", default: true)
    /// Whether the bar of bookmarks is shown.
    static let showsBookmarksBar = Key("ShowBookmarksBar", default: false)
    /// The scale of pages; 1 for their own size.
    static let zoom = Key("ZoomLevel", default: 1.0)
}
