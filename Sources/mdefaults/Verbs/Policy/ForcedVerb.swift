import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList

/// `forced`: which keys are forced for a user, or whether one is.
enum ForcedVerb: Verb {
    static let name = ["forced"]
    static var accepts: GlobalOptions.Kinds { .question }
    static let summary = "list the forced keys, or ask about one"
    static let usage = ["forced [--json]", "forced DOMAIN [--json]", "forced DOMAIN KEY [--json]"]
    static let help = """
        Without words: every forced key of the user, with its value and the file and line that force it.
        With DOMAIN: those that an application of that name meets, NSGlobalDomain's included.
        With KEY: prints "forced" or "not forced". A key that is forced in NSGlobalDomain counts. A key that policy
        keeps without a value is forced as well. In a sealed domain every key is forced that no waiver frees.
        Sensitive values show as (sensitive).

        JSON: [{"domain","key","value","origin":{"policy","file","line","column"}}]
        with KEY: {"domain","key","forced":bool,"value","origin"}
        A key that is kept without a value has no "value", one that is not forced neither "value" nor "origin". A
        sealed domain has an entry with an empty "key" and "sealed":true; a key that is forced because its domain is
        sealed has "sealed":true. A sensitive value is "sensitive":true, and
        "title","description","controls","contributors" stand where there are any. An
        entry of a last good copy has "lastGood":true. In a binary file "line" and "column" are 0 and "offset" counts.
        "notObeyed" says of a key of a program that does not ask this library, such as a browser, that nothing obeys it, and
        where the program looks for policy; without --json, standard error does.
        "shortfall" is there where the value is unknown, and "unknown" says why in words: "variable", what a variable in it
        stands for; "user", who asks, and a file for some users lists it; "policy", all of it.

        exit codes: 0 listed, or forced; 1 not forced; 2 wrong command line; 4 could not read.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let domain = try arguments.nextDomain(context)
        let key = try arguments.nextKey()
        try arguments.requireEnd()
        let domains = domain.map { SearchOrder(ofOther: $0).forcingDomains }
        guard let domains, let domain, let key else {
            let entries = try context.resultant().forcedEntries
            let chosen = domains.map { known in entries.filter { known.contains($0.domain) } } ?? entries
            return try list(chosen, of: domain, context)
        }
        let program = OtherProgram(owning: domain)
        var entry = try context.decidingEntry(for: key, in: domains)
        if entry == nil { try context.requireKnownPolicy() }
        if context.options.json {
            entry = try entry.map { known throws(Failure) in try context.machine().described(known) }
            var json = JSONWriter()
            json.beginObject()
            json.field("domain", domain.string)
            json.field("key", key.string)
            json.field("forced", entry != nil)
            if let entry {
                json.details(of: entry, in: try context.machine().root, isSealed: entry.isFromSeal)
                json.field("notObeyed", program?.sentence(about: [domain]))
            }
            json.endObject()
            try context.print(json)
        } else {
            try context.console.line(entry == nil ? "not forced" : "forced")
            if entry != nil, let program { context.console.say(program.sentence(about: [domain])) }
        }
        return entry == nil ? .no : .success
    }

    /// Lists entries.
    ///
    /// - Parameters:
    ///   - entries: the entries.
    ///   - asked: the domain of the application; `nil` to list all domains.
    ///   - context: the options and the console.
    /// - Returns: success.
    /// - Throws: why they cannot be printed.
    private static func list(
        _ entries: [ResolvedEntry], of asked: Key?, _ context: Context
    ) throws(Failure) -> ExitCode {
        let root = try context.machine().root
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginArray()
            for entry in entries {
                json.beginObject()
                json.entry(entry, in: root, isSealed: entry.isSeal)
                let domain = asked ?? entry.domain
                json.field("notObeyed", OtherProgram(owning: domain)?.sentence(about: [domain]))
                json.endObject()
            }
            json.endArray()
            try context.print(json)
            return .success
        }
        for entry in entries {
            let (domain, key) = (Printable.escape(entry.domain.string), Printable.escape(entry.key.string))
            let value = ValueText.entry(entry, isSensitive: entry.metadata.isSensitive)
            let line = entry.isSeal ? "\(domain) is sealed: no other key has a value" : "\(domain) \(key) = \(value)"
            try context.console.line(line)
            let copy = entry.isRecordedCopy ? " (last good copy)" : ""
            for line in entry.origin.lines(in: root, indent: 4, note: copy) { try context.console.line(line) }
        }
        sayPrograms(of: entries, asked, context)
        return .success
    }

    /// Prints on standard error which programs do not use this library, each with its domains.
    private static func sayPrograms(of entries: [ResolvedEntry], _ asked: Key?, _ context: Context) {
        var programs: [(program: OtherProgram, domains: [Key])] = []
        for entry in entries {
            let domain = asked ?? entry.domain
            guard let program = OtherProgram(owning: domain) else { continue }
            if let index = programs.firstIndex(where: { $0.program == program }) {
                if programs[index].domains.last != domain { programs[index].domains.append(domain) }
            } else {
                programs.append((program, [domain]))
            }
        }
        for item in programs { context.console.say(item.program.sentence(about: item.domains)) }
    }
}
