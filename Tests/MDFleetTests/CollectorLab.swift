import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDFleet
import MDPlatform
import MDTestSupport
import Testing

/// A centre in a folder, and hosts whose files a test puts there.
final class CollectorLab {
    private let folder: TemporaryFolder
    let root: Root
    /// The centre's clock, which a test moves on.
    var now = Timestamp(microseconds: 1_795_000_000_000_000)

    init() throws {
        folder = try TemporaryFolder(named: "centre")
        root = try Root(directory: folder.path)
        try root.createDirectory(CentreFolder.spool, mode: 0o755)
    }

    static func host(_ name: String) throws -> FleetHost { try #require(FleetHost(name)) }

    /// Puts a file of a host.
    func put(_ bytes: [UInt8], _ kind: SpoolName.Kind, of name: String = "pc01") throws {
        try root.replace(
            SpoolName(try CollectorLab.host(name), kind).path, with: bytes, mode: 0o644, durable: false)
    }

    /// Puts a batch of a host.
    func put(_ batch: RecordBatch, of name: String = "pc01") throws {
        try put(try Gzip.pack(batch.bytes), .batch, of: name)
    }

    /// Puts a status of a host.
    func put(
        status name: String, machine: String? = nil, _ say: (inout HostStatus) -> Void = { _ in }
    ) throws {
        let own = name == "pc01" ? "0123456789abcdef0123.-.-" : "\(SHA256.hash(Array(name.utf8)).hex.prefix(20)).-.-"
        var status = HostStatus(host: try CollectorLab.host(name), time: now, machine: machine ?? own, version: "0.1.0")
        say(&status)
        try put(status.bytes, .status, of: name)
    }

    /// Runs a round a minute later.
    @discardableResult func collect() throws -> CollectorRound {
        now = Timestamp(microseconds: now.microseconds + 60_000_000)
        return try Collector.run(root, now: now)
    }

    /// An administrator accepts a host.
    func accept(_ name: String = "pc01", _ reason: String = "looked at") throws -> String? {
        try HostAcceptance.accept(try CollectorLab.host(name), reason: reason, now: now, at: root)
    }

    func acknowledgement(_ name: String = "pc01") throws -> Acknowledgement? {
        let path = CentreFolder.acknowledgement(try CollectorLab.host(name))
        return (try? root.read(path, limit: 1_024).bytes).flatMap { Acknowledgement($0) }
    }

    func head(_ name: String = "pc01") throws -> HostHead {
        try HostHead(try root.read(CentreFolder.head(try CollectorLab.host(name)), limit: 1 << 16).bytes)
    }

    /// What the spool still has.
    var spool: [String] { get throws { try root.names(in: CentreFolder.spool) } }

    /// The root whose log is the copy of a host's log.
    func mirror(_ name: String = "pc01") throws -> Root {
        try Root(directory: root.display(CentreFolder.folder(try CollectorLab.host(name))))
    }

    /// The records of the copy after all segments.
    func lines(_ name: String = "pc01") throws -> [[UInt8]] {
        try mirror(name).read(AuditLog.path, limit: 1 << 24).bytes.split(separator: 0x0a).map(Array.init)
    }

    func verify(_ name: String = "pc01") throws -> LogVerification.Status {
        AuditVerifier.verify(root: try mirror(name)).status
    }
}

/// A log as a host has it, from which batches are made.
struct HostLog {
    let origin: String
    var lines: [[UInt8]] = []

    init(_ records: Int = 0, id: String = "0a") {
        origin = "managed-defaults/pc01/\(String(repeating: id, count: 16))"
        grow(by: records)
    }

    var id: String { String(origin.suffix(32)) }

    /// Adds records.
    mutating func grow(by count: Int, _ kind: RecordKind = .policy, note: String = "a record") {
        for _ in 0..<count {
            var record = AuditRecord(kind: kind, note: note)
            record.seq = lines.count + 1
            record.time = Timestamp(microseconds: 1_795_000_000_000_000 + Int64(lines.count))
            lines.append(record.encoded())
        }
    }

    /// The tree of the first records.
    func tree(_ size: Int) -> MerkleTree {
        lines.prefix(size).reduce(into: MerkleTree()) { $0.append(line: $1) }
    }

    func checkpoint(_ size: Int) -> Checkpoint { Checkpoint(origin: origin, tree: tree(size)) }

    /// A batch of some records.
    func batch(_ range: ClosedRange<Int>, _ checkpoint: Checkpoint? = nil) -> RecordBatch {
        RecordBatch(
            first: range.lowerBound, last: range.upperBound,
            parts: [.lines(Array(lines[(range.lowerBound - 1)..<range.upperBound]))],
            checkpoint: checkpoint ?? self.checkpoint(range.upperBound))
    }

    /// A batch of all records from one on.
    func batch(from first: Int = 1) -> RecordBatch { batch(first...lines.count) }
}
