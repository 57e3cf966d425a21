import Glibc
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPropertyList

/// Writes logs for the checks by another implementation and for measurements.
///
///     log-generator write ROOT COUNT [BATCH]    appends COUNT records in batches, and prints the time of the processor
///     log-generator prove ROOT COUNT SEGMENT    appends one by one, and prints all proofs of every state
///     log-generator verify ROOT                 checks the log, and prints the time and the memory
@main
struct LogGenerator {
    /// Runs one command.
    static func main() throws {
        let words = CurrentProcess.arguments
        guard words.count >= 2 else { return fail("usage: log-generator write|prove|verify ROOT …") }
        let root = try Root(directory: words[1])
        let numbers = words.dropFirst(2).compactMap { Int($0) }
        switch (words[0], numbers.count) {
        case ("write", 1), ("write", 2): try write(root, numbers[0], batch: numbers.count > 1 ? numbers[1] : 256)
        case ("prove", 2): try prove(root, numbers[0], segment: numbers[1])
        case ("verify", 0): try verify(root)
        default: fail("usage: log-generator write|prove|verify ROOT …")
        }
    }

    /// Says what is wrong.
    private static func fail(_ text: String) {
        try? StandardStream.error.write(Array("\(text)\n".utf8))
        ProcessExit.end(2)
    }

    /// Writes a line to standard output.
    private static func print(_ text: String) throws {
        try StandardStream.output.write(Array("\(text)\n".utf8))
    }

    /// The time that the processors have worked for this process.
    private static func processorMicroseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    /// A record as the audit service writes it.
    private static func record(_ number: Int) -> AuditRecord {
        var record = AuditRecord(kind: .override, src: .client)
        (record.time, record.mono) = (Timestamp(microseconds: 1_790_000_000_000_000 + Int64(number) * 1_000), number)
        (record.boot, record.host) = ("1c9ff1e5-3d2a-4a54-8f09-1f7a3c5d2b11", "room1-pc03")
        (record.uid, record.user, record.auid) = (UInt32(1_000 + number % 2_000), "user\(number % 2_000)", 1_000)
        (record.session, record.pid, record.start) = (3, Int32(2_000 + number % 30_000), UInt64(100_000 + number))
        (record.exe, record.unit, record.via) = ("/usr/bin/browser", "session-3.scope", .set)
        record.domain = Key("org.example.App\(number % 40)")
        record.key = Key("Key\(number % 60)")
        record.forced = ValueSummary(.string("https://start.school.example/"))
        record.tried = ValueSummary(.string("https://games.example/\(number)"))
        record.outcome = .refused
        return record
    }

    /// Appends records in batches.
    private static func write(_ root: Root, _ count: Int, batch: Int) throws {
        var session = try LogSession.open(root: root)
        let first = session.size
        let all = (0..<256).map { record($0) }
        let (begin, time) = (processorMicroseconds(), Clock.monotonicMicroseconds())
        var written = 0
        while written < count {
            let size = min(batch, count - written)
            let records = (0..<size).map { all[(written + $0) % all.count] }
            _ = try session.append(records)
            written += size
            if written / 100_000 != (written - size) / 100_000 { _ = session.checkpoint() }
        }
        _ = session.checkpoint()
        let spent = processorMicroseconds() - begin
        try print(
            "\(count) records after \(first): \(Double(spent) / Double(count)) us of the processor each, "
                + "\(Double(Clock.monotonicMicroseconds() - time) / 1_000_000) s")
    }

    /// Appends one record at a time, and prints the checkpoint and all proofs of each state in Base64.
    private static func prove(_ root: Root, _ count: Int, segment: Int) throws {
        var limits = LogLimits()
        limits.segment = segment
        for number in 1...count {
            try AuditLog(root: root, limits: limits).append([record(number)])
            var prover = try LogProver(root: root)
            try print("checkpoint \(number) \(Base64.encode(Array(prover.checkpoint.text.utf8)))")
            for seq in 1...number {
                let hashes = try prover.inclusion(of: seq).map { Base64.encode($0.bytes) }
                try print("inclusion \(number) \(seq - 1) \(hashes.joined(separator: ","))")
                let joined = try prover.consistency(from: seq, to: number).map { Base64.encode($0.bytes) }
                try print("consistency \(number) \(seq) \(joined.joined(separator: ","))")
            }
        }
    }

    /// Checks the log.
    private static func verify(_ root: Root) throws {
        let (begin, time) = (processorMicroseconds(), Clock.monotonicMicroseconds())
        let result = AuditVerifier.verify(root: root)
        let seconds = Double(Clock.monotonicMicroseconds() - time) / 1_000_000
        let spent = Double(processorMicroseconds() - begin) / 1_000_000
        try print("\(result.status) \(result.records) records: \(seconds) s, \(spent) s of the processor")
    }
}
