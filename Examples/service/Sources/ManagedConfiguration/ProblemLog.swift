public import Logging
public import ManagedDefaults

extension ManagedDefaults {
    /// Logs problems of the library until the task is cancelled: a damaged file, a full disk, policy that is unknown.
    ///
    /// - Parameters:
    ///   - logger: the logger.
    ///   - interval: the time between two looks.
    public func logProblems(to logger: Logger, every interval: Duration = .seconds(5)) async {
        repeat {
            for problem in drainProblems() {
                logger.warning("\(problem.message)", metadata: ["kind": "\(problem.kind)"])
            }
            try? await Task.sleep(for: interval)
        } while !Task.isCancelled
        for problem in drainProblems() { logger.warning("\(problem.message)", metadata: ["kind": "\(problem.kind)"]) }
    }
}
