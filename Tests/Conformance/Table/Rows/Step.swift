/// One line of a row: what a subject is asked to do, and what must be seen.
package struct Step: Sendable {
    /// The process that does it; the first is `A`.
    package let process: String
    /// Whether the step is repeated until it passes.
    package let isAwaited: Bool
    /// What is asked, with words and values in the order of the line.
    package let request: String
    /// What must be seen.
    package let expectation: Expectation
    /// The line in its file.
    package let line: Int
}
