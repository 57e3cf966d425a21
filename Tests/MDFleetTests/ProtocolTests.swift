import MDAuditLog
import MDFleet
import MDPlatform
import MDTestSupport
import Testing

/// The files of a fleet's protocol: what is written reads back, and anything else is refused with its place.
@Suite struct ProtocolTests {
    private static let log = String(repeating: "0a", count: 16)

    private static func batch() throws -> RecordBatch {
        var tree = MerkleTree()
        for line in ["{\"v\":1}", "{\"v\":2}", "{\"v\":3}"] { tree.append(line: Array(line.utf8)) }
        return RecordBatch(
            first: 1, last: 3,
            parts: [
                .lines([Array("{\"v\":1}".utf8)]),
                .deleted(first: 2, last: 2, roots: [MerkleTree.leaf(Array("{\"v\":2}".utf8))]),
                .lines([Array("{\"v\":3}".utf8)]),
            ],
            checkpoint: Checkpoint(origin: "managed-defaults/pc01/\(log)", tree: tree))
    }

    @Test func `a batch reads back`() throws {
        let batch = try ProtocolTests.batch()
        #expect(try RecordBatch(batch.bytes) == batch)
    }

    @Test func `a batch that is cut anywhere is refused`() throws {
        let bytes = try ProtocolTests.batch().bytes
        for count in 0..<bytes.count {
            #expect(throws: FleetFault.self) { try RecordBatch(Array(bytes.prefix(count))) }
        }
    }

    @Test(arguments: ["", ".", "..", "a..b", "-a", "a-", "PC01", "a/b", "a~b", "ä", String(repeating: "a", count: 65)])
    func `a name that could lead elsewhere is no host`(name: String) {
        #expect(FleetHost(name) == nil)
    }

