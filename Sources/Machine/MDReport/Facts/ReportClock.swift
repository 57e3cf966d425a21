package import MDPlatform

/// The clock by which a report is made.
package enum ReportClock: Hashable, Sendable {
    /// That of the machine on which the report is made.
    case machine
    /// A moment in its place, so that the same inputs make the same bytes.
    case given(Timestamp)

    /// The clock of a given moment; that of the machine without one.
    package init(_ given: Timestamp?) {
        self = given.map { .given($0) } ?? .machine
    }

    /// What it shows.
    package var now: Timestamp {
        switch self {
        case .machine: Clock.now()
        case .given(let time): time
        }
    }

    /// Whether it is not that of the machine.
    package var isGiven: Bool { self != .machine }

    /// The word in JSON.
    package var word: String { isGiven ? "given" : "machine" }

    /// The same for people.
    package var words: String { isGiven ? "clock given" : "this machine's clock" }
}
