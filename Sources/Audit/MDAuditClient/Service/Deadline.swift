import MDPlatform

/// The moment after which nothing is waited for any more, on the monotonic clock.
struct Deadline: Hashable, Sendable {
    /// Microseconds since the machine started.
    private let end: Int64

    /// A time from now on.
    init(milliseconds: Int) {
        end = Clock.monotonicMicroseconds() + Int64(max(milliseconds, 0)) * 1_000
    }

    /// The milliseconds that are left; 0 if it has passed.
    var milliseconds: Int { Int(max(end - Clock.monotonicMicroseconds(), 0) / 1_000) }

    /// The seconds that are left; 0 if it has passed.
    var seconds: Double { seconds(until: 0) }

    /// The seconds that are left until some seconds after it; 0 if those have passed.
    func seconds(until later: Double) -> Double {
        max(Double(end - Clock.monotonicMicroseconds()) / 1_000_000 + later, 0)
    }
}
