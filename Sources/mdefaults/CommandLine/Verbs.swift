/// All verbs, in the order of `help`.
enum Verbs {
    /// All verbs, in the order of `help`.
    static var all: [any Verb.Type] {
        [
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
        for verb in all where words.starts(with: verb.name) {
            words = words.dropFirst(verb.name.count)
            return verb
        }
        return nil
    }
}
