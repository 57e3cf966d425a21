import Platform

/// What the tools said in this process, so that two looks at the same files ask once.
final class VerificationCache: Sendable {
    /// A question.
    struct Question: Hashable, Sendable {
        /// Whom it is put to.
        let verifier: SignatureVerifier
        /// The digest of what is signed.
        let content: Digest
        /// The digest of the signature.
        let signature: Digest
        /// The digest of what says whom the machine trusts.
        let trust: Digest
    }

    /// What a tool said.
    typealias Answer = Result<SignatureVerifier.Signer, SignatureVerifier.Refusal>

    /// The answers so far.
    private let answers = Guarded<[Question: Answer]>([:])

    /// The answer to a question.
    ///
    /// - Parameters:
    ///   - question: what is asked.
    ///   - ask: asks the tool.
    /// - Returns: the signer, or why the signature does not count.
    func answer(
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
