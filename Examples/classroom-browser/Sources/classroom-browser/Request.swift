/// The request of the command line: `classroom-browser [--root DIR [--user NAME]] [set KEY VALUE | watch]`.
struct Request {
    /// A setting to change.
    struct Change {
        /// The key.
        let key: String
        /// The value, as text.
        let value: String
    }

    /// An unknown command line.
    struct UsageError: Error, CustomStringConvertible {
        /// How the program is called.
        let description = "usage: classroom-browser [--root DIR [--user NAME]] [set KEY VALUE | watch]"
    }

    /// The folder that represents a machine.
    var root: String?
    /// The user of that machine.
    var user: String?
    /// The setting to change.
    var change: Change?
    /// Whether settings are printed as they change.
    var follows = false

    /// Reads a command line.
    init(_ arguments: [String]) throws {
        var words = arguments.dropFirst()
        while let word = words.popFirst() {
            switch word {
            case "--root":
                guard let value = words.popFirst() else { throw UsageError() }
                root = value
            case "--user":
                guard let value = words.popFirst() else { throw UsageError() }
                user = value
            case "set":
                guard let key = words.popFirst(), let value = words.popFirst() else { throw UsageError() }
                change = Change(key: key, value: value)
            case "watch": follows = true
            default: throw UsageError()
            }
        }
    }
}
