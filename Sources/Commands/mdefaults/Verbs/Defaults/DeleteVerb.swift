import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDEngine
import MDPropertyList

/// `delete`, also `remove`: removes a key or a whole domain of the user.
enum DeleteVerb: Verb {
    static let name = ["delete"]
    static let aliases = [["remove"], ["delete-all"]]
    static var accepts: GlobalOptions.Kinds { [.root, .user, .hostFiles] }
    static let summary = "remove a key, or a whole domain"
    static let usage = ["delete DOMAIN", "delete DOMAIN KEY"]
    static let help = """
        Removes what the user has stored; what policy or the administrator's defaults say stays.
        A forced key: the user's own value beneath goes, the forced one stays in effect, and the removal is recorded;
        exit 3. For a whole domain that is so for each of its keys. Exit 1: there is nothing of that name.
        remove and delete-all are other names of this verb; applications have no containers here, which Apple's delete-all
        empties as well. Options do not stand behind this verb, because any word can be a key.
        """
    static let acceptsTrailingOptions = false

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let place = try DomainArgument.parse(&arguments, context)
        arguments.skipSeparator(before: 1)
        let key = arguments.next()
        try arguments.requireEndUnchanged()
        return try DomainEditing.run(key.map { .remove(Key($0)) } ?? .removeAll, of: place, via: .cli, context)
    }
}
