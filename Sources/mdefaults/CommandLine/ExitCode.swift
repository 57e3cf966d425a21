/// The exit codes of the command line.
enum ExitCode: Int32 {
    /// Done, or the answer is yes.
    case success = 0
    /// The answer is no, not found, or findings.
    case no = 1
    /// The command line is wrong.
    case usage = 2
    /// Not in effect: the key is forced.
    case notInEffect = 3
    /// Could not read or write.
    case inputOutput = 4
    /// A file or value that does not parse.
    case badInput = 5
    /// `audit verify`: the log was altered.
    case altered = 10
    /// `audit verify`: the log was truncated or rolled back.
    case truncated = 11
    /// `audit verify`: intact with declared gaps.
    case gaps = 12
    /// `audit verify`: could not check.
    case unchecked = 13
}
