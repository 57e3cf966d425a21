/// The result of checking a log against its checkpoint.
package struct Verification: Hashable, Sendable {
    /// What the check came to.
    package enum Status: String, Sendable, CaseIterable {
        /// Every record that the checkpoint covers is as it was stored.
        case intact
        /// A record was changed, removed, inserted or moved, or the checkpoint was.
        case altered
        /// Records at the end that were stored are gone.
        case truncated
        /// Intact, and the log itself says that something could not be recorded.
        case gaps
        /// The log or its checkpoint could not be read.
        case unchecked
    }

    /// What the check came to.
    package let status: Status
    /// How many whole records the log holds.
    package let records: Int
    /// The place of the first record that is not as it was stored, where that can be told; else the first of those
    /// among which it is, or `nil`.
    package let firstBad: Int?
    /// What was found and what is proven, in whole sentences.
    package let detail: String
    /// Whether nothing was found because this process may not read the log.
    package let isForbidden: Bool

    /// Makes a result.
    package init(
        status: Status, records: Int, firstBad: Int? = nil, detail: String, isForbidden: Bool = false
    ) {
        self.isForbidden = isForbidden
        self.status = status
        self.records = records
        self.firstBad = firstBad
        self.detail = detail
    }

    /// The exit code of `audit verify`.
    package var exitCode: Int32 {
        switch status {
        case .intact: 0
        case .altered: 10
        case .truncated: 11
        case .gaps: 12
        case .unchecked: 13
        }
    }
}
