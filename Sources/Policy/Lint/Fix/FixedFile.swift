package import Platform

/// A policy file with the changes that mend what has one answer; nothing is written yet.
package struct FixedFile: Sendable {
    /// The path by which the file is opened beneath its root.
    package let path: String
    /// The path as people are shown it.
    package let shownPath: String
    /// The file as it should be.
    package let bytes: [UInt8]
    /// What the kernel said of the file when it was read.
    package let status: FileStatus
    /// What was done.
    package let fixes: [LintFix]
}
