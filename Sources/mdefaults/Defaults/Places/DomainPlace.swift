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

    /// Finds out what a word stands for.
    ///
    /// - Parameters:
    ///   - word: a domain's name, `-g` or `-globalDomain`, or a path, which has a slash.
    ///   - verb: the verb whose usage a mistake shows.
    ///   - context: the machine and the user.
    /// - Returns: the domain or file.
    /// - Throws: a usage failure for what can be none of these.
    static func find(_ word: String, for verb: any Verb.Type, _ context: Context) throws(Failure) -> DomainPlace {
        if word.contains("/") { return try findFile(word, for: verb, context) }
        return .domain(try name(word, for: verb), context.scope, try context.account())
    }

    /// The domain that a word names.
    static func name(_ word: String, for verb: any Verb.Type) throws(Failure) -> Key {
        let key = DomainWord.key(word)
        if key == DomainName.global { return key }
        if word == "-app" || word == "-container" {
            throw .usage("\(word) is not supported: there is no list of applications here. Name the domain.", of: verb)
        }
        if word.hasPrefix("-") {
            throw .usage("The option \(Printable.escape(word)) is not understood here; a domain is expected.", of: verb)
        }
        do {
            try DomainName.validate(key)
        } catch {
            throw .usage(error.description, of: verb)
        }
        return key
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
        let named: String
        let path: String
        do throws(SystemError) {
            named = try CallerPath.absolute(word.hasSuffix(".plist") ? word : word + ".plist")
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
