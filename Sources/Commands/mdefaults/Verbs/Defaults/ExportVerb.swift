import MDEngine
import MDPlatform
import MDPreferences
import MDPropertyList

/// `export`: the user's stored values as a file.
enum ExportVerb: Verb {
    static let name = ["export"]
    static var accepts: GlobalOptions.Kinds { .reading }
    static var isPlainReading: Bool { true }
    static let summary = "write the user's stored values of a domain to a file"
    static let usage = ["export DOMAIN FILE", "export DOMAIN -"]
    static let help = """
        To FILE as a binary property list, which takes the place of an older file in one step; to - as XML, with --json
        as JSON. What the user has stored is exported, hidden values included and policy's values left out, so that
        import brings it back. FILE must not be a user's preference file. Exit 1: nothing is stored in the domain.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let place = try DomainArgument.parse(&arguments, context)
        let file = try arguments.next("A file, or - for standard output,")
        try arguments.requireEndUnchanged()
        let toOutput = file == "-"
        let isJSON = context.options.json
        // Encoded with the ids of the user, so that root does not parse what a user wrote.
        let answer = try stored(place, context) { values throws(Failure) in
            do throws(PropertyListError) {
                if !toOutput { return try BinaryWriter.write(.dictionary(values)) }
                if !isJSON { return try XMLWriter.write(.dictionary(values), exact: true) }
            } catch {
                let hint = toOutput ? " To a file, or with --json, it can be." : ""
                throw Failure(code: .badInput, message: "The domain cannot be exported: \(error.message).\(hint)")
            }
            var json = JSONWriter(pretty: true)
            json.value(.dictionary(values))
            return json.utf8 + [0x0a]
        }
        if toOutput {
            try context.console.write(isJSON ? TerminalText.json(answer) : TerminalText.xml(answer))
        } else {
            try OutputFile.write(CollectionOfOne(answer), to: file, context, for: self) { $0 ?? 0o600 }
        }
        return .success
    }

    /// Reads what is stored and encodes it.
    private static func stored(
        _ place: DomainArgument, _ context: Context, _ encode: ([Key: Value]) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8] {
        switch place {
        case .domain(let domain, let host, let account):
            return try context.run(as: account) { session throws(Failure) in
                let values: [Key: Value]?
                do throws(PreferencesError) {
                    values = try session.preferences.read(domain, host: host)?.values
                } catch {
                    throw .of(error)
                }
                guard let values else { throw missing(Printable.escape(DomainNotation.title(domain))) }
                return Context.Outcome(code: .success, bytes: try encode(values))
            }.bytes
        case .file(let file):
            return try file.runAsOwner(context) { () throws(Failure) in
                guard let content = try file.read() else { throw missing(file.shown) }
                return Context.Outcome(code: .success, bytes: try encode(content.values))
            }.bytes
        }
    }

    /// Apple's answer if nothing is stored.
    private static func missing(_ shown: String) -> Failure {
        Failure(code: .no, message: "The domain \(shown) does not exist")
    }
}
