import MDEngine
import MDPlatform
import MDPreferences
import MDPropertyList

/// `read`: values as an application gets them.
enum ReadVerb: Verb {
    static let name = ["read"]
    static var accepts: GlobalOptions.Kinds { .reading }
    static var isPlainReading: Bool { true }
    static let summary = "print values as an application gets them"
    static let usage = ["read", "read DOMAIN", "read DOMAIN KEY"]
    static let help = """
        With KEY: the value that an application of that name gets, forced values, NSGlobalDomain, the administrator's
        defaults and recommended values included; the defaults that an application registers itself are not known here.
        A value that policy sets once when an application opens the domain shows already, and one that a constraint clamps
        as it counts. Values of keys that policy calls sensitive are printed for DOMAIN KEY only, as the application gets
        them; everywhere else stands (sensitive).
        With DOMAIN: the keys that the domain has in any of these places, each with the value that counts.
        Without words: all domains that have something.
        With -currentHost: policy and what the user stored for this host only.
        DOMAIN may be a path; a file that is nobody's preference file is printed as it is.

        Values are printed as old-style property lists, a string as it is; --json prints the value in JSON.
        Exit 1: no such domain or key. Exit 5: the domain's own file is damaged; the rest is still printed.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        guard !arguments.remaining.isEmpty else {
            let account = try context.account()
            return try context.run(as: account) { session throws(Failure) in
                Context.Outcome(code: try all(session, context))
            }.code
        }
        let place = try DomainArgument.parse(&arguments, context)
        let key = arguments.next().map { Key($0) }
        try arguments.requireEndUnchanged()
        let lookup = DomainLookup(place: place, key: key)
        return try lookup.run(context) { value throws(Failure) in try context.print(value) }
    }

    /// Prints every domain that has a key.
    private static func all(_ session: UserSession, _ context: Context) throws(Failure) -> ExitCode {
        let reader = DomainReader(session, scope: try context.scope())
        // Without --json the global domain has the name that Apple's tool prints.
        let title = context.options.json ? DomainName.global : Key(DomainNotation.globalTitle)
        var domains: [Key: Value] = [:]
        var problems: Set<String> = []
        for domain in try reader.domains() + [DomainName.global] {
            let found = reader.values(of: domain)
            problems.formUnion(found.problems)
            guard let values = found.values else { continue }
            domains[domain == DomainName.global ? title : domain] = .dictionary(values)
        }
        try context.print(.dictionary(domains))
        for problem in problems.sorted() { context.console.say(problem) }
        return .success
    }
}
