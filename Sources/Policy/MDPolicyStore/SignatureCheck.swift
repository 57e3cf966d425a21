package import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPropertyList

/// Checks whether policy files are signed by a trusted signer.
///
/// Recording commands ask the tools and record their answers; all other processes use the recorded answers.
package struct SignatureCheck: Sendable {
    /// The largest signature that is read, in bytes.
    package static let sizeLimit = 65_536

    /// The lists of trusted signers.
    let trust: [SignatureVerifier: TrustList]
    /// The recorded verifications.
    private let recorded: [Digest: Verification]
    /// The answers of the tools in this process; `nil` if the tools may not be asked.
    private let cache: VerificationCache?
    private let root: Root
    /// Whether policy files must be signed to apply.
    let isDemanded: Bool

    /// Reads the lists of trusted signers.
    ///
    /// - Parameters:
    ///   - home: the folder of the lists.
    ///   - recorded: the policy record.
    ///   - cache: the answers of the tools in this process; `nil` for a process that does not record.
    package init(in home: PolicyHome, recorded: PolicyRecord, cache: VerificationCache?) {
        root = home.root
        var trust: [SignatureVerifier: TrustList] = [:]
        for verifier in SignatureVerifier.allCases {
            trust[verifier] = TrustList(verifier, in: home, recorded: recorded.trust[verifier])
        }
        self.trust = trust
        isDemanded = trust[.ssh]?.exists ?? false
        self.recorded = recorded.verified
        self.cache = cache
    }

    /// Whether a recording command makes this check, and so asks the tools.
    var isWriter: Bool { cache != nil }

    /// The findings about the lists.
    package var problems: [Diagnostic] { SignatureVerifier.allCases.flatMap { trust[$0]?.problems ?? [] } }

    /// The digests of the existing lists.
    var trustDigests: [SignatureVerifier: Digest] { trust.compactMapValues { $0.exists ? $0.digest : nil } }

    /// Checks whether an otherwise valid file is signed as required.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - digest: the digest of its bytes.
    ///   - place: its policy directory.
    ///   - isRecorded: whether the policy record has a copy of the same bytes; these were checked when it was made.
    /// - Returns: the state of the signature; `nil` if the file is not signed and need not be.
    package func finding(of file: PolicyFileInspection, _ digest: Digest, in place: PolicyDirectory, isRecorded: Bool)
        -> SignatureFinding?
    {
        let isProfile = PolicyFileName.kind(of: file.name.string) == .profile
        let isMessage = isProfile && CMSMessage.recognizes(file.bytes) && !CMSMessage.isEncrypted(file.bytes)
        guard isDemanded || isMessage, SignatureCheck.isNeeded(for: file.policy, place: place) else { return nil }
        if !isWriter {
            guard isDemanded || trust[.cms]?.exists ?? false else { return SignatureFinding(state: .notVerified) }
            guard isRecorded else {
                return refused(
                    .init(reason: "its signature is not recorded yet; policy apply checks it", isUnknown: true))
            }
            return SignatureFinding(state: recorded[digest].map { .verified(signer: $0.signer) } ?? .none)
        }
        var signature: [UInt8]?
        var failure: SignatureVerifier.Refusal?
        if isDemanded {
            do throws(TrustError) {
                signature = try root.readTrusted("\(file.path).sig", limit: SignatureCheck.sizeLimit).bytes
            } catch {
                if !error.isMissing { failure = .unreadable(error) }
            }
        }
        return finding(file.bytes, isProfile: isProfile, digest: digest, signature: signature, failure: failure)
    }

    /// Checks whether the bytes of a policy file are signed.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - isProfile: whether it is read as a profile; only profiles can be signed messages.
    ///   - digest: their digest.
    ///   - signature: the signature file beside it, if there is one.
    ///   - failure: the refusal of a signature file that could not be read.
    /// - Returns: the state of the signature.
    package func finding(
        _ bytes: [UInt8], isProfile: Bool, digest: Digest, signature: [UInt8]?,
        failure: SignatureVerifier.Refusal? = nil
    ) -> SignatureFinding {
        var refusal = failure
        if isDemanded, let signature {
            let answer = ask(.ssh, bytes, digest, signature: signature, SHA256.hash(signature))
            if let finding = answer.finding { return finding }
            refusal = answer.refusal
        }
        // Whether an encrypted message is signed is unknown, and it is not read either.
        if isProfile, CMSMessage.recognizes(bytes), !CMSMessage.isEncrypted(bytes) {
            guard trust[.cms]?.exists ?? false else {
                return isDemanded
                    ? refusal.map(refused) ?? unsigned(byMessage: true) : SignatureFinding(state: .notVerified)
            }
            let answer = ask(.cms, bytes, digest, signature: [], digest)
            if let finding = answer.finding { return finding }
            return (refusal ?? answer.refusal).map(refused) ?? unsigned(byMessage: true)
        }
        return isDemanded ? refusal.map(refused) ?? unsigned(byMessage: false) : SignatureFinding(state: .none)
    }

    /// Returns the recorded answer of one verifier, or asks it.
    private func ask(
        _ verifier: SignatureVerifier, _ bytes: [UInt8], _ digest: Digest, signature: [UInt8], _ signatureDigest: Digest
    ) -> (finding: SignatureFinding?, refusal: SignatureVerifier.Refusal?) {
        guard let list = trust[verifier], let trustDigest = list.digest else {
            return (nil, .init(reason: "who may sign cannot be told", isUnknown: true))
        }
        let known = recorded[digest].flatMap { known in
            known.verifier == verifier && known.trust == trustDigest && known.signature == signatureDigest ? known : nil
        }
        let hasEnded = known?.until.map { $0 <= Clock.now() } ?? false
        let verified = known.map { SignatureFinding(state: .verified(signer: $0.signer), verification: $0) }
        // Without the list the tools cannot be asked, and their recorded answers count until they expire. With it they
        // are asked again, because certificates above the signer's expire too.
        guard let cache, let trusted = list.bytes else {
            if let verified, !hasEnded { return (verified, nil) }
            let reason =
                hasEnded
                ? "the time of its signer's key is over" : "nobody has recorded yet whether its signature is good"
            return (nil, .init(reason: reason, isUnknown: true))
        }
        let question = VerificationCache.Question(
            verifier: verifier, content: digest, signature: signatureDigest, trust: trustDigest)
        let answer = cache.answer(question) { () throws(SignatureVerifier.Refusal) in
            try verifier.signer(of: bytes, signature: signature, trust: trusted)
        }
        switch answer {
        case .success(let signer):
            let verification = Verification(
                verifier: verifier, signature: signatureDigest, trust: trustDigest, signer: signer.name,
                until: signer.until)
            return (SignatureFinding(state: .verified(signer: signer.name), verification: verification), nil)
        case .failure(let refusal):
            // If the tool cannot be run, its recorded answer stays valid.
            if refusal.isUnknown, !hasEnded, let verified { return (verified, nil) }
            return (nil, refusal)
        }
    }

    /// The finding for a file that does not count as signed.
    private func refused(_ refusal: SignatureVerifier.Refusal) -> SignatureFinding {
        SignatureFinding(
            state: .refused(refusal.reason),
            code: refusal.isUnknown ? .signatureUnknown : refusal.isUnsigned ? .unsigned : .badSignature)
    }

    /// The finding for a file without a signature that can be checked.
    private func unsigned(byMessage: Bool) -> SignatureFinding {
        let reason =
            byMessage
            ? "it is a signed message, and there is no \(SignatureVerifier.cms.trustPath) to check it with"
            : "it has no signature beside it (the same name with .sig)"
        return SignatureFinding(state: .refused(reason), code: .unsigned)
    }
}

