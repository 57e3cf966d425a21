import Audit
import Engine
import PropertyList

/// `rename`: gives a stored value another key.
enum RenameVerb: Verb {
    static let name = ["rename"]
    static var takes: GlobalOptions.Kinds { [.root, .user, .hostFiles] }
    static let summary = "give a stored value another key"
    static let usage = ["rename DOMAIN OLD NEW"]
    static let help = """
        Moves the user's own value from OLD to NEW, over a value that is there already.
        Where NEW is forced to another value nothing changes; exit 3. Where OLD is forced, the user's value beneath is
        moved and the forced one stays in effect; exit 3. Both are recorded. Exit 1: there is no key OLD.
        Options do not stand behind this verb, because any word can be a key.
        """
    static let takesOptionsBehind = false

    static func run(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        let place = try DomainPlace.take(from: &words, context)
        words.skipDashes(before: 2)
        let old = try words.next("The old key")
        let new = try words.next("The new key")
        try words.endUnchanged()
        guard !new.isEmpty else { throw .usage("The new key is empty.", of: self) }
        return try Editing.run(.rename(Key(old), to: Key(new)), of: place, via: .cli, context)
    }
}
