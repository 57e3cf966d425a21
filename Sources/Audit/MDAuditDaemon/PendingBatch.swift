import MDAuditClient
import MDAuditLog
import MDAuditRecord

/// The records that are written next, and the requests whose answers wait for it.
struct PendingBatch {
    /// A request that is answered when the records are on disk.
    struct Request {
        /// The kinds of answers.
        enum Kind {
            /// The places of records.
            case attempts
            /// The totals of the connection.
            case health
            /// Which marks of a user were known before, after all were remembered.
            case marks([SetOnceMark], known: [Bool], of: UInt32)
        }

        /// The connection that it came over.
        let connection: Connection
        /// Its number; 0 if no answer is expected.
        let number: Int
        /// What is answered.
        let kind: Kind
        /// The places in the batch of its records that are stored as records of their own, with counts of earlier attempts
        /// between them.
        var places: Range<Int>?
        /// The number of those records.
        var records = 0
        /// The number of attempts that those stand for.
        var storedAttempts = AttemptCount()
        /// The number of attempts that were only counted.
        var countedAttempts = AttemptCount()

        /// Adds the record at a place of the batch, with the attempts that it counts.
        mutating func add(_ place: Int, _ attempts: AttemptCount = AttemptCount()) {
            places = (places?.lowerBound ?? place)..<(place + 1)
            records += 1
            storedAttempts += attempts
        }
    }

    /// The records, in order.
    var entries = LogEntries()
    /// Of each record what it settles.
    var shares: [SenderLedger.Share] = []
    /// The requests, in order.
    var requests: [Request] = []
    /// The places of records that belong to no request of the batch: counts of earlier attempts.
    var counts: [Int] = []
    /// The number of requests that expect an answer.
    private(set) var awaited = 0
    /// When the first request or count came, on the monotonic clock; `nil` before.
    private(set) var begin: Int64?

    /// Makes an empty batch.
    init() {}

    /// Makes an empty batch with room for as much as another one has.
    init(like other: PendingBatch) {
        entries.reserve(like: other.entries)
        shares.reserveCapacity(other.shares.count)
        requests.reserveCapacity(other.requests.count)
    }

    /// Whether there is nothing to do.
    var isEmpty: Bool { entries.isEmpty && requests.isEmpty }

    /// Adds a record that is not a count.
    ///
    /// - Returns: its place.
    mutating func add(_ record: AuditRecord, _ share: SenderLedger.Share) -> Int {
        entries.append(record)
        shares.append(share)
        return entries.count - 1
    }

    /// Adds records of counted attempts.
    mutating func add(counts more: [JoinedAttempts], now: Int64) {
        if more.isEmpty { return }
        begin = begin ?? now
        for joined in more {
            counts.append(add(joined.record, .init(connection: joined.sender, attempts: joined.attempts)))
        }
    }

    /// Adds a request.
    mutating func add(_ request: Request, now: Int64) {
        begin = begin ?? now
        requests.append(request)
        if request.number > 0 {
            awaited += 1
            request.connection.waiting += 1
        }
    }
}
