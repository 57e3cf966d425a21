import Engine
import Platform
import Policy
import Preferences
import PropertyList

/// `forced`: which keys are forced for a user, or whether one is.
enum ForcedVerb: Verb {
    static let name = ["forced"]
    static let summary = "list the forced keys, or ask about one"
    static let usage = ["forced", "forced DOMAIN", "forced DOMAIN KEY"]
    static let help = """
        Without words: every forced key of the user, with its value and the file and line that force it.
        With DOMAIN: those that an application of that name meets, NSGlobalDomain's included.
        With KEY: prints "forced" or "not forced", exit 0 or 1. A value forced in NSGlobalDomain counts.

        JSON: [{"domain","key","value","origin":{"policy","file","line","column"}}]; with KEY:
        {"domain","key","forced","value","origin"}. A key that is kept without a value has no "value".
        """

    static func run(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        let domain = words.next().map { DomainWord.key($0) }
        let key = words.next().map { Key($0) }
        try words.end()
        guard let domain else { return try list(try context.resultant().forcedEntries, context) }
        let resultant = try context.resultant()
        guard let key else {
            return try list(
                resultant.forcedEntries.filter { $0.domain == domain || $0.domain == DomainName.global }, context)
        }
        let entry = resultant.decidingEntry(
            for: key, in: domain == DomainName.global ? [domain] : [domain, DomainName.global])
        if context.options.json {
            var json = JSONWriter()
            json.beginObject()
            json.field("domain", domain.string)
            json.field("key", key.string)
            json.field("forced", entry != nil)
            json.field("value", entry?.value)
            if let entry { json.origin(entry.origin, in: try context.machine().root) }
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
                json.field("domain", entry.domain.string)
                json.field("key", entry.key.string)
                json.field("value", entry.value)
                json.origin(entry.origin, in: root)
                json.endObject()
            }
            json.endArray()
            try context.print(json)
            return .success
        }
        for entry in entries {
            let value = entry.value.map { ValueText.line($0) } ?? "(no value)"
            try context.console.line(
                "\(Printable.escape(entry.domain.string)) \(Printable.escape(entry.key.string)) = \(value)")
            try context.console.line("    \(entry.origin.text(in: root))")
        }
        return .success
    }
}
