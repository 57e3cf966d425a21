/// What is known of the signature of a policy file.
package enum SignatureState: Hashable, Sendable {
    /// There is none, and none is asked for.
    case none
    /// There is one, and nothing to check it with.
    case notVerified
    /// One that this signer made, checked with what the machine trusts.
    case verified(signer: String)
    /// Signatures are asked for, and the file has none, or one that does not match; why, in words.
    case refused(String)
}
