import Foundation
import Synchronization

/// Processor time, of user and system together.
package struct ProcessorTime: Sendable, Comparable {
    /// The time in nanoseconds.
    package var nanoseconds: Int64 = 0

    /// No time.
    package init() {}

    /// The time of a report of the kernel.
    init(_ usage: rusage) {
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        nanoseconds = (Int64(seconds) * 1_000_000 + Int64(microseconds)) * 1_000
    }

    /// What this thread took up to now.
    package static var thread: ProcessorTime {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        var result = ProcessorTime()
        result.nanoseconds = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        return result
    }

    /// What this process and the children that it waited for took up to now.
    package static var process: ProcessorTime {
        var (own, children) = (rusage(), rusage())
        getrusage(RUSAGE_SELF.rawValue, &own)
        getrusage(RUSAGE_CHILDREN.rawValue, &children)
        return ProcessorTime(own) + ProcessorTime(children)
    }

    /// The sum of times.
    package final class Sum: Sendable {
        /// Nanoseconds.
        private let value = Atomic<Int64>(0)

        /// Begins with none.
        package init() {}

        /// Adds a time.
        package func add(_ time: ProcessorTime) { value.add(time.nanoseconds, ordering: .relaxed) }

        /// The sum up to now.
        package var total: ProcessorTime {
            var result = ProcessorTime()
            result.nanoseconds = value.load(ordering: .relaxed)
            return result
        }
    }

    /// Where the programs that a test runs add their time.
    @TaskLocal package static var children: Sum?

    /// Seconds.
    package var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Adds two times.
    package static func + (left: ProcessorTime, right: ProcessorTime) -> ProcessorTime {
        var result = left
        result.nanoseconds += right.nanoseconds
        return result
    }

    /// The difference of two times.
    package static func - (left: ProcessorTime, right: ProcessorTime) -> ProcessorTime {
        var result = left
        result.nanoseconds -= right.nanoseconds
        return result
    }

    /// Compares two times.
    package static func < (left: ProcessorTime, right: ProcessorTime) -> Bool { left.nanoseconds < right.nanoseconds }
}
