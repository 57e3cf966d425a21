/// Why a forced key has less than the value that policy gives it, because something is unknown; the raw value is what JSON has as `shortfall`.
package enum Shortfall: String, Sendable {
    /// A variable is unknown of the subject: what it is part of is missing, most often the whole value.
    case variable
    /// A file for some users or groups lists the key, and who the user is is unknown.
    case user
    /// Policy could not be read, so every key counts as forced.
    case policy
}

extension Shortfall {
    /// What is missing, in words, for those who read the value.
    package var words: String {
        switch self {
        case .variable: "without what needs a variable that is unknown here"
        case .user: "without a value: a policy file for some users lists it, and who this user is is unknown here"
        case .policy: "without a value: policy could not be read"
        }
    }
}
