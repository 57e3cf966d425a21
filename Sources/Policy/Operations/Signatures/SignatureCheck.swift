/// Whether policy files are signed by somebody whom the machine trusts.
struct SignatureCheck {
    /// The largest signature that is read, in bytes.
    static let sizeLimit = 65_536
}
