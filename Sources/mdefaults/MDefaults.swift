import Platform

/// The command line tool: finds the verb, runs it, and turns what it throws into sentences and exit codes.
@main
struct MDefaults {
    /// The version that `--version` prints.
    static let version = "0.1.0"

    /// Runs the tool and ends the process with its exit code.
    static func main() {
        SignalRule.failBeyondFileSizeLimit()
        ProcessExit.end(run(CurrentProcess.arguments[...], Console()).rawValue)
    }

    /// Runs one command line.
    private static func run(_ arguments: ArraySlice<String>, _ console: Console) -> ExitCode {
        do throws(Failure) {
            let code = try perform(arguments, console)
            try console.flush()
            return code
        } catch {
            report(error, console)
            return error.code
        }
    }

    /// Finds the verb and runs it.
    private static func perform(_ arguments: ArraySlice<String>, _ console: Console) throws(Failure) -> ExitCode {
        try ArgumentText.check()
        var words = arguments
        var options = GlobalOptions()
        try options.takeFront(of: &words)
        switch words.first {
        case "--help", "-h": words = ["help"] + words.dropFirst()
        case "--version": words = ["version"] + words.dropFirst()
        case nil:
            // As with Apple's tool: what there is, on standard output, and no success.
            try HelpVerb.overview(console)
            return .usage
        default: break
        }
        guard let verb = Verbs.take(from: &words) ?? Verbs.takeHelp(from: &words) else { throw Verbs.unknown(words) }
        let literal = verb.takesOptionsBehind ? try options.takeAll(of: &words, except: verb.ownOptions) : 0
        let asking = words.dropLast(literal)
        // Where any word can be a value, help is asked for only when nothing else is.
        if verb.takesOptionsBehind || words.count == 1, asking.contains("--help") || asking.contains("-h") {
            words = ArraySlice(verb.name)
            var help = Words(words, of: HelpVerb.self)
            return try HelpVerb.run(&help, Context(options: options, console: console))
        }
        options.give(to: verb, &words)
        try options.check(for: verb)
        var rest = Words(words, literal: literal, of: verb)
        let context = Context(options: options, console: console)
        // What it has opened and read ends with the process, at once and not piece by piece: the reference is never given
        // back, which leaves the object alive, and harms nothing.
        _ = unsafe Unmanaged.passRetained(context)
        // Also where the verb fails, because groups that are not known may be why.
        defer { context.sayGroups() }
        let code = try verb.run(&rest, context)
        context.sayClock()
        return code
    }

    /// Says on standard error why a verb ended.
    private static func report(_ failure: Failure, _ console: Console) {
        if failure.isPlain {
            console.sayPlain([failure.message])
        } else if !failure.message.isEmpty {
            console.say(failure.message)
        }
        let lines = Failure.lines(of: failure.usage)
        if !lines.isEmpty { console.sayPlain(lines) }
    }
}
