package import Platform

/// A difference between what is in force and what was recorded, for the audit's `policy` records.
package struct PolicyChange: Hashable, Sendable {
    /// The path of the file beneath the root.
    package let path: String
    /// The digest of what was in force; `nil` where nothing was.
    package let from: Digest?
    /// The digest of what is in force now; `nil` where nothing is.
    package let to: Digest?
    /// What happened, in words.
    package let note: String

    /// Makes a change.
    package init(path: String, from: Digest?, to: Digest?, note: String) {
        self.path = path
        self.from = from
        self.to = to
        self.note = note
    }
}
