import MDAuditLog

/// Limits how often each person may ask something: a bucket of tokens for each.
struct TokenBuckets {
    /// The most persons with a bucket of their own; the others share one.
    private static let capacity = 4_096

    /// How often.
    private let rate: TokenRate
    /// The buckets that are not full.
    private var buckets: [UInt32: TokenBucket] = [:]

    /// Makes full buckets.
    init(rate: TokenRate) { self.rate = rate }

    /// Takes tokens of a person, all or none.
    ///
    /// - Returns: whether there were enough.
    mutating func take(_ count: Int, of person: UInt32, now: Int64) -> Bool {
        var place = person
        if buckets[place] == nil, buckets.count >= TokenBuckets.capacity {
            buckets = buckets.filter { !$0.value.isFull(at: rate, now: now) }
            if buckets.count >= TokenBuckets.capacity { place = PersonalShares.anyone }
        }
        var bucket = buckets[place] ?? TokenBucket(full: rate, now: now)
        defer { buckets[place] = bucket }
        return bucket.take(count, at: rate, now: now)
    }
}
