package import Audit

/// What became of checking the audit log.
package struct LogCompliance: Sendable {
    /// What the check came to; `nil` where nothing was ever recorded, so that there is no log to check.
    package let status: Verification.Status?
    /// How many records the log holds.
    package let records: Int
    /// How many attempts the log says were counted and not stored.
    package let dropped: Int
    /// The place of the first record that is not as it was stored.
    package let firstBad: Int?
    /// What was found, in whole sentences.
    package let detail: String
    /// Whether nobody checked it, because only others than this process may read it: then it is neither sound nor not.
    package let isForbidden: Bool

    /// Makes a result.
    package init(
        status: Verification.Status?, records: Int, dropped: Int, firstBad: Int?, detail: String,
        isForbidden: Bool = false
    ) {
        self.isForbidden = isForbidden
        self.status = status
        self.records = records
        self.dropped = dropped
        self.firstBad = firstBad
        self.detail = detail
    }

    /// Whether every record is as it was stored; `nil` where nobody could look.
    ///
    /// It is so also where there never was a record.
    package var isVerified: Bool? {
        switch status {
        case .intact, .gaps, nil: true
        case .unchecked where isForbidden: nil
        case .altered, .truncated, .unchecked: false
        }
    }
}
