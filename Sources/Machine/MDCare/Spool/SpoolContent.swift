import MDAuditRecord
import MDEngine
import MDPlatform
import MDPropertyList

/// The content of a user's spool, and of the file beside it with the count of attempts that did not fit, as a child
/// process found it.
struct SpoolContent: Sendable {
    /// The attempts that did not fit, as the user's own program counts them.
    struct Overflow: Hashable, Sendable {
        /// When the first of them was made, by which one count differs from the next, in microseconds since 1970.
        var first: Int64
        /// When the last of them was made.
        var last: Int64
        /// Their number since then.
        var count: Int
    }

    /// The upper bound of counts of lines and of attempts that did not fit.
    static let largestCount = HomeAccess.largestCount
    /// The longest reason, in bytes.
    static let longestProblem = 1_024

    /// The records, in their order.
    var records: [AuditRecord] = []
    /// The number of lines that are not records of a user's program.
    var refused = 0
    /// The number of bytes of the spool that the records and the invalid lines take; those that were taken before
    /// included.
    var length = 0
    /// In a spool that is longer than what is read, the number of bytes behind them that were read and not parsed yet.
    var rest = 0
    /// The number of bytes behind those, which no program writes, and which count as one line that is not a record.
    var surplus = 0
    /// The digest of the first ``length`` bytes.
    var digest = SHA256.hash([])
    /// The attempts that did not fit; `nil` if there were none.
    var overflow: Overflow?
    /// Why a file was not read, as the end of a sentence; `nil` if all was read.
    var problem: String?

    /// Makes an empty result.
    init() {}

    /// The result as bytes.
    var encoded: [UInt8] {
        var frame = SpoolFrameWriter()
        frame.number(refused)
        frame.number(length)
        frame.number(rest)
        frame.number(surplus)
        frame.data(digest.bytes)
        frame.optional(overflow?.first)
        if let overflow {
            frame.number(overflow.last)
            frame.number(overflow.count)
        }
        frame.text(problem)
        frame.number(records.count)
        for record in records { frame.record(record) }
        return frame.bytes
    }

    /// Reads a result; `nil` for anything that ``encoded`` does not make.
    init?(_ bytes: [UInt8]) {
        var frame = SpoolFrameReader(bytes)
        do throws(SpoolFrameReader.Malformed) {
            refused = try frame.number(in: 0...SpoolContent.largestCount)
            length = try frame.number(in: 0...SpoolContent.largestCount)
            rest = try frame.number(in: 0...SpoolReader.mostBytes)
            surplus = try frame.number(in: 0...SpoolContent.largestCount)
            guard let digest = try frame.digest() else { return nil }
            self.digest = digest
            if let first = try frame.time() {
                overflow = Overflow(
                    first: first.microseconds, last: try frame.number(in: Timestamp.range),
                    count: try frame.number(in: 0...SpoolContent.largestCount))
            }
            problem = try frame.text()
            guard problem?.utf8.count ?? 0 <= SpoolContent.longestProblem else { return nil }
            let count = try frame.number(in: 0...SpoolReader.mostRecords)
            for _ in 0..<count {
                let record = try frame.record()
                guard record.isSpoolable else { return nil }
                records.append(record)
            }
        } catch {
            return nil
        }
        guard frame.isAtEnd else { return nil }
    }
}

extension AuditRecord {
    /// Whether a program without the right to write the log makes such records.
    ///
    /// Records about the log itself and about policy files are root's: a spool with one is not believed.
    var isSpoolable: Bool {
        guard via?.isKnown ?? true, outcome?.isKnown ?? true, (0...AuditRecord.mostEqualAttempts).contains(count ?? 1)
        else { return false }
        return [.override, .grant, .damaged].contains(kind) || setOnceMark != nil
    }

    /// The record with only what a log of this version holds, each value as short as programs write it.
    var spoolable: AuditRecord {
        var record = self
        (record.extra, record.seq) = ([], 0)
        for path in [\AuditRecord.forced, \.tried] {
            if case .full(let value) = record[keyPath: path] { record[keyPath: path] = ValueSummary(value) }
        }
        return record
    }

    /// The record as the log gets it, with the owner of the home as its user and the time of the transfer as its time.
    ///
    /// Neither the user nor the time that it names counts: the age of the log's records decides what is deleted.
    ///
    /// - Parameters:
    ///   - account: the user.
    ///   - host: the name of this host.
    ///   - now: the time.
    /// - Returns: the record.
    func taken(ofSpoolOf account: Account, host: String, at now: Timestamp) -> AuditRecord {
        var record = spoolable
        (record.first, record.last) = (record.first ?? record.time, record.last ?? record.time)
        record.time = now
        record.boundClaimedTimes(to: now)
        var claims: [String] = []
        if let claimed = record.host, Key(claimed) != Key(host) { claims.append("host \(claimed)") }
        if let uid = record.uid, uid != account.uid { claims.append("uid \(uid)") }
        if let auid = record.auid, auid != account.uid {
            claims.append("login uid \(auid)")
            record.auid = nil
        }
        (record.src, record.uid, record.user, record.host) = (.spool, account.uid, account.name, host)
        if !claims.isEmpty { record.add(claims: claims) }
        return record
    }
}
