import Foundation
import MDConformanceTable

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

/// The results of all subjects as text.
struct Report {
    /// The lines of the table.
    private var lines: [String] = []
    /// The rows that did not pass.
    private var details: [String] = []
    /// Whether every row of this package's own subjects passed.
    private(set) var isFine = true

    /// Adds what a subject came to.
    mutating func add(_ subject: Subject, _ results: [(row: Row, verdict: Verdict)]) {
        var passed = 0
        var failed = 0
        var missing = 0
        for (row, verdict) in results {
            switch verdict {
            case .passed: passed += 1
            case .failed(let reason):
                failed += 1
                details.append("\(subject.title): \(row.group) \(row.id) failed: \(reason)")
            case .missing(let member):
                missing += 1
                details.append("\(subject.title): \(row.group) \(row.id) missing: \(member)")
            }
        }
        if subject.isOurs, passed < results.count { isFine = false }
        lines.append("| \(subject.title) | \(passed) | \(failed) | \(missing) | \(results.count) |")
    }

    /// Notes and prints why a subject was not run.
    mutating func skip(_ subject: Subject, _ reason: String) {
        if subject.isOurs { isFine = false }
        print("skipped: \(subject.title): \(reason)")
        lines.append("| \(subject.title) | not run: \(reason) | | | |")
    }

    /// The table in Markdown.
    var table: String {
        (["| by | rows passed | failed | missing | of |", "| --- | ---: | ---: | ---: | ---: |"] + lines)
            .joined(separator: "\n")
    }

    /// A line for each row that did not pass.
    var detail: String {
        details.joined(separator: "\n")
    }
}
