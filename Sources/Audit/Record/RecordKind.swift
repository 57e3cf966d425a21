/// What a record is about (`kind`).
package struct RecordKind: RecordWord {
    /// An attempt to give a forced key another value.
    package static let override = Self(rawValue: "override")
    /// What is in force changed: a policy file came, went, or has another digest.
    package static let policy = Self(rawValue: "policy")
    /// A temporary policy or a waiver was used.
    package static let grant = Self(rawValue: "grant")
    /// A policy or preference file could not be read, or a write was refused because it is unknown what policy says.
    package static let damaged = Self(rawValue: "damaged")
    /// Records were not stored: how many, and why.
    package static let drop = Self(rawValue: "drop")
    /// Recording began.
    package static let start = Self(rawValue: "start")
    /// Recording ended in good order.
    package static let stop = Self(rawValue: "stop")
    /// The log was mended, or begun anew, after a crash or tampering.
    package static let recover = Self(rawValue: "recover")
    /// For some time nothing could be recorded.
    package static let gap = Self(rawValue: "gap")

    /// The words that this version writes.
    package static let known: [Self] = [
        .override, .policy, .grant, .damaged, .drop, .start, .stop, .recover, .gap,
    ]

    /// The word as it stands in the log.
    package let rawValue: String

    /// Makes the word of its spelling in the log.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
