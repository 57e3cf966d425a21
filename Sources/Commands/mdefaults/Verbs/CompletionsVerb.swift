import MDPlatform

/// `completions`: the script by which a shell completes command lines of this tool, and its answers to that script.
enum CompletionsVerb: Verb {
    static let name = ["completions"]
    static var accepts: GlobalOptions.Kinds { .everything.subtracting(.json) }
    /// What a shell asks about has options of its own.
    static var acceptsTrailingOptions: Bool { false }
    static let summary = "print the script by which a shell completes command lines"
    static let usage = ["completions SHELL", "completions --words [WORD …]"]
    static let help = """
        SHELL is bash, zsh or fish. The package installs the scripts; without it, in the shell's own startup file:
          bash   eval "$(mdefaults completions bash)"
          zsh    eval "$(mdefaults completions zsh)", behind compinit
          fish   mdefaults completions fish | source

        Verbs, options, domains, keys, users, sets, generations, programs and files are completed, for the machine of
        --root and the user of --user where the line has them. The scripts ask with --words: the WORDs of a command line
        up to the cursor, the last one being that at the cursor. The answer has a line for each possible word, with a tab
        and a note, and the line ":" where names of files are possible. What cannot be read is left out; nothing is said.

        exit codes: 0 printed; 2 wrong command line.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let word = try arguments.next("a shell")
        if word == "--words" {
            let question = CommandLineCompletion(arguments.remaining, of: Verbs.all)
            let answer = question.answer(CompletionValues(console: context.console, verbs: Verbs.all).answer)
            for candidate in answer.candidates {
                let note = candidate.note.isEmpty ? "" : "\t\(candidate.note)"
                try context.console.line(candidate.text + note)
            }
            if answer.takesFiles { try context.console.line(":") }
            return .success
        }
        try arguments.requireEnd()
        guard let script = CompletionScript(rawValue: word) else {
            let known = CompletionScript.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("There are no completions for \(Printable.escape(word)); there are for \(known).", of: self)
        }
        try context.console.write(Array(script.text.utf8))
        return .success
    }
}
