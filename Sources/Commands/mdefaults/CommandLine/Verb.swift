import MDPolicyModel

/// The program itself, as help, reports and documents for programs name it.
enum ToolVersion {
    /// The version that `--version` prints.
    static let current = EngineVersion.current
}

/// One verb of the command line; each has a file of its own.
protocol Verb {
    /// The arguments that name it: `["policy", "lint"]`.
    static var name: [String] { get }
    /// Its other names, each as a list of arguments.
    static var aliases: [[String]] { get }
    /// What it does, in one line.
    static var summary: String { get }
    /// Its usage lines, without the program's name and the global options.
    static var usage: [String] { get }
    /// The text that `help` prints below the usage lines: options, JSON shape, exit codes.
    static var help: String { get }
    /// Whether global options may also follow the verb; false for a verb whose arguments can all be values.
    static var acceptsTrailingOptions: Bool { get }
    /// The options that the verb defines itself behind its name, although ``GlobalOptions`` has some of these names.
    static var ownOptions: [String] { get }
    /// Whether the verb prints values as applications get them, for users and scripts.
    static var isPlainReading: Bool { get }
    /// The global options that have a meaning for this verb; any other is refused.
    static var accepts: GlobalOptions.Kinds { get }

    /// Does the work.
    ///
    /// - Parameters:
    ///   - arguments: the arguments behind the verb.
    ///   - context: options, console, and the machine and user that are opened on demand.
    /// - Returns: the exit code.
    /// - Throws: why the verb failed.
    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode
}

extension Verb {
    static var aliases: [[String]] { [] }
    static var accepts: GlobalOptions.Kinds { [.root, .json] }
    static var acceptsTrailingOptions: Bool { true }
    static var ownOptions: [String] { [] }
    static var isPlainReading: Bool { false }
}
