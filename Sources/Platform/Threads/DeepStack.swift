import CPlatform

/// Runs what takes some stack where there is enough of it, in a process that was started with very little.
///
/// A program whose stack ends while it reads policy would be ended by a signal; whoever starts it decides how much it has.
package enum DeepStack {
    /// Whether the process was started with too little stack.
    private static let isScarce = cplatform_is_stack_scarce() != 0

    /// Runs work: here where there is stack, else on a thread that has some, while the caller waits.
    ///
    /// - Parameter work: the work, which must not take a lock that the caller holds.
    /// - Returns: its result; `nil` where there is little stack, and the system grants no thread.
    package static func run<Success: Sendable>(_ work: @escaping @Sendable () -> Success) -> Success? {
        guard isScarce else { return work() }
        return runOnThread(work)
    }

    /// Runs work on a thread, while the caller waits; `nil` where the system grants none.
    static func runOnThread<Success: Sendable>(_ work: @escaping @Sendable () -> Success) -> Success? {
        let result = Monitor<Success?>(nil)
        let thread = BackgroundThread.start("defaults-deep") {
            let success = work()
            result.withLock { $0 = success }
        }
        guard thread != nil else { return nil }
        result.wait { $0 != nil }
        return result.withLock { $0 }
    }
}