    @Test func `what a later version adds is passed over, and what is missing of an earlier one is not needed`() throws
    {
        /// A document with an unknown member.
        func later(_ bytes: [UInt8]) -> [UInt8] {
            Array("{\"later\":{\"a\":[1,{\"b\":true}]},".utf8) + bytes.dropFirst()
        }
        let host = try #require(FleetHost("pc01"))
        let time = Timestamp(microseconds: 1_800_000_000_000_000)
        let status = HostStatus(host: host, time: time, machine: "-.-.-", version: "2")
        #expect(try HostStatus(later(status.bytes)) == status)
        var configuration = FleetConfiguration(fleet: "school", host: host, centre: .folder("/srv"))
        configuration.leastEpoch = 1
        #expect(try FleetConfiguration(later(configuration.bytes)) == configuration)
        let snapshot = Snapshot(
            fleet: "school", SnapshotNumber(epoch: 1, serial: 2), issued: time, expires: time, files: [:])
        #expect(try Snapshot(later(snapshot.bytes)) == snapshot)
        var head = HostHead()
        head.accepted = time
        #expect(try HostHead(later(head.bytes)) == head)
        #expect(try HostHead(Array("{}".utf8)) == HostHead())
        #expect(
            try HostStatus(Array(#"{"host":"pc01","time":"\#(time.rfc3339)","machine":"m","version":"0"}"#.utf8)).size
                == 0)
    }

    @Test func `digests of hardware have the machine's id as key, and are compared only with their like`() throws {
        let machine = try TemporaryMachine(.none)
        func facts(_ id: String?, _ board: Character) throws -> FleetMachine {
            try machine.write("etc/machine-id", id.map { String(repeating: $0, count: 32) + "\n" } ?? "")
            try machine.write(
                "run/managed-defaults/hardware",
                "managed-defaults machine 1\n-\n\(String(repeating: board, count: 64))\n-\n")
            return FleetMachine(of: machine.root)
        }
        let known = try facts("a", "1")
        #expect(try facts("a", "1") == known && FleetMachine(known.text) == known)
        #expect(try facts("a", "2").differs(from: known) && facts("b", "1").differs(from: known))
        // Without the id the digests of all boards cannot be tried.
        let (bare, other) = (try facts(nil, "1"), try facts("b", "1"))
        #expect(bare.text.hasPrefix("-.11111111111111111111.") && !known.text.contains("1111111"))
        #expect(other.text.split(separator: ".")[1] != known.text.split(separator: ".")[1])
        // An id that could not be read once says nothing.
        #expect(!bare.differs(from: known) && !bare.isSame(as: known) && bare.completed(by: known) == known)
        // Facts of an earlier version have no key.
        let earlier = try #require(FleetMachine("\(known.text.prefix(20)).\(String(repeating: "1", count: 20)).-"))
        #expect(!known.differs(from: earlier) && known.completed(by: earlier) == known)
    }

    @Test func `a line of deleted records that is longer than any record is refused`() throws {
        let line = "deleted 1 65536 " + String(repeating: "A ", count: 40_000)
        let bytes = Array("\(String(repeating: "a", count: 32)) 1 65536\n\(line)\n\n".utf8)
        let fault = #expect(throws: FleetFault.self) { try RecordBatch(bytes) }
        #expect(fault?.message == "this line is too long")
    }

    @Test func `hosts are in natural order`() {
        let names = ["pc10", "pc2", "pc1", "lab2-pc1", "lab10-pc1", "pc01"].compactMap { FleetHost($0) }
        #expect(names.sorted().map(\.name) == ["lab2-pc1", "lab10-pc1", "pc01", "pc1", "pc2", "pc10"])
    }

    @Test func `an acknowledgement reads back, and with anything more it does not`() throws {
        for answer in [Acknowledgement.Answer.held(MerkleTree().root), .refused(.rolledBack)] {
            let acknowledgement = Acknowledgement(log: ProtocolTests.log, size: 32, answer)
            let bytes = Array(acknowledgement.text.utf8)
            #expect(Acknowledgement(bytes) == acknowledgement)
            #expect(Acknowledgement(bytes + [0x20]) == nil)
            #expect(Acknowledgement(Array(bytes.dropLast())) == nil)
        }
    }

    @Test func `a status reads back, and stays under its limit whatever it has to say`() throws {
        let host = try #require(FleetHost(String(repeating: "a", count: 64)))
        var status = HostStatus(
            host: host, time: Timestamp(microseconds: 1_800_000_000_000_000),
            machine: String(repeating: "1", count: 64),
            version: "1.0")
        #expect(try HostStatus(status.bytes) == status)
        status.copyOf = host
        status.room = String(repeating: "r", count: 64)
        (status.epoch, status.serial, status.isStale) = (1 << 53, 1 << 53, true)
        status.policyDigest = String(repeating: "2", count: 64)
        status.exams = Array(repeating: String(repeating: "ü", count: 100), count: 20)
        status.refusal = .init(
            file: String(repeating: "f", count: 500), line: 1 << 53, reason: String(repeating: "\u{202e}", count: 500))
        (status.log, status.size, status.root) = (ProtocolTests.log, 1 << 53, MerkleTree().root)
        (status.waiting, status.waitingSince, status.refused) = (1 << 53, status.time, .rolledBack)
        (status.boot, status.verdict) = (String(repeating: "3", count: 32), "not all looked at")
        #expect(status.bytes.count <= HostStatus.limit)
        #expect(try HostStatus(status.bytes).host == host)
    }

    @Test func `fleet.json reads back, and takes no address without TLS`() throws {
        let host = try #require(FleetHost("pc01"))
        var configuration = FleetConfiguration(fleet: "school", host: host, centre: .address("https://centre.example"))
        configuration.resetsAtBoot = true
        (configuration.leastEpoch, configuration.leastSerial) = (2, 7)
        #expect(try FleetConfiguration(configuration.bytes) == configuration)
        configuration.centre = .address("http://centre.example")
        #expect(throws: FleetFault.self) { try FleetConfiguration(configuration.bytes) }
    }

    @Test func `a head and an alarm read back`() throws {
        var head = HostHead()
        (head.seen, head.log, head.size) = (Timestamp(microseconds: 1_800_000_000_000_000), ProtocolTests.log, 9)
        (head.root, head.dispute) = (MerkleTree().root, .rewritten)
        #expect(try HostHead(head.bytes) == head)
        let host = try #require(FleetHost("pc01"))
        let alarm = FleetAlarm(
            time: Timestamp(microseconds: 1_800_000_000_000_000), host: host, .copied, "It is a copy.", isDispute: false
        )
        #expect(try FleetAlarm(line: Array(alarm.line.dropLast())) == alarm)
    }
}
