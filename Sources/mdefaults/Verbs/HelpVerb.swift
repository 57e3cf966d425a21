import MDPlatform

/// `help`: all verbs, or one verb's usage, options, JSON shape and exit codes.
enum HelpVerb: Verb {
    static let name = ["help"]
    static var accepts: GlobalOptions.Kinds { .everything }
    static let summary = "explain the command line, or one verb"
    static let usage = ["help [VERB]", "help --json"]
    static let help = """
        Without VERB: all verbs with a line each.

        JSON: [{"verb","aliases","summary","usage":[line],"help","options":[name]}], of all verbs; "options" are those of the
        program that the verb accepts.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        var rest = arguments.remaining
        if context.options.json {
            try arguments.requireEnd()
            try context.print(HelpDocument.document(of: Verbs.all))
            return .success
        }
        guard !rest.isEmpty else {
            try overview(context.console)
            return .success
        }
        let group = Verbs.all.filter { $0.name.first == rest.first && $0.name.count > rest.count }
        // A usage line may have more words than the verb's name, as that of policy exam start.
        if let verb = Verbs.parse(&rest),
            rest.isEmpty || verb.usage.contains(where: { $0.begins(with: arguments.remaining) })
        {
            try explain(verb, context.console)
        } else if arguments.remaining.count == 1, !group.isEmpty {
            for verb in group { try explain(verb, context.console) }
        } else {
            let shown = Printable.escape(arguments.remaining.joined(separator: " "))
            throw .usage("There is no verb \(shown) to explain. mdefaults help lists them.", of: HelpVerb.self)
        }
        return .success
    }

    /// Prints one verb's help.
    private static func explain(_ verb: any Verb.Type, _ console: Console) throws(Failure) {
        try console.line("mdefaults \(verb.name.joined(separator: " ")): \(verb.summary)")
        for line in verb.usage { try console.line("  \(Failure.shown(line))") }
        try console.line()
        for line in Layout.reflow(verb.help) { try console.line(line) }
        try console.line()
    }

    /// Prints all verbs, what domains and values are, the options and the exit codes.
    static func overview(_ console: Console) throws(Failure) {
        for line in Failure.lines(of: GlobalOptions.usage) { try console.line(line) }
        try console.line()
        let width = Verbs.all.map { $0.name.joined(separator: " ").count }.max() ?? 0
        for verb in Verbs.all {
            let name = Layout.pad("  " + verb.name.joined(separator: " "), to: width + 4)
            for line in Layout.wrap(verb.summary, indent: width + 4, first: name) { try console.line(line) }
        }
        try console.line(footer)
    }

    /// The text behind the list of verbs, in lines that fit on every terminal.
    private static let footer = """

        DOMAIN: a name; -g, -globalDomain or NSGlobalDomain; -app PROGRAM; or a path,
                which has a slash, with or without .plist
        VALUE:  a text, a property list, or one of
                -string TEXT             -data HEX
                -int[eger] NUMBER        -float NUMBER
                -bool[ean] yes|no        -date DATE
                -array VALUE …           -array-add VALUE …
                -dict KEY VALUE …        -dict-add KEY VALUE …

        options, before the verb; behind most verbs too, up to --
          --root DIR     work on a folder as if it were /
          --user NAME    ask for this user; without it, for the caller
          --host NAME    ask as if the machine had this name
          --at TIME      ask for then: 09:30, Mon 11:00, 2026-11-20, 7d (from now)
          --facts FILE   ask about the host that wrote FILE with policy facts
          --json         one JSON document instead of text
          -currentHost   the domains of this host only
          -host NAME     the same, where this host has the name; before the verb only

        exit codes: 0 done or yes; 1 no, not found or findings; 2 wrong command line;
        3 not in effect because the key is forced; 4 could not read or write; 5 bad
        input; audit verify also 10 altered, 11 truncated, 12 gaps, 13 could not check
        """
}

extension String {
    /// Whether a usage line begins with some words.
    fileprivate func begins(with arguments: some Collection<String>) -> Bool {
        split(separator: " ").starts(with: arguments) { $0 == $1.lowercased() }
    }
}
