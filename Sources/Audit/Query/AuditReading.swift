/// The records that were wanted, and the lines that are none.
package struct AuditReading: Hashable, Sendable {
    /// A line that is no record.
    package struct Problem: Hashable, Sendable {
        /// The line, counted from 1.
        package let line: Int
        /// What is wrong, without a full stop.
        package let message: String

        /// Makes a problem.
        package init(line: Int, message: String) {
            self.line = line
            self.message = message
        }
    }

    /// The most problems that are kept; more are only counted.
    static let problemLimit = 100

    /// The records, the newest last.
    package internal(set) var records: [AuditRecord] = []
    /// The first problems, in the order of the lines.
    package internal(set) var problems: [Problem] = []
    /// How many problems there are.
    package internal(set) var problemCount = 0

    /// Makes an empty reading.
    package init() {}

    /// Notes a problem.
    mutating func note(line: Int, _ message: String) {
        problemCount += 1
        if problems.count < AuditReading.problemLimit { problems.append(Problem(line: line, message: message)) }
    }
}
