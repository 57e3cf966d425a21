import ConformanceTable
import Foundation

/// Runs the table against several subjects at the same time, because most of their time is waiting.
final class Comparison: @unchecked Sendable {
    /// The subjects, in the order of the report.
    private let subjects: [Subject]
    /// The rows.
    private let rows: [Row]
    /// Guards the results.
    private let lock = NSLock()
    /// What each subject came to.
    private var results: [Subject: Result<[(row: Row, verdict: Verdict)], any Error>] = [:]

    /// Prepares a comparison.
    init(of subjects: [Subject], with rows: [Row]) {
        self.subjects = subjects
        self.rows = rows
    }

    /// Runs every subject and reports.
    func run() -> Report {
        let group = DispatchGroup()
        for subject in subjects {
            group.enter()
            Thread.detachNewThread { [self] in
                let result = Result {
                    try Runner(subject, driver: try Drivers.besideThisProgram.path(of: subject)).run(rows)
                }
                lock.withLock { results[subject] = result }
                group.leave()
            }
        }
        group.wait()
        var report = Report()
        for subject in subjects {
            switch results[subject] {
            case .success(let rows)?: report.add(subject, rows)
            case .failure(let reason)?: report.skip(subject, "\(reason)")
            case nil: break
            }
        }
        return report
    }
}
