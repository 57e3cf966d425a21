public import Logging
public import ManagedDefaults

extension ManagedDefaults {
    /// Logs problems of the library until the task is cancelled: a damaged file, a full disk, policy that is unknown.
    ///
    /// - Parameter logger: the logger.
    public func logProblems(to logger: Logger) async {
        for await problem in problems { logger.warning("\(problem)") }
        for problem in drainProblems() { logger.warning("\(problem)") }
    }
}
