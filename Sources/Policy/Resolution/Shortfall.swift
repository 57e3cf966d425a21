/// Why a forced key has less than the value that policy gives it; the raw value is what JSON has as `shortfall`.
package enum Shortfall: String, Sendable {
    /// A variable that nobody can tell of the subject: what it stands in is missing, most often the whole value.
    case variable
    /// A grant of which nobody can tell whether it was given to the subject.
    case grant
    /// Files that say different things of the key, and of one of them nobody can tell whether it counts.
    case doubt
}

extension Shortfall {
    /// What is missing, in words, for those who read the value.
    package var words: String {
        switch self {
        case .variable: "without what needs a variable that is not known here"
        case .grant: "without its value: nobody can tell whether this user was granted it"
        case .doubt: "without a value: nobody can tell which of several files counts here"
        }
    }
}
