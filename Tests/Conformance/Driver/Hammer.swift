import Foundation

/// Sets and reads from many threads at once.
package enum Hammer {
    /// How many threads there are.
    private static let threads = 8
    /// How often each sets and reads.
    private static let rounds = 200

    /// Lets all threads read at the same moment, the first moment at which anything is read.
    ///
    /// - Parameter read: what a thread reads.
    /// - Returns: whether each read 1.
    package static func race(_ read: @escaping @Sendable () -> Int) -> Bool {
        let group = DispatchGroup()
        let ready = Counter()
        let right = Counter()
        for _ in 0..<threads {
            group.enter()
            Thread.detachNewThread {
                ready.increase()
                while ready.count < threads { sched_yield() }
                if read() == 1 { right.increase() }
                group.leave()
            }
        }
        group.wait()
        return right.count == threads
    }

    /// Runs the threads.
    ///
    /// - Parameter exchange: sets a key to a number and gives what is read for it.
    /// - Returns: whether every thread always read what it had set last.
    package static func run(_ exchange: @escaping @Sendable (String, Int) -> Int) -> Bool {
        let group = DispatchGroup()
        let lock = NSLock()
        nonisolated(unsafe) var isRight = true
        for thread in 0..<threads {
            group.enter()
            Thread.detachNewThread {
                for round in 0..<rounds where exchange("thread\(thread)", round) != round {
                    lock.withLock { isRight = false }
                }
                group.leave()
            }
        }
        group.wait()
        return lock.withLock { isRight }
    }
}
