package import Platform

/// Where a user's marks are kept.
package protocol SetOnceBook: Sendable {
    /// The marks, oldest first.
    func marks() throws(SystemError) -> [SetOnceMark]

    /// Changes the marks while no other process does.
    ///
    /// - Parameter body: takes the marks and returns those that are to be kept; `nil` changes nothing.
    /// - Throws: where the marks could not be read or kept; what `body` did stays done.
    func update(_ body: ([SetOnceMark]) -> [SetOnceMark]?) throws(SystemError)
}

/// The marks of a user without files, for the tests of applications.
package final class MemorySetOnceBook: SetOnceBook {
    /// The marks.
    private let state = Guarded<[SetOnceMark]>([])

    /// Makes an empty book.
    package init() {}

    /// The marks.
    package func marks() throws(SystemError) -> [SetOnceMark] { state.withLock { $0 } }

    /// Changes the marks.
    package func update(_ body: ([SetOnceMark]) -> [SetOnceMark]?) throws(SystemError) {
        let new = body(state.withLock { $0 })
        if let new { state.withLock { $0 = new } }
    }
}
