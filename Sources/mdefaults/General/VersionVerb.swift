import PropertyList

/// `version`, also as `--version`.
enum VersionVerb: Verb {
    static let name = ["version"]
    static var takes: GlobalOptions.Kinds { .everything }
    static let summary = "print the version"
    static let usage = ["version", "--version"]
    static let help = """
        Prints the name of the program and its version.

        JSON: {"name","version"}
        """

    static func run(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        try words.end()
        guard !context.options.json else {
            var json = JSONWriter()
            json.beginObject()
            json.field("name", "mdefaults")
            json.field("version", MDefaults.version)
            json.endObject()
            try context.print(json)
            return .success
        }
        try context.console.line("mdefaults \(MDefaults.version)")
        return .success
    }
}
