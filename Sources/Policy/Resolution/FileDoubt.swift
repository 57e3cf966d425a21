/// Why it cannot be told whether a policy file counts, in a user namespace, where anybody can mount folders of root's over
/// others.
///
/// Two sources tell what is in force: the directory of policy, and what root's commands recorded. Who hides one of them has
/// the other; a file counts beyond doubt where both have it. The raw value is what `policy list --json` prints as `doubt`.
package enum FileDoubt: String, Sendable {
    /// It was recorded, and the directory does not have it as it was.
    case unseen
    /// The directory has it, and it was not recorded as it is.
    case unrecorded
}

extension FileDoubt {
    /// What is in doubt, and what follows, as a clause.
    package var words: String {
        switch self {
        case .unseen: "recorded, and not in its directory as it was recorded: nobody can tell whether it counts"
        case .unrecorded: "in its directory, and not recorded as it is: nobody can tell whether it counts"
        }
    }
}
