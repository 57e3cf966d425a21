/// How often something may be done: in the long run, and at once.
package struct TokenRate: Hashable, Sendable {
    /// Tokens that are added in a second.
    let perSecond: Int64
    /// The most tokens of a bucket.
    let burst: Int64

    /// Makes a rate.
    package init(perSecond: Int, burst: Int) {
        (self.perSecond, self.burst) = (Int64(max(perSecond, 0)), Int64(max(burst, 1)))
    }
}

/// A bucket of tokens, which fills at a constant rate.
package struct TokenBucket: Hashable, Sendable {
    /// A token.
    private static let unit: Int64 = 1_000_000

    /// Millionths of a token, at `time`.
    private(set) var tokens: Int64
    /// When they were counted, in microseconds on the monotonic clock.
    private(set) var time: Int64

    /// Makes a full bucket.
    package init(full rate: TokenRate, now: Int64) {
        (tokens, time) = (rate.burst * TokenBucket.unit, now)
    }

    /// Makes a bucket as it was noted.
    init(tokens: Int64, time: Int64) { (self.tokens, self.time) = (tokens, time) }

    /// Takes tokens, all or none.
    ///
    /// - Returns: whether there were enough.
    package mutating func take(_ count: Int, at rate: TokenRate, now: Int64) -> Bool {
        fill(at: rate, now: now)
        let price = Int64(clamping: max(count, 0)).multipliedReportingOverflow(by: TokenBucket.unit)
        guard !price.overflow, tokens >= price.partialValue else { return false }
        tokens -= price.partialValue
        return true
    }

    /// Takes away what was taken elsewhere, in millionths of a token.
    mutating func lose(_ amount: Int64) { tokens = max(tokens - max(amount, 0), 0) }

    /// The number of whole tokens now.
    func whole(at rate: TokenRate, now: Int64) -> Int {
        var bucket = self
        bucket.fill(at: rate, now: now)
        return Int(clamping: bucket.tokens / TokenBucket.unit)
    }

    /// Whether the bucket is full now.
    package func isFull(at rate: TokenRate, now: Int64) -> Bool { whole(at: rate, now: now) >= rate.burst }

    /// Adds what flowed in since the last time.
    private mutating func fill(at rate: TokenRate, now: Int64) {
        let most = rate.burst * TokenBucket.unit
        let (added, isOver) = max(now.subtractingReportingOverflow(time).partialValue, 0)
            .multipliedReportingOverflow(by: rate.perSecond)
        tokens = isOver ? most : min(most, max(tokens, 0) + min(added, most))
        time = now
    }
}
