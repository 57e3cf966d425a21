package import Platform

/// Whether a target's time has come.
package struct TimeVerdict: Sendable {
    /// Whether its policy file applies at this moment, as far as time goes.
    package let isOpen: Bool
    /// Why not, without a full stop, with local times and their zone; `nil` where it is open.
    package let reason: String?
    /// The first moment after this one at which ``isOpen`` differs; `nil` where it stays as it is.
    package let nextChange: Timestamp?
    /// What could not be told: a zone that cannot be read, a calendar that does not exist.
    package let problems: [TimeProblem]

    /// Makes a verdict.
    package init(
        isOpen: Bool, reason: String? = nil, nextChange: Timestamp? = nil, problems: [TimeProblem] = []
    ) {
        self.isOpen = isOpen
        self.reason = reason
        self.nextChange = nextChange
        self.problems = problems
    }
}
