import Foundation

/// Runs rows, several at a time.
package struct Runner: Sendable {
    /// The library that the rows are run against.
    private let subject: Subject
    /// The subject's driver, under the application's name.
    private let installation: Installation
    /// How many rows run at a time; most of their time is waiting.
    private static let width = 8

    /// Prepares to run.
    ///
    /// - Parameters:
    ///   - subject: the library that the rows are run against.
    ///   - driver: the subject's driver.
    /// - Throws: if the driver cannot be put under the application's name.
    package init(_ subject: Subject, driver: String) throws {
        self.subject = subject
        installation = try Installation(driver)
    }

    /// Runs the rows that are for the subject.
    ///
    /// Rows that are like another one have the same steps, which are done once for all of them.
    ///
    /// - Returns: each row with its verdict, in order.
    package func run(_ rows: [Row]) -> [(row: Row, verdict: Verdict)] {
        let rows = rows.filter { $0.only.contains(subject) }
        let distinct = Dictionary(rows.map { ($0.model.isEmpty ? $0.id : $0.model, $0) }) { first, _ in first }
        // What waits longest begins first.
        let order = distinct.keys.sorted { left, right in
            let patience = (distinct[left]?.patience ?? 0, distinct[right]?.patience ?? 0)
            return patience.0 == patience.1 ? left < right : patience.0 > patience.1
        }
        let state = State(count: order.count)
        let group = DispatchGroup()
        for _ in 0..<Runner.width {
            group.enter()
            Thread.detachNewThread {
                while let index = state.next() {
                    if let row = distinct[order[index]] { state.set(verdict(of: row), at: index) }
                }
                group.leave()
            }
        }
        group.wait()
        let verdicts = Dictionary(zip(order, state.verdicts)) { first, _ in first }
        return rows.map { ($0, verdicts[$0.model.isEmpty ? $0.id : $0.model] ?? .failed("not run")) }
    }

    /// Runs one row.
    private func verdict(of row: Row) -> Verdict {
        do {
            var run = try RowRun(row, against: subject, program: installation.program)
            return run.run()
        } catch {
            return .failed("\(error)")
        }
    }

    /// What the threads share.
    private final class State: @unchecked Sendable {
        /// Guards the rest.
        private let lock = NSLock()
        /// The next row that no thread has begun.
        private var index = 0
        /// The verdicts so far.
        private var results: [Verdict]

        /// Prepares for a number of rows.
        init(count: Int) {
            results = Array(repeating: .failed("not run"), count: count)
        }

        /// Takes a row.
        func next() -> Int? {
            lock.withLock {
                guard index < results.count else { return nil }
                index += 1
                return index - 1
            }
        }

        /// Notes a verdict.
        func set(_ verdict: Verdict, at index: Int) {
            lock.withLock { results[index] = verdict }
        }

        /// The verdicts when every thread has ended.
        var verdicts: [Verdict] { lock.withLock { results } }
    }
}
