extension PolicyStore {
    /// The file, beneath the root, that switches signatures on and says who may sign.
    package static var trustedSignersPath: String { SignatureVerifier.ssh.trustPath }
    /// The program that checks them.
    package static var signatureProgram: String { SignatureVerifier.ssh.program }

    /// Whether a policy file must be signed to be obeyed.
    package var demandsSignatures: Bool {
        TrustList(.ssh, root: root, recorded: RecordReading(root: root).record.trust[.ssh]).isThere
    }
}
