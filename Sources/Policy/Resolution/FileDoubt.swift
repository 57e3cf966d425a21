/// Why it cannot be told whether a policy file counts, in a user namespace, where anybody can mount folders of root's over
/// others.
///
/// Two sources tell what is in force: the directory of policy, and what root's commands recorded. Who hides one of them has
/// the other; a file counts beyond doubt where both have it.
package enum FileDoubt: Sendable {
    /// It was recorded, and the directory does not have it as it was.
    case unseen
    /// The directory has it, and it was not recorded as it is.
    case unrecorded
}
