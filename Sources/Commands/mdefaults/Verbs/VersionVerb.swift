import MDPropertyList

/// `version`, also as `--version`.
enum VersionVerb: Verb {
    static let name = ["version"]
    static var accepts: GlobalOptions.Kinds { .everything }
    static let summary = "print the version"
    static let usage = ["version", "--version"]
    static let help = """
        Prints the name of the program and its version.

        JSON: {"name","version"}
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        guard !context.options.json else {
            var json = JSONWriter()
            json.beginObject()
            json.field("name", "mdefaults")
            json.field("version", ToolVersion.current)
            json.endObject()
            try context.print(json)
            return .success
        }
        try context.console.line("mdefaults \(ToolVersion.current)")
        return .success
    }
}
