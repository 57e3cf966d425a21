import MDPlatform

/// `help`: all verbs, or one verb's usage, options, JSON shape and exit codes.
enum HelpVerb: Verb {
    static let name = ["help"]
    static var accepts: GlobalOptions.Kinds { .everything }
    static let summary = "explain the command line, or one verb"
    static let usage = ["help [VERB] [--json]"]
    static let help = """
        Without VERB: all verbs with a line each. With the first word of several, such as policy: these on one screen.

        JSON: without VERB [{"verb","aliases","summary","usage":[line],"help","options":[name]}], of all verbs; "options"
        are those of the program that the verb accepts. With VERB: in words, the shape of what it prints with --json.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        var rest = arguments.remaining
        let isShape = context.options.json
        guard !rest.isEmpty else {
            if isShape {
                try context.print(HelpDocument.document(of: Verbs.all))
            } else {
                try overview(context.console)
            }
            return .success
        }
        let group = Verbs.all.filter { $0.name.first == rest.first && $0.name.count > rest.count }
        // A usage line may have more words than the verb's name, as that of policy exam start.
        if let verb = Verbs.parse(&rest),
            rest.isEmpty || verb.usage.contains(where: { $0.begins(with: arguments.remaining) })
        {
            try explain(verb, isShape: isShape, context.console)
        } else if arguments.remaining.count == 1, !group.isEmpty {
            if !isShape, let screen = HelpGroup.all.first(where: { $0.name == rest.first?.lowercased() }) {
                for line in screen.lines { try context.console.line(line) }
            } else {
                for verb in group { try explain(verb, isShape: isShape, context.console) }
            }
        } else {
            let shown = Printable.escape(arguments.remaining.joined(separator: " "))
            throw .usage("There is no verb \(shown) to explain. mdefaults help lists them.", of: HelpVerb.self)
        }
        return .success
    }

    /// Prints one verb's help, or the shape of its JSON.
    private static func explain(_ verb: any Verb.Type, isShape: Bool, _ console: Console) throws(Failure) {
        let name = verb.name.joined(separator: " ")
        let (text, shape) = parts(of: verb.help)
        if isShape {
            guard !shape.isEmpty else { throw .usage("\(name) prints no JSON.", of: HelpVerb.self) }
            for line in Layout.reflow(shape) { try console.line(line) }
            return
        }
        try console.line("mdefaults \(name): \(verb.summary)")
        for line in UsageLine.shown(verb.usage, head: "  ") { try console.line(line) }
        try console.line()
        for line in Layout.reflow(text) { try console.line(line) }
        if !shape.isEmpty {
            try console.line()
            try console.line("JSON: mdefaults help \(name) --json has the shape of what --json prints.")
        }
        try console.line()
    }

    /// A help text without the paragraphs about JSON, and these: from one that begins with JSON to that with exit codes.
    private static func parts(of help: String) -> (text: String, shape: String) {
        var (text, shape): ([Substring], [Substring]) = ([], [])
        var isShape = false
        for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("JSON") { isShape = true }
            if line.lowercased().hasPrefix("exit ") { isShape = false }
            if isShape { shape.append(line) } else { text.append(line) }
        }
        /// Lines without empty ones at the end.
        func joined(_ lines: [Substring]) -> String {
            var lines = lines
            while lines.last?.isEmpty == true { lines.removeLast() }
            return lines.joined(separator: "\n")
        }
        return (joined(text), joined(shape))
    }

    /// Prints all verbs, what domains and values are, the options and the exit codes.
    static func overview(_ console: Console) throws(Failure) {
        for line in UsageLine.shown(GlobalOptions.usage) { try console.line(line) }
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
          --verbose      file and line in messages about refused writes
          --color WHEN   auto, always or never; NO_COLOR is obeyed
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
