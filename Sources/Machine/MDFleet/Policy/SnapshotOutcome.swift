/// What became of one look at what the centre published.
package struct SnapshotOutcome: Hashable, Sendable {
    /// The snapshot in force; `nil` before the first.
    package var number: SnapshotNumber?
    /// Whether it has expired; it stays in force.
    package var isStale = false
    /// What was not taken, or is not on this machine as the snapshot has it; `nil` for nothing.
    package var refusal: HostStatus.Refusal?
    /// Why nothing is known of what the centre has, as a clause; `nil` if it answered.
    package var failure: String?
    /// Whether policy was put in place.
    package var isInstalled = false
    /// What else there is to say, as sentences.
    package var notes: [String] = []

    /// What an administrator has to look at, as sentences.
    package var problems: [String] {
        var problems = notes
        if let refusal {
            let place = refusal.line.map { "\(refusal.file):\($0)" } ?? refusal.file
            problems.append("Not taken from the centre: \(place): \(refusal.reason).")
        }
        if let failure { problems.append("What the centre published was not taken: \(failure).") }
        return problems
    }
}
