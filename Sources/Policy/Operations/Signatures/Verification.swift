import Platform

/// What root's process found out about the signature of some bytes, and recorded for everybody who cannot ask.
struct Verification: Hashable, Sendable {
    /// How it was checked.
    let verifier: SignatureVerifier
    /// The digest of the signature's file; that of the bytes themselves where they carry it.
    let signature: Digest
    /// The digest of what said whom the machine trusts.
    let trust: Digest
    /// Who signed.
    let signer: String
    /// The moment from which on it has to be asked again, because a key or a certificate ends; `nil` where none does.
    var until: Timestamp?
}
