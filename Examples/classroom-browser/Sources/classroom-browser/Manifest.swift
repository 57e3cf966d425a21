import ManagedDefaults

/// What administrators may know of the settings: `classroom-browser --dump-manifest` prints it.
extension ManagedDefaults.Manifest {
    /// All settings of the browser.
    static let browser = Self(
        ClassroomBrowser.domain, title: "Classroom browser", description: "The settings page of a browser",
        keys: [
            .init(.homePage, "Home page", "The page that a new window shows"),
            .init(.searchEngine, "Search engine", "The address of a search; %s stands for its words"),
            .init(.downloadFolder, "Downloads go to", "The folder of saved files"),
            .init(.proxy, "Proxy", "The proxy that fetches pages; none by default"),
            .init(.privateBrowsing, "Private browsing", "Whether visited pages are not remembered"),
            .init(.showsBookmarksBar, "Bookmarks bar", "Whether the bar of bookmarks is shown"),
            .init(.zoom, "Zoom", "The scale of pages; 1 for their own size", minimum: 0.25, maximum: 5),
        ])
}
