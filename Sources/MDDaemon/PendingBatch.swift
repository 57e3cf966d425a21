import MDAuditClient

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
            /// Which marks were known before, after all were remembered.
            case marks([ServiceMark], known: [Bool])
        }

        /// The connection that it came over.
        let connection: Connection
        /// Its number; 0 if no answer is expected.
        let number: Int
        /// What is answered.
        let kind: Kind
        /// Its records in the batch that are stored as records of their own.
        var records: [Int] = []
        /// The number of attempts that those stand for.
        var storedAttempts = 0
        /// The number of attempts that were only counted.
        var countedAttempts = 0
    }

    /// The records, in order.
    var records: [AuditRecord] = []
    /// The requests, in order.
    var requests: [Request] = []
    /// The places of records that belong to no request of the batch: counts of earlier attempts.
    var counts: [Int] = []
    /// Whether an answer is expected.
    var isAwaited = false
    /// When the first record or request came, on the monotonic clock.
    var begin: Int64 = 0

    /// Whether there is nothing to do.
    var isEmpty: Bool { records.isEmpty && requests.isEmpty }

    /// Adds records of counted attempts.
    mutating func add(counts more: [AuditRecord], now: Int64) {
        if more.isEmpty { return }
        if isEmpty { begin = now }
        counts += records.count..<(records.count + more.count)
        records += more
    }

    /// Adds a request.
    mutating func add(_ request: Request, now: Int64) {
        if isEmpty { begin = now }
        requests.append(request)
        if request.number > 0 {
            isAwaited = true
            request.connection.waiting += 1
        }
    }
}
