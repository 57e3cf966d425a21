package import MDPlatform
package import MDPropertyList

/// The result of checking the signature of a policy file, as shown to users.
package enum SignatureState: Hashable, Sendable {
    /// There is none, and none is required.
    case none
    /// There is one, but no trusted signers to check it with.
    case notVerified
    /// Valid, by a signer that the machine trusts.
    case verified(signer: String)
    /// A signature is required, and the file has none or an invalid one, or is older than what was recorded; why, in
    /// words.
    case refused(String)
}

/// A tool of the system that checks a signature against the signers that the machine trusts.
///
/// No cryptography is implemented here: a fixed program runs with a fixed environment and for a bounded time. It
/// receives the bytes that were read, so that they cannot be replaced between check and use.
package enum SignatureVerifier: String, Hashable, Sendable, CaseIterable {
    /// `ssh-keygen -Y verify`: a signature in a file beside the policy file.
    case ssh
    /// `openssl cms -verify`: an Apple profile that is a signed message itself.
    case cms

    /// The file with the trusted signers.
    package var trustPath: String {
        switch self {
        case .ssh: "/etc/managed-defaults/trusted-signers"
        case .cms: "/etc/managed-defaults/trusted-anchors.pem"
        }
    }

    package var program: String {
        switch self {
        case .ssh: "/usr/bin/ssh-keygen"
        case .cms: "/usr/bin/openssl"
        }
    }
}

/// A successful check of a signature, which root's process records for processes that cannot check it.
package struct Verification: Hashable, Sendable {
    /// The tool that checked it.
    package let verifier: SignatureVerifier
    /// The digest of the signature file; of the bytes themselves if they include the signature.
    package let signature: Digest
    /// The digest of the file with the trusted signers.
    package let trust: Digest
    package let signer: String
    /// The time of the next check, because a key or a certificate expires; `nil` if none does.
    package var until: Timestamp?

    package init(verifier: SignatureVerifier, signature: Digest, trust: Digest, signer: String, until: Timestamp? = nil)
    {
        (self.verifier, self.signature, self.trust) = (verifier, signature, trust)
        (self.signer, self.until) = (signer, until)
    }
}

/// The outcome of one check of a signature.
package struct SignatureFinding: Sendable {
    /// The state as shown to users.
    package let state: SignatureState
    /// The check to record, if successful.
    package var verification: Verification?
    /// The code of a refusal; ``LintCode/signatureUnknown`` if the check could not be done, rather than failed.
    package let code: LintCode
    /// The place that a refusal is about.
    package let position: Position

    package init(
        state: SignatureState, verification: Verification? = nil, code: LintCode = .badSignature,
        position: Position = .start
    ) {
        (self.state, self.verification) = (state, verification)
        (self.code, self.position) = (code, position)
    }

    /// Why the file is refused, as a clause that is not escaped; `nil` if it is not.
    package var refusal: String? {
        if case .refused(let reason) = state { reason } else { nil }
    }
}
