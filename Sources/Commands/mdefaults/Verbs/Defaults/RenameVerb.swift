import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDEngine
import MDPropertyList

/// `rename`: gives a stored value another key.
enum RenameVerb: Verb {
    static let name = ["rename"]
    static var accepts: GlobalOptions.Kinds { [.root, .user, .hostFiles] }
    static let summary = "give a stored value another key"
    static let usage = ["rename DOMAIN OLD NEW"]
    static let help = """
        Moves the user's own value from OLD to NEW, over a value that is there already.
        Where NEW is forced to another value nothing changes; exit 3. Where OLD is forced, the user's value beneath is
        moved and the forced one stays in effect; exit 3. Both are recorded. Exit 1: there is no key OLD.
        Options do not stand behind this verb, because any word can be a key.
        """
    static let acceptsTrailingOptions = false

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let place = try DomainArgument.parse(&arguments, context)
        arguments.skipSeparator(before: 2)
        let old = try arguments.next("The old key")
        let new = try arguments.next("The new key")
        try arguments.requireEndUnchanged()
        guard !new.isEmpty else { throw .usage("The new key is empty.", of: self) }
        return try DomainEditing.run(.rename(Key(old), to: Key(new)), of: place, via: .cli, context)
    }
}
