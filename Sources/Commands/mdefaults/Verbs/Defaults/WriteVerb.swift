import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPropertyList

/// `write`: gives a key a value, or a domain all its values.
enum WriteVerb: Verb {
    static let name = ["write"]
    static var accepts: GlobalOptions.Kinds { [.root, .user, .json, .hostFiles] }
    static let summary = "store a value, or all values of a domain"
    static let usage = [
        "write DOMAIN KEY VALUE",
        "write DOMAIN KEY -string|-data|-int|-float|-bool|-date VALUE",
        "write DOMAIN KEY -array|-array-add [VALUE …]",
        "write DOMAIN KEY -dict|-dict-add [KEY VALUE …]",
        "write DOMAIN '{ KEY = VALUE; … }'",
    ]
    static let help = """
        DOMAIN is a name, -g or NSGlobalDomain, or a path of a property list file, which has a slash. A path that is
        some user's preference file is that domain of that user, with policy. ~/Library/Preferences/NAME is the user's
        domain NAME and /Library/Preferences/NAME that of all users, where there are no such folders. -app PROGRAM is
        the domain that a program in PATH, or at a path, has as an application.
        A VALUE without a type that begins with { ( < or " is a property list in OpenStep text or XML, with or without
        the <plist> around it; any other is a string.
        -data takes hexadecimal digits, -bool true, false, yes, no, 1 and 0, -date 2026-11-20T08:00:00Z and the like;
        "2026-11-20 08:00:00" without a zone is the machine's time.
        The values of -array and -dict may have types of their own. -array-add and -dict-add extend what is stored.
        With --json, which stands before the verb, values without a type are JSON as read prints it with --json: so
        every value that is read can be written back as it is.
        Behind DOMAIN -- is stepped over, as behind that of delete and rename.
        With a dictionary alone, the domain holds exactly its entries afterwards, or nothing changes.

        A forced key: nothing is stored (with "shadow" the value is stored without effect), the attempt is recorded, and
        the answer names the key and whom to ask, with --verbose also the policy, its file and line; exit 3. The value
        that is forced anyway stores nothing and is no attempt; exit 0.
        A value outside of a constraint: the nearest one that is allowed is stored, or nothing where there is none; the
        answer says what is allowed and whom to ask, with --verbose also by which policy, and the attempt is recorded;
        exit 3.
        A damaged file is set aside, reported and kept. Exit 4: could not write, 5: a value that is none.
        """
    static let acceptsTrailingOptions = false

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let place = try DomainArgument.parse(&arguments, context)
        arguments.skipSeparator()
        let key = try arguments.next("A key or a dictionary")
        let isJSON = context.options.json
        if arguments.remaining.isEmpty {
            let value = try SensitiveArguments.read(nil, in: place, context) { () throws(Failure) in
                isJSON ? try PropertyListArgument.json(key) : try PropertyListArgument.value(of: key)
            }
            guard case .dictionary(let values) = value else {
                throw Failure(
                    code: .badInput,
                    message: "No value stands behind \(Printable.escape(key)), and it is no dictionary itself.\n"
                        + "Rep argument is not a dictionary\nDefaults have not been changed.")
            }
            return try DomainEditing.run(.replace(values), of: place, via: .cli, context)
        }
        guard !key.isEmpty else { throw .usage("The key is empty.", of: self) }
        let name = Key(key)
        let edit: DomainEdit
        let request = try SensitiveArguments.read(name, in: place, context) { () throws(Failure) in
            try ValueArguments(of: self, isJSON: isJSON, root: try context.root()).read(&arguments)
        }
        switch request {
        case .set(let value): edit = .set([name: value])
        case .append(let elements): edit = .append(elements, to: name)
        case .merge(let entries): edit = .merge(entries, into: name)
        }
        return try DomainEditing.run(edit, of: place, via: .cli, context)
    }
}
