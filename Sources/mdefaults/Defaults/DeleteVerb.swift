import Audit
import Engine
import PropertyList

/// `delete`, also `remove`: removes a key or a whole domain of the user.
enum DeleteVerb: Verb {
    static let name = ["delete"]
    static let aliases = [["remove"]]
    static let summary = "remove a key, or a whole domain"
    static let usage = ["delete DOMAIN", "delete DOMAIN KEY"]
    static let help = """
        Removes what the user has stored; what policy or the administrator's defaults say stays.
        A forced key: the user's own value beneath goes, the forced one stays in effect, and the removal is recorded;
        exit 3. For a whole domain that is so for each of its keys. Exit 1: there is nothing of that name.
        remove is another name of this verb.
        """

    static func run(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        let word = try words.next("A domain")
        let place = try DomainPlace.find(word, for: self, context)
        let key = words.next()
        try words.end()
        return try Editing.run(key.map { .remove(Key($0)) } ?? .removeAll, of: place, via: .cli, by: self, context)
    }
}
