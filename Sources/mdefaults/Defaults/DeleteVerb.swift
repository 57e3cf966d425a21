import Audit
import Engine
import PropertyList

/// `delete`, also `remove`: removes a key or a whole domain of the user.
enum DeleteVerb: Verb {
    static let name = ["delete"]
    static let aliases = [["remove"], ["delete-all"]]
    static var takes: GlobalOptions.Kinds { [.root, .user, .hostFiles] }
    static let summary = "remove a key, or a whole domain"
    static let usage = ["delete DOMAIN", "delete DOMAIN KEY"]
    static let help = """
        Removes what the user has stored; what policy or the administrator's defaults say stays.
        A forced key: the user's own value beneath goes, the forced one stays in effect, and the removal is recorded;
        exit 3. For a whole domain that is so for each of its keys. Exit 1: there is nothing of that name.
        remove and delete-all are other names of this verb; applications have no containers here, which Apple's delete-all
        empties as well. Options do not stand behind this verb, because any word can be a key.
        """
    static let takesOptionsBehind = false

    static func run(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        let place = try DomainPlace.take(from: &words, context)
        words.skipDashes(before: 1)
        let key = words.next()
        try words.endUnchanged()
        return try Editing.run(key.map { .remove(Key($0)) } ?? .removeAll, of: place, via: .cli, context)
    }
}
