/// A way by which users get past policy, or past the policy of other programs, and whether this machine leaves it open.
///
/// None of these is policy that is not in force, and what is closed here can be open in another place.
package struct HardeningWay: Hashable, Sendable {
    /// What is known of a way.
    package enum State: String, Sendable {
        /// Users of this machine have it.
        case possible
        /// What would close it was looked at, and does.
        case closed
        /// It could not be looked at, or what was found does not decide it.
        case unknown

        package var words: String {
            switch self {
            case .possible: "possible here"
            case .closed: "closed here"
            case .unknown: "not known"
            }
        }
    }

    /// A stable name: `user-namespaces`, `executable-places`.
    package let name: String
    /// The place, where there are several.
    package let subject: String?
    package let state: State
    /// What was found, in sentences.
    package let detail: String
    /// What closes it, in sentences; `nil` if it is closed.
    package let remedy: String?

    init(_ name: String, _ state: State, subject: String? = nil, _ detail: String, remedy: String? = nil) {
        (self.name, self.subject, self.state, self.detail) = (name, subject, state, detail)
        self.remedy = state == .closed ? nil : remedy
    }

    /// How many ways are in which state, as a sentence.
    package static func summary(of ways: [HardeningWay]) -> String {
        func count(_ state: State) -> Int { ways.count { $0.state == state } }
        return "Of \(ways.count) ways around policy that were looked for, \(count(.possible)) are possible here, "
            + "\(count(.closed)) closed, \(count(.unknown)) not known. Others exist."
    }
}
