import Foundation
package import MDConformanceTable
import Synchronization

/// Reads requests from standard input and prints an answer line for each.
package enum DriverLoop {
    /// Answers until standard input ends.
    ///
    /// - Parameter answer: does one step; is given the operation, the name of the object that is meant, and the rest.
    package static func run(_ answer: (Request) throws -> Answer) {
        // A subject that hangs in a loop ends by itself, so that it costs its row only.
        var limit = rlimit(rlim_cur: 20, rlim_max: 20)
        setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit)
        while let line = readLine() {
            print(reply(to: line, answer))
            fflush(nil)
        }
    }

    /// The answer to one line.
    private static func reply(to line: String, _ answer: (Request) throws -> Answer) -> Answer {
        do {
            var request = try Request(line)
            if request.operation == "pause" {
                RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01))
                usleep(2000)
                return .done("")
            }
            if request.operation == "mutate" {
                MutableValue.mutateLast()
                return .done("")
            }
            if request.operation == "kind" {
                let (nested, _) = try request.nested()
                request = nested
                let found = try answer(request)
                if case .value(let value) = found { return .value(.string(DriverLoop.kind(of: value))) }
                return found
            }
            return try answer(request)
        } catch let missing as Missing {
            return .missing(missing.member)
        } catch {
            return .failed("\(error)")
        }
    }

    /// The documents' word for the class of a value.
    private static func kind(of value: Wire) -> String {
        switch value {
        case .string: "NSString"
        case .integer, .real, .boolean: "NSNumber"
        case .date: "NSDate"
        case .data: "NSData"
        case .array: "NSArray"
        case .dictionary: "NSDictionary"
        case .nothing: "nil"
        case .foreign(let word): word
        }
    }

    /// How long to wait for what a subject does by itself, in seconds.
    package static let patience = Double(ProcessInfo.processInfo.environment["CONFORMANCE_PATIENCE"] ?? "") ?? 3

    /// Waits until a condition holds or patience ends, with the run loop running.
    package static func wait(until condition: () -> Bool) {
        let end = ContinuousClock.now + .seconds(patience)
        while !condition(), ContinuousClock.now < end {
            RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01))
            usleep(1000)
        }
    }
}

/// Counts calls of several threads.
///
/// Atomic, because the thread sanitizer understands that and not `Synchronization.Mutex`.
package final class Counter: Sendable {
    /// The number of calls.
    private let number = Atomic(0)

    /// Makes a counter at 0.
    package init() {}

    /// The number of calls.
    package var count: Int { number.load(ordering: .sequentiallyConsistent) }

    /// Counts one.
    package func increase() {
        number.add(1, ordering: .sequentiallyConsistent)
    }
}

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

/// Counts notifications of one name.
final class NotificationRecord: @unchecked Sendable {
    /// Guards the rest.
    private let lock = NSLock()
    /// Keeps the observation.
    private var observer: (any NSObjectProtocol)?
    /// How many came.
    private var received = 0
    /// Whose object the last one had, and whether it had a userInfo.
    private var lastOne = Wire.nothing

    /// How many came.
    var count: Int { lock.withLock { received } }

    /// What the last one was like.
    var last: Wire { lock.withLock { lastOne } }

    /// Begins to count.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - object: the object of the notifications that count.
    func begin(_ name: Notification.Name, object: AnyObject) {
        let expected = ObjectIdentifier(object)
        observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
            [self] notification in
            let isObject = (notification.object as AnyObject?).map { ObjectIdentifier($0) == expected } ?? false
            let hasInfo = !(notification.userInfo ?? [:]).isEmpty
            lock.withLock {
                received += 1
                lastOne = .dictionary(["isObject": .boolean(isObject), "hasUserInfo": .boolean(hasInfo)])
            }
        }
    }
}
