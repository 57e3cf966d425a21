/// A line of the user or group list that was skipped.
package struct AccountProblem: Hashable, Sendable {
    /// The file as people are shown it.
    package let file: String
    /// The line, counted from 1; 0 for the file as a whole.
    package let line: Int
    /// What is wrong, as a sentence without its full stop.
    package let message: String
}

extension AccountProblem: CustomStringConvertible {
    /// The problem with its place: `file:line: message`.
    package var description: String {
        let place = line > 0 ? "\(file):\(line)" : file
        return "\(Printable.escape(place)): \(Printable.escape(message))"
    }
}
