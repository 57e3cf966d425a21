import Engine
import Platform
import Preferences
import PropertyList

/// What the word DOMAIN of a command line stands for.
enum DomainPlace {
    /// A domain of a user, under policy, and which of its files.
    case domain(Key, HostScope, Account)
    /// A property list file that is nobody's preference file; no policy speaks of it.
    case file(PlainFile)

    /// The domain's name, or the file's path.
    var name: String {
        switch self {
        case .domain(let domain, _, _): domain.string
        case .file(let file): file.root.display(file.path)
        }
    }

    /// Takes the words for DOMAIN and finds out what they stand for: a domain's name, `-g` or `-globalDomain`, `-app`
    /// and a program, or a path, which has a slash.
    ///
    /// - Parameters:
    ///   - words: the words of a verb, whose usage a mistake shows.
    ///   - context: the machine and the user.
    /// - Returns: the domain or file.
    /// - Throws: a usage failure for what can be none of these, exit 1 for a program that is not there.
    static func take(from words: inout Words, _ context: Context) throws(Failure) -> DomainPlace {
        let verb = words.verb
        let isLiteral = words.isNextLiteral
        let word = try words.next("A domain")
        if !isLiteral, word == "-app" {
            let program = try words.next("The application behind -app")
            let domain = try ProgramWord.domain(of: program, in: context.machine().root)
            return .domain(try check(domain, for: verb), try context.scope(), try context.account())
        }
        if word.contains("/") { return try findFile(word, for: verb, context) }
        let name = isLiteral ? try check(Key(word), for: verb) : try name(word, for: verb, context)
        return .domain(name, try context.scope(), try context.account())
    }

    /// The domain that a word names.
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

    /// A domain, unless it cannot be one.
    private static func check(_ key: Key, for verb: any Verb.Type) throws(Failure) -> Key {
        do {
            try DomainName.validate(key)
        } catch {
            throw .usage(error.description, of: verb)
        }
        return key
    }

    /// The home of the user, as the caller and as the user database have it.
    private static func homes(_ context: Context) throws(Failure) -> [String] {
        let account = try context.account()
        let root = try context.machine().root
        return [[:], Environment.values(of: ["HOME"])].map {
            PreferencesLocation(of: account, root: root, environment: $0).home
        }
    }

    /// Finds out whether a path is some user's preference file.
    ///
    /// A path from `/` on is one of the machine of `--root`; any other begins where the caller stands.
    private static func findFile(
        _ word: String, for verb: any Verb.Type, _ context: Context
    ) throws(Failure) -> DomainPlace {
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
        do throws(SystemError) {
            named = try CallerPath.absolute(named)
            path = try CallerPath.followingLast(named, in: root)
        } catch {
            throw .of(error)
        }
        var found = try owner(of: path, in: root, machine, for: verb)
        if found == nil { found = try owner(of: named, in: root, machine, for: verb) }
        if let owner = found {
            guard let host = owner.place.host else {
                throw Failure(
                    code: .inputOutput,
                    message: "\(Printable.escape(root.display(path))) holds settings for another host; "
                        + "its policy is not known here, so it is left alone.")
            }
            return .domain(owner.place.domain, host, owner.account)
        }
        return .file(PlainFile(root: root, path: path))
    }

    /// Whose preference file a path is, or `nil`.
    ///
    /// - Parameters:
    ///   - path: the path under `tree`.
    ///   - tree: the file tree of the path: the machine's, or the caller's own.
    ///   - machine: the machine of `--root`, or this one.
    ///   - verb: the verb whose usage a mistake shows.
    /// - Returns: the user of the machine and the domain.
    /// - Throws: exit 2 where `--root` names another machine than the one whose user the file belongs to.
    static func owner(
        of path: String, in tree: Root, _ machine: PolicyMachine, for verb: any Verb.Type
    ) throws(Failure) -> PreferenceOwner? {
        if let owner = PreferenceOwner.find(path, in: tree, on: machine.root, machine.accounts) { return owner }
        guard tree.isSystem, !machine.root.isSystem else { return nil }
        // With --root, this machine's own policy would be passed by.
        let accounts = AccountDatabase(root: .system)
        guard let owner = PreferenceOwner.find(path, in: tree, on: .system, accounts) else { return nil }
        throw .usage(
            "\(Printable.escape(path)) is the preference file of \(Printable.escape(owner.place.domain.string)) of "
                + "\(Printable.escape(owner.account.name)) on this machine; --root does not go with it.", of: verb)
    }
}
