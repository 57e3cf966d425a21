import MDPlatform

/// When a host that runs on has its turns: each minute, at a second of its own in each boot, and at once if the centre has
/// news.
package struct HostSchedule: Sendable {
    /// The time between turns, in microseconds.
    private static let interval: Int64 = 60_000_000
    /// The least time between turns.
    private static let least: Int64 = 1_000_000

    /// The place of this host in the minute, so that hosts that start together do not ask together.
    private let offset: Int64

    package init(_ host: FleetHost, boot: String?) {
        let digest = SHA256.hash(Array("\(host) \(boot ?? "")".utf8)).bytes.prefix(4)
        offset = digest.reduce(Int64(0)) { $0 << 8 | Int64($1) } * 1_000 % HostSchedule.interval
    }

    /// How long to wait for the next turn, in microseconds.
    ///
    /// - Parameter now: the monotonic clock, in microseconds.
    /// - Returns: the time, at least a second.
    package func pause(now: Int64) -> Int64 {
        let since = (now + HostSchedule.interval - offset) % HostSchedule.interval
        return max(HostSchedule.interval - since, HostSchedule.least)
    }

    /// Waits for the next turn, or for news.
    ///
    /// - Parameter transport: the way to the centre; `nil` to wait without it.
    package func wait(for transport: (any CentreTransport)?) {
        let start = Clock.monotonicMicroseconds()
        let end = start + pause(now: start)
        let hasNews = transport?.awaitNews(seconds: Int((end - start) / 1_000_000)) ?? false
        let next = hasNews ? start + HostSchedule.least : end
        while true {
            let left = next - Clock.monotonicMicroseconds()
            if left <= 0 { return }
            Clock.pause(microseconds: left)
        }
    }
}
