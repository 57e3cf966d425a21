import Platform

extension PolicyStore {
    /// The file, beneath the root, that switches signatures on and says who may sign.
    package static var trustedSignersPath: String { SignatureVerifier.ssh.trustPath }
    /// The program that checks them.
    package static var signatureProgram: String { SignatureVerifier.ssh.program }

    /// Whether a policy file must be signed to be obeyed.
    package var demandsSignatures: Bool {
        TrustList(.ssh, root: root, recorded: RecordReading(root: root).record.trust[.ssh]).isThere
    }

    /// Why a policy file that lies in neither policy directory does not count as signed, as a clause; `nil` where it
    /// does, or where nothing asks for its signature.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - name: its name, which decides its format.
    ///   - signature: the file beside it; `nil` for none.
    /// - Returns: the reason, not escaped.
    package func signatureObjection(to bytes: [UInt8], name: String, signature: [UInt8]?) -> String? {
        let check = SignatureCheck(
            root: root, recorded: RecordReading(root: root).record, cache: VerificationCache())
        let finding = check.finding(
            bytes, isProfile: PolicyFileName.kind(of: name) == .profile, digest: SHA256.hash(bytes),
            signature: signature)
        guard case .refused(let reason) = finding.state else { return nil }
        return reason
    }
}

extension SignatureCheck {
    /// Whether a file has to be signed where policy has to be: not temporary policy in its place, because the files of
    /// a set are checked when its exam starts, and only root writes in `/run`.
    static func isNeeded(for policy: PolicyFile?, place: PolicyPlace) -> Bool {
        place != .run || policy?.temporary == nil
    }
}
