/// All verbs, in the order of `help`.
enum Verbs {
    /// All verbs, in the order of `help`.
    static var all: [any Verb.Type] {
        [
            ReadVerb.self,
            ReadTypeVerb.self,
            WriteVerb.self,
            DeleteVerb.self,
            RenameVerb.self,
            DomainsVerb.self,
            ImportVerb.self,
            ExportVerb.self,
            ForcedVerb.self,
            HelpVerb.self,
            VersionVerb.self,
        ]
    }

    /// Finds the verb that a command line begins with and takes its words.
    ///
    /// - Parameter words: the command line behind the options.
    /// - Returns: the verb; `nil` where no verb has this name.
    static func take(from words: inout ArraySlice<String>) -> (any Verb.Type)? {
        for verb in all {
            for name in [verb.name] + verb.aliases where words.starts(with: name) {
                words = words.dropFirst(name.count)
                return verb
            }
        }
        return nil
    }
}
