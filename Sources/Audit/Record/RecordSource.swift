/// Who vouches for a record (`src`).
package struct RecordSource: RecordWord {
    /// The process claims it of itself.
    package static let client = Self(rawValue: "client")
    /// A file was seen to change.
    package static let observed = Self(rawValue: "observed")
    /// Stored values were compared with policy.
    package static let scan = Self(rawValue: "scan")
    /// The kernel reported it.
    package static let kernel = Self(rawValue: "kernel")
    /// The user's own process kept it while nothing else could record it; worth less than the others.
    package static let spool = Self(rawValue: "spool")

    /// The words that this version writes.
    package static let known: [Self] = [
        .client, .observed, .scan, .kernel, .spool,
    ]

    /// The word as it stands in the log.
    package let rawValue: String

    /// Makes the word of its spelling in the log.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
