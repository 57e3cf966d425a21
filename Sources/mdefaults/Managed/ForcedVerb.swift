import Engine
import Platform
import Policy
import Preferences
import PropertyList

/// `forced`: which keys are forced for a user, or whether one is.
enum ForcedVerb: Verb {
    static let name = ["forced"]
    static var takes: GlobalOptions.Kinds { .question }
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
        "shortfall" is there where nobody can tell the value, and "unknown" says why: "doubt", several files may count;
        "grant", whether the user was granted it; "variable", what a variable in it stands for.

        exit codes: 0 listed, or forced; 1 not forced; 2 wrong command line; 4 could not read.
        """

    static func run(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        let domain = try words.nextDomain(context)
        let key = try words.nextKey()
        try words.end()
        let domains = domain.map { $0 == DomainName.global ? [$0] : [$0, DomainName.global] }
        guard let domains, let domain, let key else {
            let entries = try context.resultant().forcedEntries
            return try list(domains.map { known in entries.filter { known.contains($0.domain) } } ?? entries, context)
        }
        var entry = try context.decidingEntry(for: key, in: domains)
        if entry == nil { try context.requireCertainty() }
        if context.options.json {
            entry = try entry.map { known throws(Failure) in try context.machine().described(known) }
            var json = JSONWriter()
            json.beginObject()
            json.field("domain", domain.string)
            json.field("key", key.string)
            json.field("forced", entry != nil)
            if let entry {
                json.details(of: entry, in: try context.machine().root, isSealed: entry.isFromSeal)
            }
            json.endObject()
            try context.print(json)
        } else {
            try context.console.line(entry == nil ? "not forced" : "forced")
        }
        return entry == nil ? .no : .success
    }

    /// Prints entries.
    private static func list(_ entries: [ResolvedEntry], _ context: Context) throws(Failure) -> ExitCode {
        let root = try context.machine().root
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginArray()
            for entry in entries {
                json.beginObject()
                json.entry(entry, in: root, isSealed: entry.isSeal)
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
            let copy = entry.isLastGood ? " (last good copy)" : ""
            for line in entry.origin.lines(in: root, indent: 4, note: copy) { try context.console.line(line) }
        }
        return .success
    }
}
