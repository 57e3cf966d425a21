package import PropertyList

/// What a write to a stored domain came to.
package struct StorageSave: Sendable {
    /// What others changed since this storage last read or wrote the place; `nil` where they removed a key.
    ///
    /// A key that the write itself changed is not among them. Where this storage had neither read nor written the place
    /// before, these are all the values that stand beside the written ones.
    package let foreign: [Key: Value?]
    /// The files that were damaged and were set aside; each is to be reported and audited.
    package let damaged: [DamagedFile]
    /// Whether a file was written or removed; `false` where everything was stored already.
    package let isWritten: Bool
    /// The file that holds the domain, under the root.
    package let path: String

    /// Makes the result of a write.
    package init(foreign: [Key: Value?], damaged: [DamagedFile], isWritten: Bool, path: String) {
        self.foreign = foreign
        self.damaged = damaged
        self.isWritten = isWritten
        self.path = path
    }
}
