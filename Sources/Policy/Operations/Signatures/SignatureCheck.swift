import Platform
import PropertyList

/// Whether policy files are signed by somebody whom the machine trusts.
///
/// Recording verbs ask the tools and record what they say; everybody else takes the record's word.
struct SignatureCheck: Sendable {
    /// The largest signature that is read, in bytes.
    static let sizeLimit = 65_536

    /// Whom the machine trusts.
    let trust: [SignatureVerifier: TrustList]
    /// What was recorded.
    private let recorded: [Digest: Verification]
    /// What the tools said in this process; `nil` where they may not be asked.
    private let cache: VerificationCache?
    /// The root.
    private let root: Root
    /// Whether a policy file must be signed to be obeyed.
    let isDemanded: Bool

    /// Reads whom the machine trusts.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - recorded: what was recorded.
    ///   - cache: what the tools said in this process; `nil` for who does not record.
    init(root: Root, recorded: PolicyRecord, cache: VerificationCache?) {
        self.root = root
        var trust: [SignatureVerifier: TrustList] = [:]
        for verifier in SignatureVerifier.allCases {
            trust[verifier] = TrustList(verifier, root: root, recorded: recorded.trust[verifier])
        }
        self.trust = trust
        isDemanded = trust[.ssh]?.isThere ?? false
        self.recorded = recorded.verified
        self.cache = cache
    }

    /// Whether this is the check of a recording verb, which asks the tools.
    var isWriter: Bool { cache != nil }

    /// What is wrong with the lists.
    var problems: [Diagnostic] { SignatureVerifier.allCases.flatMap { trust[$0]?.problems ?? [] } }

    /// The digests of the lists that there are.
    var trustDigests: [SignatureVerifier: Digest] { trust.compactMapValues { $0.isThere ? $0.digest : nil } }

    /// What was found out about some bytes.
    struct Finding: Sendable {
        /// What is shown of it.
        let state: SignatureState
        /// What is to be recorded of it.
        var verification: Verification?
        /// Whether it could not be found out, rather than found to be wrong.
        var isUnknown = false
        /// Whether there is no signature that could be wrong.
        var isUnsigned = false
    }

    /// Finds out whether a file that is good otherwise is signed as it must be.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - digest: the digest of its bytes.
    ///   - place: the directory that it lies in.
    ///   - isRecorded: whether the record has a copy of the same bytes, which were checked when that was made.
    /// - Returns: what is known of the signature; `nil` if the file is not signed and need not be.
    func finding(of file: SourceFile, _ digest: Digest, in place: PolicyPlace, isRecorded: Bool) -> Finding? {
        let isProfile = PolicyFileName.kind(of: file.name.string) == .profile
        let isMessage = isProfile && CMSMessage.recognizes(file.bytes) && !CMSMessage.isEncrypted(file.bytes)
        guard isDemanded || isMessage, SignatureCheck.isNeeded(for: file.policy, place: place) else { return nil }
        if !isWriter {
            guard isDemanded || trust[.cms]?.isThere ?? false else { return Finding(state: .notVerified) }
            guard isRecorded else {
                return refused(
                    .init(reason: "its signature is not recorded yet; policy apply checks it", isUnknown: true))
            }
            return Finding(state: recorded[digest].map { .verified(signer: $0.signer) } ?? .none)
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

    /// Finds out whether the bytes of a policy file are signed.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - isProfile: whether it is read as a profile; any other file is no signed message, whatever is in it.
    ///   - digest: their digest.
    ///   - signature: the file beside it, where there is one.
    ///   - failure: what follows from something that is there and could not be read.
    /// - Returns: what is known of the signature.
    func finding(
        _ bytes: [UInt8], isProfile: Bool, digest: Digest, signature: [UInt8]?,
        failure: SignatureVerifier.Refusal? = nil
    ) -> Finding {
        var refusal = failure
        if isDemanded, let signature {
            let answer = ask(.ssh, bytes, digest, signature: signature, SHA256.hash(signature))
            if let finding = answer.finding { return finding }
            refusal = answer.refusal
        }
        // A message that is encrypted shows nobody whether it is signed, and is not read either.
        if isProfile, CMSMessage.recognizes(bytes), !CMSMessage.isEncrypted(bytes) {
            guard trust[.cms]?.isThere ?? false else {
                return isDemanded ? refusal.map(refused) ?? unsigned(byMessage: true) : Finding(state: .notVerified)
            }
            let answer = ask(.cms, bytes, digest, signature: [], digest)
            if let finding = answer.finding { return finding }
            return (refusal ?? answer.refusal).map(refused) ?? unsigned(byMessage: true)
        }
        return isDemanded ? refusal.map(refused) ?? unsigned(byMessage: false) : Finding(state: .none)
    }

    /// Looks one verifier's answer up, or asks it.
    private func ask(
        _ verifier: SignatureVerifier, _ bytes: [UInt8], _ digest: Digest, signature: [UInt8], _ signatureDigest: Digest
    ) -> (finding: Finding?, refusal: SignatureVerifier.Refusal?) {
        guard let list = trust[verifier], let trustDigest = list.digest else {
            return (nil, .init(reason: "who may sign cannot be told", isUnknown: true))
        }
        let known = recorded[digest].flatMap { known in
            known.verifier == verifier && known.trust == trustDigest && known.signature == signatureDigest ? known : nil
        }
        let hasEnded = known?.until.map { $0 <= Clock.now() } ?? false
        let verified = known.map { Finding(state: .verified(signer: $0.signer), verification: $0) }
        // Without the list the tools cannot be asked, and what they said under it counts until it ends. With it they are
        // asked again, because certificates above the signer's end too.
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
            return (Finding(state: .verified(signer: signer.name), verification: verification), nil)
        case .failure(let refusal):
            // A tool that cannot be asked takes back nothing that it said.
            if refusal.isUnknown, !hasEnded, let verified { return (verified, nil) }
            return (nil, refusal)
        }
    }

    /// What is found of a file that does not count as signed.
    private func refused(_ refusal: SignatureVerifier.Refusal) -> Finding {
        Finding(
            state: .refused(refusal.reason), isUnknown: refusal.isUnknown, isUnsigned: refusal.isUnsigned)
    }

    /// What is found of a file without a signature that could be checked.
    private func unsigned(byMessage: Bool) -> Finding {
        let reason =
            byMessage
            ? "it is a signed message, and there is no \(SignatureVerifier.cms.trustPath) to check it with"
            : "it has no signature beside it (the same name with .sig)"
        return Finding(state: .refused(reason), isUnsigned: true)
    }
}
