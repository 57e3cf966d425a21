import MDPropertyList

/// What `help` says of verbs, for programs that make manual pages of it.
enum HelpDocument {
    /// Writes the verbs as JSON.
    static func document(of verbs: [any Verb.Type]) -> JSONWriter {
        var json = JSONWriter(pretty: true)
        json.beginArray()
        for verb in verbs {
            json.beginObject()
            json.field("verb", verb.name.joined(separator: " "))
            json.member("aliases")
            json.value(.array(verb.aliases.map { .string($0.joined(separator: " ")) }))
            json.field("summary", verb.summary)
            json.member("usage")
            json.value(.array(verb.usage.map { .string($0) }))
            json.field("help", verb.help)
            json.member("options")
            json.value(.array(options(of: verb).map { .string($0) }))
            json.endObject()
        }
        json.endArray()
        return json
    }

    /// The options of the program that a verb accepts and does not define itself.
    private static func options(of verb: any Verb.Type) -> [String] {
        let own = UsageLine.lines(verb.usage, of: verb.name).flatMap(\.options).map(\.name)
        return UsageLine.lines([GlobalOptions.usage.joined()]).flatMap(\.options).map(\.name).filter { name in
            GlobalOptions.Kinds(ofOption: name).map { verb.accepts.contains($0) } ?? false && !own.contains(name)
        }
    }
}
