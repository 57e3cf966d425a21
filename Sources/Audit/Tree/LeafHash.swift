import Platform

/// The digest of a leaf whose line arrives in pieces.
struct LeafHash {
    /// The hash, which has taken the zero byte that marks a leaf.
    private var hash: SHA256

    /// Begins a line.
    init() {
        hash = SHA256()
        hash.update(0x00 as UInt8)
    }

    /// Feeds the next bytes of the line.
    mutating func update(_ bytes: ArraySlice<UInt8>) {
        hash.update(bytes)
    }

    /// The digest of the leaf.
    func finish() -> Digest { hash.finish() }
}
