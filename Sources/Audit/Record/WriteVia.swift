/// The way by which somebody tried to give a forced key another value (`via`).
package struct WriteVia: RecordWord {
    /// One value was set by code.
    package static let set = Self(rawValue: "set")
    /// One value was removed by code.
    package static let remove = Self(rawValue: "remove")
    /// A whole domain was replaced.
    package static let domain = Self(rawValue: "domain")
    /// A volatile domain was set by code.
    package static let volatile = Self(rawValue: "volatile")
    /// A command-line argument of the application.
    package static let argument = Self(rawValue: "argument")
    /// The command line tool.
    package static let cli = Self(rawValue: "cli")
    /// A file was imported.
    package static let `import` = Self(rawValue: "import")
    /// A preference file was edited past the library.
    package static let file = Self(rawValue: "file")
    /// An environment variable.
    package static let environment = Self(rawValue: "environment")

    /// The words that this version writes.
    package static let known: [Self] = [
        .set, .remove, .domain, .volatile, .argument, .cli, .import, .file, .environment,
    ]

    /// The word as it stands in the log.
    package let rawValue: String

    /// Makes the word of its spelling in the log.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
