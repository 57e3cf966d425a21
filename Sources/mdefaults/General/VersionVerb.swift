/// `version`, also as `--version`.
enum VersionVerb: Verb {
    static let name = ["version"]
    static let summary = "print the version"
    static let usage = ["--version"]
    static let help = "Prints the name of the program and its version."

    static func run(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        try words.end()
        try context.console.line("mdefaults \(MDefaults.version)")
        return .success
    }
}
