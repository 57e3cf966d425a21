import Foundation
import MDAuditLog
import MDAuditRecord
import MDEngine
import MDFleet
import MDPlatform
import MDTestSupport
import MDTools
import Testing

/// A host and a centre in folders; the centre takes batches as a collector does, without its checks of hosts that lie.
final class TestSchool {
    let machine: TemporaryMachine
    let centre: TemporaryFolder
    let host: FleetHost
    var configuration: FleetConfiguration
    /// The clock of the host.
    var now = Timestamp(microseconds: 1_790_000_000_000_000)
    /// What the centre has of each log.
    private(set) var trees: [String: MerkleTree] = [:]

    init(_ machine: TemporaryMachine? = nil) throws {
        self.machine = try machine ?? TemporaryMachine(.pupil)
        centre = try TemporaryFolder(named: "centre")
        for name in ["in", "ack", "pub"] { try centre.makeDirectory(name) }
        host = try #require(FleetHost("pc01"))
        configuration = FleetConfiguration(fleet: "school", host: host, centre: .folder(centre.path))
        try self.machine.write("etc/machine-id", String(repeating: "a", count: 32) + "\n")
    }

    /// Appends records to the host's log.
    func append(_ count: Int, _ limits: LogLimits? = nil, boot: String = "b", note: () -> String = { "n" }) throws {
        let records = (0..<count).map { _ in
            var record = AuditRecord(kind: .override)
            (record.boot, record.host, record.mono, record.note) = (boot, "h", 7, note())
            return record
        }
        _ = try AuditLog(root: machine.root, limits: limits).append(records)
    }

    /// Runs a turn of the host.
    ///
    /// - Parameter transport: the way to the centre; `nil` for its folder.
    /// - Returns: what it did.
    /// - Throws: what the turn throws.
    @discardableResult
    func turn(over transport: (any CentreTransport)? = nil) throws -> HostRun.Outcome {
        let root = machine.root
        try root.createDirectory(FleetState.folder, mode: 0o755)
        let way = try transport ?? Transports.transport(to: configuration, of: root)
        var run = HostRun(root, configuration, over: way, now: now, version: "1") { PolicyMachine(root: root).policy() }
        return try run.run()
    }

    /// What waits in the spool.
    func file(_ kind: SpoolName.Kind) throws -> [UInt8]? {
        let path = centre("in/\(SpoolName(host, kind))")
        return FileManager.default.fileExists(atPath: path)
            ? Array(try Data(contentsOf: URL(fileURLWithPath: path))) : nil
    }

    /// Removes a file from the spool.
    func drop(_ kind: SpoolName.Kind) throws {
        try FileManager.default.removeItem(atPath: centre("in/\(SpoolName(host, kind))"))
    }

    /// The status that waits.
    func status() throws -> HostStatus { try HostStatus(try #require(try file(.status))) }

    /// The batch that waits; it stays.
    func batch() throws -> RecordBatch {
        let bytes = try #require(try file(.batch))
        #expect(bytes.count <= SpoolName.Kind.batch.limit)
        return try RecordBatch(try Gunzip.unpack(bytes, limit: SpoolName.Kind.batch.unpackedLimit))
    }

    /// Takes the batch, continues the tree, compares with the checkpoint, and acknowledges.
    @discardableResult
    func collect() throws -> RecordBatch {
        let batch = try batch()
        var tree = trees[batch.log] ?? MerkleTree()
        // Parts of a deleted segment that the centre has give way to the root of the whole.
        if batch.first <= tree.size { tree = MerkleTree() }
        for part in batch.parts {
            switch part {
            case .lines(let lines): for line in lines { tree.append(line: line) }
            case .deleted(let first, let last, let roots):
                for root in roots { tree.append(subtree: root, size: (last - first + 1) / roots.count) }
            }
        }
        #expect(tree.size == batch.last && tree.root == batch.checkpoint.root)
        trees[batch.log] = tree
        try drop(.batch)
        try acknowledge(Acknowledgement(log: batch.log, size: tree.size, .held(tree.root)))
        return batch
    }

    /// Writes an acknowledgement.
    func acknowledge(_ answer: Acknowledgement) throws { try centre.write("ack/\(host)", answer.text) }

    /// The records of the log as lines.
    func lines() throws -> [[UInt8]] {
        let folder = machine("var/log/managed-defaults")
        let segments = ((try? FileManager.default.contentsOfDirectory(atPath: folder + "/segments")) ?? []).sorted()
            .filter { $0.hasSuffix(".jsonl") }.map { "\(folder)/segments/\($0)" }
        return try (segments + ["\(folder)/current.jsonl"]).flatMap { path in
            try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: 0x0a).map { Array($0) }
        }
    }

    /// The newest checkpoint.
    func checkpoint() throws -> Checkpoint { try #require(Checkpoint.newest(of: machine.root)) }

    /// Copies the host's `var`, to be put back later.
    func save() throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: machine("var"), toPath: copy("var"))
        return copy
    }

    /// Sets the host's `var` back.
    func setBack(to copy: TemporaryFolder) throws {
        try FileManager.default.removeItem(atPath: machine("var"))
        try FileManager.default.copyItem(atPath: copy("var"), toPath: machine("var"))
    }
}

extension RecordBatch {
    /// All lines.
    var lines: [[UInt8]] {
        parts.flatMap { part in
            if case .lines(let lines) = part { lines } else { [[UInt8]]() }
        }
    }
}
