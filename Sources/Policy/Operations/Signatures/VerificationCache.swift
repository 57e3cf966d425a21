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

    /// The answers so far, and the time that they took, in microseconds.
    private let state = Guarded<(answers: [Question: Answer], spent: Int64)>(
        ([:], 0))

    /// The answer to a question.
    ///
    /// - Parameters:
    ///   - question: what is asked.
    ///   - limit: how much time all questions together may take, in microseconds; `nil` for any.
    ///   - ask: asks the tool.
    /// - Returns: the signer, or why the signature does not count.
    func answer(
        _ question: Question, limit: Int64?, _ ask: () throws(SignatureVerifier.Refusal) -> SignatureVerifier.Signer
    ) -> Answer {
        let (known, spent) = state.withLock { ($0.answers[question], $0.spent) }
        if let known { return known }
        if let limit, spent > limit {
            return .failure(
                .init(reason: "its signature was not checked yet; policy apply checks them all", isUnknown: true))
        }
        let start = Clock.monotonicMicroseconds()
        let answer: Answer
        do throws(SignatureVerifier.Refusal) {
            answer = .success(try ask())
        } catch {
            answer = .failure(error)
        }
        state.withLock { state in
            state.answers[question] = answer
            state.spent += Clock.monotonicMicroseconds() - start
        }
        return answer
    }
}
