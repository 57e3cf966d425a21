/// Limits how often each user may do something: a bucket of tokens for each, which fills at a constant rate.
struct TokenBuckets {
    /// The tokens of a user.
    private struct Bucket {
        /// Millionths of a token, at `time`.
        var tokens: Int64
        /// When they were counted, in microseconds.
        var time: Int64
    }

    /// The most users with a bucket of their own; the others share one.
    private static let capacity = 4_096
    /// The key of the bucket that the others share, which is no user's.
    private static let shared = UInt32.max
    /// A token.
    private static let unit: Int64 = 1_000_000

    /// Tokens that are added in a second.
    private let rate: Int64
    /// The most tokens of a bucket.
    private let burst: Int64
    /// The buckets that are not full.
    private var buckets: [UInt32: Bucket] = [:]

    /// Makes full buckets.
    init(rate: Int, burst: Int) {
        (self.rate, self.burst) = (Int64(max(rate, 0)), Int64(max(burst, 1)))
    }

    /// Takes tokens of a user, all or none.
    ///
    /// - Returns: whether there were enough.
    mutating func take(_ count: Int, of uid: UInt32, now: Int64) -> Bool {
        var key = uid
        if buckets[key] == nil, buckets.count >= TokenBuckets.capacity {
            removeFull(now: now)
            if buckets.count >= TokenBuckets.capacity { key = TokenBuckets.shared }
        }
        var bucket = filled(buckets[key], now: now)
        let price = Int64(max(count, 0)) * TokenBuckets.unit
        let isEnough = bucket.tokens >= price
        if isEnough { bucket.tokens -= price }
        buckets[key] = bucket
        return isEnough
    }

    /// A bucket as it is now.
    private func filled(_ bucket: Bucket?, now: Int64) -> Bucket {
        let most = burst * TokenBuckets.unit
        guard let bucket else { return Bucket(tokens: most, time: now) }
        let (added, isOver) = max(now - bucket.time, 0).multipliedReportingOverflow(by: rate)
        return Bucket(tokens: isOver ? most : min(most, bucket.tokens + min(added, most)), time: now)
    }

    /// Removes the buckets that are full again.
    private mutating func removeFull(now: Int64) {
        let most = burst * TokenBuckets.unit
        buckets = buckets.filter { filled($0.value, now: now).tokens < most }
    }
}
