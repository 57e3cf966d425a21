package import MDPlatform

/// Why a machine and a user could not be opened.
package enum SessionError: Error, Sendable, CustomStringConvertible {
    /// The folder of `--root` cannot be opened.
    case root(SystemError)
    /// No user was named, and the caller has no entry in the root's passwd file.
    case noSuchCaller(uid: UInt32, file: String, names: [String])
    /// No source has the named user; which ones do not, the names that are probably meant, else those of people.
    case noSuchUser(name: String, sources: String, near: [String], names: [String])
    /// The account database cannot be read, so that no user is known; why, as a clause.
    case noUserDatabase(reason: String)

    /// Whether the command line is to blame rather than the machine.
    package var isUsage: Bool {
        switch self {
        case .root, .noUserDatabase: false
        case .noSuchCaller, .noSuchUser: true
        }
    }

    /// A sentence, with the names that there are.
    package var description: String {
        switch self {
        case .root(let error): "The folder of --root cannot be used: \(error)."
        case .noUserDatabase(let reason): "No user is known: \(reason)."
        case .noSuchCaller(let uid, let file, let names):
            "\(file) has no user with the uid \(uid) of the caller. "
                + (names.isEmpty ? "It names nobody." : "Name one with --user: \(SessionError.list(names)).")
        case .noSuchUser(let name, let sources, let near, let names):
            "\(sources) no user \(Printable.escape(name)). "
                + (near.isEmpty
                    ? names.isEmpty ? "No people are known." : "There are: \(SessionError.list(names))."
                    : "Perhaps one of these is meant: \(SessionError.list(near)).")
        }
    }

    /// At most twenty names in one line.
    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(20).map(Printable.escape).joined(separator: ", ")
        return names.count > 20 ? "\(shown) and \(names.count - 20) more" : shown
    }
}
