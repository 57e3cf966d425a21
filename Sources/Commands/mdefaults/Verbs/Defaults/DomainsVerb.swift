import MDEngine
import MDPlatform
import MDPropertyList

/// `domains`: the names of all domains.
enum DomainsVerb: Verb {
    static let name = ["domains"]
    static var accepts: GlobalOptions.Kinds { .reading }
    static var isPlainReading: Bool { true }
    static let summary = "list the domains"
    static let usage = ["domains"]
    static let help = """
        Prints the domains that read without words prints, in one line, NSGlobalDomain left out: those of the user's
        files, of the administrator's defaults for all users, and those that policy forces or recommends something in.
        With -currentHost: those of policy and of the user's files for this host.

        JSON: ["DOMAIN", …]
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEndUnchanged()
        let account = try context.account()
        return try context.run(as: account) { session throws(Failure) in
            let domains = try DomainReader(session, scope: try context.scope()).domains()
            guard context.options.json else {
                try context.console.line(domains.map { Printable.escape($0.string) }.joined(separator: ", "))
                return Context.Outcome(code: .success)
            }
            var json = JSONWriter()
            json.value(.array(domains.map { .string($0.string) }))
            try context.print(json)
            return Context.Outcome(code: .success)
        }.code
    }
}
