import Engine
import Platform
import Policy
import PropertyList

/// `policy show`: the resultant set of a user.
enum PolicyShowVerb: Verb {
    static let name = ["policy", "show"]
    static let takesFacts = true
    static let summary = "show what remains of policy for a user"
    static let usage = ["policy show [--json]"]
    static let help = """
        The resultant set: every key that policy forces, keeps absent or recommends for the user on this host, by
        domain, with the file and line of the entry that wins and of each entry that lost to it.

        JSON: [{"domain","key","value","origin":{"policy","file","line","column"},
        "level":"forced"|"recommended"|"setOnce"|"absent","losers":[{"level","value","origin"}]}]
        An absent entry has no "value"; one of a last good copy has "lastGood":true.

        exit codes: 0 shown; 2 wrong command line; 4 could not read.
        """

    static func run(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        try words.end()
        let machine = try context.machine()
        let entries = try context.resultant().entries
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginArray()
            for entry in entries {
                json.beginObject()
                json.entry(entry, in: machine.root)
                json.field("level", entry.level.rawValue)
                json.losers(entry.losers, in: machine.root)
                json.endObject()
            }
            json.endArray()
            try context.print(json)
        } else {
            try print(entries, context)
        }
        return .success
    }

    /// Prints entries, domain by domain.
    private static func print(_ entries: [ResolvedEntry], _ context: Context) throws(Failure) {
        let (console, machine) = (context.console, try context.machine())
        let user = Printable.escape(try context.account().name)
        let recommended = entries.count { $0.level == .recommended }
        let forced = entries.count - recommended
        let keys = forced == 1 ? "key" : "keys"
        try console.line(
            "policy for \(user) on \(Printable.escape(machine.host.short)): \(forced) forced \(keys), "
                + "\(recommended) recommended")
        var domain: Key?
        for entry in entries {
            if entry.domain != domain {
                try console.line()
                try console.line(Printable.escape(entry.domain.string))
                domain = entry.domain
            }
            let value = entry.value.map { "= \(ValueText.line($0))" } ?? "has no value"
            let copy = entry.isLastGood ? ", last good copy" : ""
            var lines = Layout.beside(
                "  \(Printable.escape(entry.key.string)) \(value)", "(\(entry.level.rawValue)\(copy))", indent: 6)
            lines += entry.origin.lines(in: machine.root, indent: 6)
            for loser in entry.losers {
                lines.append("    loses: \(ValueText.entry(loser.value))")
                lines += loser.origin.lines(in: machine.root, indent: 6)
            }
            for line in lines { try console.line(line) }
        }
    }
}