extension PolicyStore {
    /// The path, beneath the root, of the list of trusted signers; its presence requires signatures.
    package static var trustedSignersPath: String { SignatureVerifier.ssh.trustPath }
    /// The program that checks signatures.
    package static var signatureProgram: String { SignatureVerifier.ssh.program }

    /// Whether policy files must be signed to apply.
    package var demandsSignatures: Bool { demandsSignatures(after: PolicyRecordInspection(root: root).record) }

    /// Whether policy files must be signed to apply, after what was recorded.
    package func demandsSignatures(after record: PolicyRecord) -> Bool {
        TrustList(.ssh, in: PolicyHome(root), recorded: record.trust[.ssh]).exists
    }

    /// Why a policy file outside the policy directories does not count as signed, or is older than what was recorded;
    /// `nil` if neither, or if signatures are not required.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - policy: what it says; `nil` if it has errors.
    ///   - name: its name, which decides its format.
    ///   - signature: the signature file beside it; `nil` for none.
    /// - Returns: the refusal.
    package func objection(
        to bytes: [UInt8], _ policy: PolicyFile?, name: String, signature: [UInt8]?
    ) -> SignatureFinding? {
        let record = PolicyRecordInspection(root: root).record
        let check = SignatureCheck(in: PolicyHome(root), recorded: record, cache: VerificationCache())
        let finding = check.finding(
            bytes, isProfile: PolicyFileName.kind(of: name) == .profile, digest: SHA256.hash(bytes),
            signature: signature)
        if finding.refusal != nil { return finding }
        guard check.isDemanded, let policy else { return nil }
        let entry = record.files[PolicyRecord.FileName(place: .etc, name: Key(name))]
        return record.objection(to: policy, after: entry, RecordedCopies(root: root))
    }
}

extension SignatureCheck {
    /// Whether a file must be signed if policy must be.
    ///
    /// Temporary policy in `/run` need not: the files of a set are checked when its exam starts, and only root writes
    /// in `/run`.
    static func isNeeded(for policy: PolicyFile?, place: PolicyDirectory) -> Bool {
        place != .run || policy?.temporary == nil
    }
}

/// The answers of the signature tools in this process, so that two scans of the same files ask once.
package final class VerificationCache: Sendable {
    /// A signature that a tool is asked about.
    package struct Question: Hashable, Sendable {
        let verifier: SignatureVerifier
        /// The digest of the signed content.
        package let content: Digest
        package let signature: Digest
        /// The digest of the list of trusted signers.
        let trust: Digest
    }

    /// The answer of a tool.
    package typealias Answer = Result<SignatureVerifier.Signer, SignatureVerifier.Refusal>

    private let answers = Guarded<[Question: Answer]>([:])

    /// Returns the answer to a question, from memory if it was asked before.
    ///
    /// - Parameters:
    ///   - question: the signature.
    ///   - ask: asks the tool.
    /// - Returns: the signer, or why the signature does not count.
    package func answer(
        _ question: Question, _ ask: () throws(SignatureVerifier.Refusal) -> SignatureVerifier.Signer
    ) -> Answer {
        if let known = answers.withLock({ $0[question] }) { return known }
        let answer: Answer
        do throws(SignatureVerifier.Refusal) {
            answer = .success(try ask())
        } catch {
            answer = .failure(error)
        }
        answers.withLock { $0[question] = answer }
        return answer
    }
}
