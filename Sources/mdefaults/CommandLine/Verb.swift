/// One verb of the command line; each has a file of its own.
protocol Verb {
    /// The words that name it: `["policy", "lint"]`.
    static var name: [String] { get }
    /// Other names of it, each as words.
    static var aliases: [[String]] { get }
    /// What it does, in one line.
    static var summary: String { get }
    /// Its usage lines, without the program's name and the options that stand before every verb.
    static var usage: [String] { get }
    /// What `help` says beneath the usage lines: options, JSON shape, exit codes.
    static var help: String { get }
    /// Whether `--json`, `--root` and the like may also follow the verb; not where any word can be a value.
    static var takesOptionsBehind: Bool { get }
    /// The options of ``GlobalOptions`` that mean something else behind this verb, and are left to it there.
    static var ownOptions: [String] { get }

    /// The options before every verb that mean something to this one; any other is refused.
    static var takes: GlobalOptions.Kinds { get }

    /// Does the work.
    ///
    /// - Parameters:
    ///   - words: the words behind the verb.
    ///   - context: options, console and what is opened on demand.
    /// - Returns: the exit code.
    /// - Throws: why it could not.
    static func run(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode
}

extension Verb {
    /// No other names, unless a verb says so.
    static var aliases: [[String]] { [] }
    /// Every verb has a machine and output, unless it says otherwise.
    static var takes: GlobalOptions.Kinds { [.root, .json] }
    /// Options may follow, unless a verb says otherwise.
    static var takesOptionsBehind: Bool { true }

    /// Options mean the same behind a verb, unless it says otherwise.
    static var ownOptions: [String] { [] }
}
