import MDEngine
import MDPlatform
import MDPreferences
import MDPropertyList

/// The argument DOMAIN: a domain of a user, or a property list file.
enum DomainArgument {
    /// A domain of a user, to which policy applies, and which of its files.
    case domain(Key, HostScope, Account)
    /// A property list file that is no user's preference file; no policy applies to it.
    case file(PlainFile)

    /// The domain's name, or the file's path.
    var name: String {
        switch self {
        case .domain(let domain, _, _): domain.string
        case .file(let file): file.root.display(file.path)
        }
    }

    /// Parses DOMAIN: a domain's name, `-g` or `-globalDomain`, `-app` and a program, or a path, which has a slash.
    ///
    /// - Parameters:
    ///   - arguments: the arguments of a verb.
    ///   - context: the machine and the user.
    /// - Returns: the domain or file.
    /// - Throws: a usage failure for an invalid domain, exit 1 for a program that does not exist.
    static func parse(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> DomainArgument {
        let verb = arguments.verb
        let isLiteral = arguments.isNextLiteral
        let word = try arguments.next("A domain")
        if !isLiteral, word == "-app" {
            let program = try arguments.next("The application behind -app")
            let domain = try ProgramDomain.domain(of: program, in: context.machine().root)
            return .domain(try check(domain, for: verb), try context.scope(), try context.account())
        }
        if word.contains("/") { return try findFile(word, for: verb, context) }
        let name = isLiteral ? try check(Key(word), for: verb) : try name(word, for: verb, context)
        return .domain(name, try context.scope(), try context.account())
    }

    /// The domain that a word means.
    private static func name(
        _ word: String, for verb: any Verb.Type, _ context: Context
    ) throws(Failure) -> Key {
        let key = try context.domain(of: word)
        if key == DomainName.global { return key }
        if word.hasPrefix("-") {
            throw .usage("The option \(Printable.escape(word)) is not understood here; a domain is expected.", of: verb)
        }
        return try check(key, for: verb)
    }

    /// Refuses an invalid name of a domain.
    private static func check(_ key: Key, for verb: any Verb.Type) throws(Failure) -> Key {
        do {
            try DomainName.validate(key)
        } catch {
            throw .usage(error.description, of: verb)
        }
        return key
    }

    /// The home of the user, from the caller's environment and from the account database.
    private static func homes(_ context: Context) throws(Failure) -> [String] {
        let account = try context.account()
        let root = try context.machine().root
        return [[:], Environment.values(of: ["HOME"])].map {
            PreferencesLocation(of: account, root: root, environment: $0).home
        }
    }

    /// Resolves a path to a domain, if it is a user's preference file, or to a plain file.
    ///
    /// An absolute path begins at the root of the machine of `--root`, a relative one in the working directory.
    private static func findFile(
        _ word: String, for verb: any Verb.Type, _ context: Context
    ) throws(Failure) -> DomainArgument {
        let machine = try context.machine()
        guard !word.utf8.contains(0), !word.hasSuffix("/") else {
            throw .usage("\(Printable.escape(word)) does not name a file.", of: verb)
        }
        let root = word.hasPrefix("/") ? machine.root : .system
        var named = word.hasSuffix(".plist") ? word : word + ".plist"
        if word.hasPrefix("/"), MacPath.isCandidate(named),
            let meaning = MacPath.meaning(of: named, homes: try homes(context), in: root)
        {
            switch meaning {
            case .user(let domain): return .domain(domain, try context.scope(), try context.account())
            case .allUsers(let path): named = path
            }
        }
        let path: String
        let place: CallerFile?
        do throws(SystemError) {
            named = try CallerPath.absolute(named)
            place = verb.isPlainReading ? nil : try CallerFile.openIfPresent(named, in: root)
            if let place { path = place.path } else { path = try CallerPath.followingLast(named, in: root) }
        } catch {
            throw .of(error)
        }
        var found = try PreferenceOwner.find(path, in: root, machine, for: verb)
        if found == nil { found = try PreferenceOwner.find(named, in: root, machine, for: verb) }
        if let owner = found {
            guard let host = owner.place.host else {
                throw Failure(
                    code: .inputOutput,
                    message: "\(Printable.escape(root.display(path))) holds settings for another host; "
                        + "its policy is not known here, so it is left alone.")
            }
            return .domain(owner.place.domain, host, owner.account)
        }
        return .file(PlainFile(root: root, path: path, place: place))
    }
}

/// The argument of `-app`: a program, by its path or by its name.
enum ProgramDomain {
    /// The folders of programs on the machine of `--root`, to which the caller's `PATH` does not apply.
    private static let folders = ["/usr/local/bin", "/usr/bin", "/bin"]

    /// The domain of a program that sets none itself.
    ///
    /// - Parameters:
    ///   - word: a path, which has a slash, or a name to search in `PATH`.
    ///   - root: the machine.
    /// - Returns: the identifier in an Info.plist beside the program, else the name of its file.
    /// - Throws: exit 1 with Apple's text if there is no such program.
    static func domain(of word: String, in root: Root) throws(Failure) -> Key {
        for path in try paths(of: word, in: root) {
            guard let path = try? CallerPath.followingLast(path, in: root),
                let status = try? root.status(path, followingLinks: true), status.kind == .regular,
                status.mode & 0o111 != 0
            else { continue }
            return ApplicationIdentity.ofProgram(at: path, in: root).domain
        }
        throw Failure(
            code: .no, message: "Couldn't find an application named \"\(Printable.escape(word))\"; defaults unchanged")
    }

    /// The paths to try for a program.
    private static func paths(of word: String, in root: Root) throws(Failure) -> [String] {
        guard !word.isEmpty, !word.utf8.contains(0) else { return [] }
        if word.contains("/") {
            do throws(SystemError) {
                return [root.isSystem ? try CallerPath.absolute(word) : word]
            } catch {
                throw .of(error)
            }
        }
        var folders = Self.folders
        if root.isSystem, let path = Environment.values(of: ["PATH"])["PATH"] {
            folders = path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        }
        return folders.map { $0 + "/" + word }
    }
}
