/// `policy schema`: the JSON Schema of policy files.
enum PolicySchemaVerb: Verb {
    static let name = ["policy", "schema"]
    static var accepts: GlobalOptions.Kinds { [] }
    static let summary = "print the JSON Schema of policy files, for editors"
    static let usage = ["policy schema"]
    static let help = """
        Prints the schema that editors check and complete policy files in JSON with. A file names it with
        "$schema": "PATH"; policy new writes that where the schema is installed.

        exit codes: 0 printed; 2 wrong command line; 4 could not be printed.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        try context.console.write(EmbeddedFiles.schema)
        return .success
    }
}
