package import PropertyList

/// What a write did to a domain.
package struct UpdateResult: Sendable {
    /// The values before, read under the lock; empty where there was no file, or a damaged one.
    package let before: [Key: Value]
    /// The values as they are now stored.
    package let after: [Key: Value]
    /// Whether a file was written or removed; `false` where everything was stored already.
    package let isWritten: Bool
    /// The files that were damaged and were set aside; each is to be reported and audited.
    package let damaged: [DamagedFile]
    /// The file that holds the domain, under the root.
    package let path: String

    /// Makes the result of a write.
    package init(
        before: [Key: Value], after: [Key: Value], isWritten: Bool, damaged: [DamagedFile], path: String
    ) {
        self.before = before
        self.after = after
        self.isWritten = isWritten
        self.damaged = damaged
        self.path = path
    }
}
