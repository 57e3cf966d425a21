import Engine
import Platform
import Preferences
import PropertyList

/// `read`: what an application would get.
enum ReadVerb: Verb {
    static let name = ["read"]
    static var takes: GlobalOptions.Kinds { .reading }
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

    static func run(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        guard !words.rest.isEmpty else {
            let account = try context.account()
            return try context.acting(for: account) { session throws(Failure) in
                Context.Answer(code: try all(session, context))
            }.code
        }
        let place = try DomainPlace.take(from: &words, context)
        let key = words.next().map { Key($0) }
        try words.endUnchanged()
        let lookup = Lookup(place: place, key: key)
        return try lookup.run(context) { value throws(Failure) in try ValuePrinter.print(value, context) }
    }

    /// Prints every domain that has something.
    private static func all(_ session: UserSession, _ context: Context) throws(Failure) -> ExitCode {
        let reader = DomainReader(session, scope: try context.scope())
        // For people the global domain has the name that Apple's tool prints.
        let title = context.options.json ? DomainName.global : Key(DomainWord.globalTitle)
        var domains: [Key: Value] = [:]
        var problems: Set<String> = []
        for domain in try reader.domains() + [DomainName.global] {
            let found = reader.values(of: domain)
            problems.formUnion(found.problems)
            guard let values = found.values else { continue }
            domains[domain == DomainName.global ? title : domain] = .dictionary(values)
        }
        try ValuePrinter.print(.dictionary(domains), context)
        for problem in problems.sorted() { context.console.say(problem) }
        return .success
    }
}
