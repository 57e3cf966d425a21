import Platform
import Policy
import PropertyList

/// `policy lint`: what is wrong with policy files, one by one and together.
enum PolicyLintVerb: Verb {
    static let name = ["policy", "lint"]
    static let summary = "check policy files"
    static let usage = ["policy lint [FILE…] [--format text|json]"]
    static let help = """
        Without FILE: everything that is wrong with the policy of the machine, or of the folder of --root: each file,
        its owner and mode, names that are not read, files that contradict each other, targets that nobody here meets.
        With FILE: those files as if they lay in one directory, in the order given; neither owners nor targets are
        looked at. FILE is a path as the shell has it, also with --root.

        --format text   a line for each finding on standard output: file:line:column: error|warning: sentence [code]
        --format json   the same as --json; sarif is not supported yet

        JSON: [{"file","line","column","severity":"error"|"warning","code","message"}]
        In a binary file "line" and "column" are 0 and "offset" counts.

        exit codes: 0 no errors, warnings allowed; 1 errors; 2 wrong command line; 4 a file could not be read.
        """

    static func run(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        let isJSON = try format(&words, context)
        let files = try words.files()
        let findings: [Diagnostic]
        if files.isEmpty {
            let root = try context.root()
            findings = Lint.run(root: root)
            if !PolicyStore(root: root).isManaged {
                let (etc, run) = (root.display("/etc/managed-defaults"), root.display("/run/managed-defaults"))
                context.console.say("There is no policy to check: neither \(etc) nor \(run) exists.")
            }
        } else {
            findings = Lint.run(files: files)
        }
        try isJSON ? context.print(document(findings)) : print(findings, context.console)
        // A file of the machine that cannot be read is a finding about the machine; one that was named was not checked.
        if !files.isEmpty, findings.contains(where: { $0.code == LintCode.unreadable.rawValue }) { return .inputOutput }
        return findings.contains { $0.severity == .error } ? .no : .success
    }

    /// Whether the output is JSON.
    private static func format(_ words: inout Words, _ context: Context) throws(Failure) -> Bool {
        switch try words.option("--format") {
        case nil: return context.options.json
        case "json": return true
        case "text":
            if context.options.json { throw .usage("--json and --format text contradict each other.", of: self) }
            return false
        case "sarif": throw .usage("--format sarif is not supported yet; there are text and json.", of: self)
        case .some(let other):
            throw .usage("There is no format \(Printable.escape(other)); there are text and json.", of: self)
        }
    }

    /// Prints findings line by line and counts them on standard error.
    private static func print(_ findings: [Diagnostic], _ console: Console) throws(Failure) {
        for finding in findings { try console.line(Printable.escape(finding.description)) }
        let errors = findings.count { $0.severity == .error }
        let warnings = findings.count - errors
        console.say(
            "\(errors) \(errors == 1 ? "error" : "errors") and \(warnings) \(warnings == 1 ? "warning" : "warnings").")
    }

    /// The findings as JSON.
    private static func document(_ findings: [Diagnostic]) -> JSONWriter {
        var json = JSONWriter(pretty: true)
        json.findings(findings, withFile: true)
        return json
    }
}
