import MDPlatform
import MDPolicyModel

/// `policy new`: a first policy file.
enum PolicyNewVerb: Verb {
    static let name = ["policy", "new"]
    static var accepts: GlobalOptions.Kinds { [] }
    static let summary = "write a first policy file to begin with"
    static let usage = ["policy new [FILE|--as NAME]"]
    static let help = """
        Writes a policy file with a comment beside each field that most files have, valid as it is and without effect
        until its values are yours. Without FILE it goes to standard output, with --as as the file NAME. A FILE that is there already is not touched.

        exit codes: 0 written; 2 wrong command line; 4 FILE is there already, or could not be written.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let name = try arguments.option("--as")
        let word = name == nil ? arguments.next() : nil
        try arguments.requireEnd()
        guard let word else {
            try context.console.write(Array(text(for: name.map(PolicyFileName.stem) ?? "first").utf8))
            return .success
        }
        if let reason = PolicyFileName.reasonToIgnore(CallerPath.split(word).name) {
            throw .usage("\(Printable.escape(word)) would not be read: its name \(reason).", of: self)
        }
        do throws(SystemError) {
            let file = try CallerFile.open(try CallerPath.absolute(word), in: .system)
            if file.status != nil {
                throw SystemError(operation: "make", path: word, code: 17, reason: "it is there already")
            }
            let text = text(for: PolicyFileName.stem(of: file.path))
            try file.write(CollectionOfOne(Array(text.utf8)), mode: 0o644)
        } catch {
            throw .of(error)
        }
        let shown = Printable.escape(word)
        try context.console.line("\(shown) is written. Next: mdefaults policy lint \(shown)")
        try context.console.line("and, as root: mdefaults policy install \(shown)")
        return .success
    }

    /// Where packages put the schema.
    private static let schema = "/usr/share/managed-defaults/policy.schema.json"

    /// The text of a first file.
    static func text(for name: String) -> String {
        let schema = Root.system.mayExist(schema) ? "  \"$schema\": \"\(schema)\",\n" : ""
        return """
            {
            \(schema)  // Any word; refusals and records name it. Keep it when the file gets another name.
              "Identifier": "\(Printable.escape(name))",
              // Both are shown to a user whose key is forced.
              "Description": "What this policy is for",
              "Contact": "Whom to ask",
              // Whom it is for: each clause must match, in each any item. Without Target: everybody.
              "Target": { "Users": ["nobody"] },
              // Values that users cannot change: domain, key, value. Programs such as browsers obey this domain; mdefaults
              // programs list names theirs.
              "Forced": {
                "org.manageddefaults.common": { "HomePage": "https://www.example.org/" },
              },
              // Values that hold until a user chooses another.
              "Recommended": {},
              // Keys that have no value.
              "Absent": {},
            }

            """
    }
}
