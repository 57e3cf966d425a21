package import MDAuditLog
import MDPlatform

/// The result of checking a log against its checkpoint.
package struct LogVerification: Hashable, Sendable {
    /// The state of a log.
    package enum Status: String, Sendable, CaseIterable {
        /// Every record that the checkpoint covers is as it was stored.
        case intact
        /// A record was changed, removed, inserted or moved, or the checkpoint was changed.
        case altered
        /// Records at the end are missing.
        case truncated
        /// Intact, but the log itself says that something could not be recorded.
        case gaps
        /// The log or its checkpoint could not be read.
        case unchecked
    }

    /// The state of the log.
    package private(set) var status: Status
    /// The number of whole records in the log.
    package let records: Int
    /// Those of them that users kept in spools, which are what their senders claim; not counted in an altered log.
    package let claimed: Int
    /// The place of the first record that is not as it was stored, or the first place that it can have; `nil` if there is
    /// none, or its place is unknown.
    package let firstBad: Int?
    /// What was found and what is proven, in sentences.
    package private(set) var detail: String
    /// Whether the log is unchecked because this process may not read it.
    package let isForbidden: Bool
    /// Whether there is neither a log nor a checkpoint.
    package let isAbsent: Bool

    /// Makes a result.
    package init(
        status: Status, records: Int, claimed: Int = 0, firstBad: Int? = nil, detail: String, isForbidden: Bool = false,
        isAbsent: Bool = false
    ) {
        self.claimed = claimed
        (self.isForbidden, self.isAbsent) = (isForbidden, isAbsent)
        self.status = status
        self.records = records
        self.firstBad = firstBad
        self.detail = detail
    }
}

extension LogVerification {
    /// The result if something besides the log could not be checked, which a sentence says; what is graver stays.
    package func uncertain(_ sentence: String) -> LogVerification {
        var result = self
        if status == .intact || status == .gaps { result.status = .unchecked }
        result.detail += " \(sentence)"
        return result
    }

    /// The result after the signatures of checkpoints were checked by the first key.
    package func signed(by first: FirstKey, _ checkpoints: [HeldCheckpoint]) -> LogVerification {
        var result = self
        for held in checkpoints {
            switch first.origin == held.checkpoint.origin ? first.key.verifies(held.checkpoint) : nil {
            case true?: result.detail += " The signature of \(held.holder) is right."
            case false?:
                result.status = .altered
                result.detail +=
                    " The signature of \(held.holder) is wrong: it was not made by the machine with a key that follows "
                    + "the first one."
                return result
            case nil:
                result = result.uncertain(
                    "The signature of \(held.holder) is not by the first key that was given, but by another one.")
            }
        }
        return result
    }
}
