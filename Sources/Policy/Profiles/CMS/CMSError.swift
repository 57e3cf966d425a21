/// Why a signed message could not be opened.
struct CMSError: Error, Hashable, Sendable {
    /// The offset of the byte that is wrong, in the binary message.
    let offset: Int
    /// What is wrong, without place and without a full stop.
    let message: String
    /// Whether it is that somebody encrypted the message.
    let isEncrypted: Bool

    /// Makes a mistake.
    init(_ message: String, at offset: Int, isEncrypted: Bool = false) {
        self.message = message
        self.offset = offset
        self.isEncrypted = isEncrypted
    }
}
