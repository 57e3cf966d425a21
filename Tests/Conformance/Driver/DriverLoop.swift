package import ConformanceTable
import Foundation

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
