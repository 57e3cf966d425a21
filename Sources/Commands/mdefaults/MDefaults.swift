import MDPlatform

/// The command line tool: finds the verb, runs it, and turns its failures into sentences and exit codes.
@main
struct MDefaults {
    /// Runs the tool and ends the process with its exit code.
    static func main() {
        FileSizeSignal.ignore()
        Workers.allow()
        ProcessExit.end(run(CurrentProcess.arguments[...], Console()).rawValue)
    }

    /// Runs one command line.
    private static func run(_ arguments: ArraySlice<String>, _ console: Console) -> ExitCode {
        do throws(Failure) {
            let code = try perform(arguments, console)
            try console.flush()
            return code
        } catch {
            console.report(error)
            return error.code
        }
    }

    /// Finds the verb and runs it.
    private static func perform(_ commandLine: ArraySlice<String>, _ console: Console) throws(Failure) -> ExitCode {
        // Swift replaces invalid bytes by U+FFFD, so that a key would be written under another name.
        guard CurrentProcess.areArgumentsText else {
            throw .usage("The command line has bytes that are not valid UTF-8.")
        }
        var words = commandLine
        var options = GlobalOptions()
        try options.parseLeading(&words)
        switch words.first {
        case "--help", "-h": words = ["help"] + words.dropFirst()
        case "--version": words = ["version"] + words.dropFirst()
        case nil:
            // As with Apple's tool: the overview on standard output, and the exit code of an error.
            try HelpVerb.overview(console)
            return .usage
        default: break
        }
        guard let verb = Verbs.parse(&words) ?? Verbs.parseHelp(&words) else { throw Verbs.unknown(words) }
        let literal =
            verb.acceptsTrailingOptions ? try options.parseTrailing(&words, except: verb.ownOptions) : 0
        let nonliteral = words.dropLast(literal)
        // If any argument can be a value, only a lone one asks for help.
        if verb.acceptsTrailingOptions || words.count == 1, nonliteral.contains("--help") || nonliteral.contains("-h") {
            var help = Arguments(verb.name, of: HelpVerb.self)
            return try HelpVerb.run(&help, Context(options: options, console: console))
        }
        options.passOwnOptions(to: verb, &words)
        if !options.json { console.ink = Ink(options.color) }
        try options.check(for: verb)
        var arguments = Arguments(words, literal: literal, of: verb)
        let context = Context(options: options, console: console, isQuiet: verb.isPlainReading)
        // The end of the process frees everything at once, which is faster than piece by piece. The reference is never
        // released, which only keeps the object alive.
        _ = unsafe Unmanaged.passRetained(context)
        // Also if the verb fails, because unknown groups may be the reason.
        defer { context.sayUnknownGroups() }
        let code = try verb.run(&arguments, context)
        context.sayClock()
        return code
    }

}

extension Console {
    /// Prints on standard error why a verb failed.
    func report(_ failure: Failure) {
        if failure.isPlain {
            sayPlain([failure.message])
        } else if !failure.message.isEmpty {
            say(failure.message)
        }
        let lines = UsageLine.shown(failure.usage)
        if !lines.isEmpty { sayPlain(lines) }
    }
}
