import MDAuditClient
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import MDTools
import Testing

@testable import MDAuditDaemon

/// A line that is stored without being parsed is the line that parsing and writing would make.
struct PlainAttemptTests {
    /// The sender of the lines.
    private let stamp: RecordStamp
    /// What the records have in common.
    private let machine: MachineStamp

    init() throws {
        let machine = try TemporaryMachine(.pupil)
        let service = try ServiceThread(machine.root, ServiceLimits())
        let client = try Client(machine.root)
        _ = try client.ask(.health)
        self.machine = MachineStamp(root: machine.root, key: HostKey.readOrMake(ofService: machine.root))
        var peer = try PeerStamp(of: client.socket)
        peer.executable = nil
        stamp = RecordStamp(peer: peer, user: "ann \"é\"", person: 7, isRoot: false)
        service.end()
    }

    /// The line that the log gets of a plain attempt; `nil` if the line is to be parsed.
    private func stored(_ line: [UInt8]) -> [UInt8]? {
        guard let plain = PlainAttempt(line, line.indices) else { return nil }
        let common = CommonFields(
            of: stamp, sender: 1, claim: plain.program.map { line[$0] }, machine: machine)
        var moment = MomentFields()
        moment.move(to: Timestamp(microseconds: 5), monotonic: 12_345, on: machine)
        moment.move(to: Timestamp(microseconds: 77), monotonic: 99, on: machine)
        return Array(#"{"v":1,"seq":5,"#.utf8) + moment.bytes + common.bytes + line[plain.rest]
    }

    /// The line that the log gets by parsing; `nil` if the service refuses it.
    private func parsed(_ line: [UInt8]) -> [UInt8]? {
        guard var record = try? AuditRecord(claim: line), stamp.objection(to: record) == nil else { return nil }
        stamp.apply(to: &record, machine: machine, time: Timestamp(microseconds: 77), monotonic: 99)
        record.seq = 5
        return record.encoded()
    }

    /// Texts that need no escape, and some that do.
    private static let texts = [
        "", "x", "https://school.example/?q=$a", "a/b\\c", "\"", "tab\t", "é", "\u{202e}", "𝄞", "{}", ",", "a\u{7f}b",
        "$date", String(repeating: "y", count: 600),
    ]

    /// A record as a program might send it.
    private static func record(_ random: inout SplitMix) -> AuditRecord {
        func text() -> String {
            let isUsual = Int.random(in: 0..<9, using: &random) > 0
            return texts[isUsual ? 1 : Int.random(in: 0..<texts.count, using: &random)]
        }
        func maybe<Item>(_ item: @autoclosure () -> Item) -> Item? {
            Int.random(in: 0..<4, using: &random) == 0 ? nil : item()
        }
        func value() -> Value {
            switch Int.random(in: 0..<9, using: &random) {
            case 0: .boolean(Bool.random(using: &random))
            case 1: .integer(Int.random(in: -9...9, using: &random))
            case 2: .integer(Int.random(in: Int.min...Int.max, using: &random))
            case 3: .real(1.5)
            case 4: .date(3)
            case 5: .array([.integer(1)])
            default: .string(text())
            }
        }
        var record = AuditRecord(kind: .override, src: .client)
        record.exe = maybe(text())
        record.via = WriteVia.known[Int.random(in: 0..<WriteVia.known.count, using: &random)]
        record.domain = Key(text())
        record.key = maybe(Key(text()))
        record.forced = maybe(ValueSummary(value()))
        record.tried = maybe(ValueSummary(value()))
        record.policy = maybe(
            PolicyReference(
                id: maybe(text()), file: maybe(text()), line: maybe(Int.random(in: 0...99, using: &random)),
                sha256: maybe(SHA256.hash([1]))))
        record.outcome = maybe(AttemptOutcome.refused)
        if Int.random(in: 0..<19, using: &random) == 0 { record.count = 3 }
        if Int.random(in: 0..<19, using: &random) == 0 { record.domain = nil }
        record.note = maybe(text())
        return record
    }

    @Test func `what is not parsed is what parsing would make`() throws {
        var random = SplitMix(state: 17)
        var plain = 0
        for _ in 0..<4_000 {
            let line = Self.record(&random).encoded(isForService: true)
            guard let stored = stored(line) else { continue }
            plain += 1
            #expect(stored == parsed(line), "\(String(decoding: line, as: UTF8.self))")
        }
        #expect(plain > 400)
    }

    @Test func `a changed line is what parsing would make, or is parsed`() throws {
        var random = SplitMix(state: 3)
        let characters = Array(#"{}[]",:\ 019-.eatnu$"#.utf8) + [0, 0x1f, 0x7f, 0x80, 0xc3]
        var plain = 0
        for _ in 0..<6_000 {
            var line = Self.record(&random).encoded(isForService: true)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<line.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: line.remove(at: place)
                case 1: line.insert(characters[Int.random(in: 0..<characters.count, using: &random)], at: place)
                default: line[place] = characters[Int.random(in: 0..<characters.count, using: &random)]
                }
                if line.isEmpty { break }
            }
            guard let stored = stored(line) else { continue }
            plain += 1
            #expect(stored == parsed(line), "\(String(decoding: line, as: UTF8.self))")
        }
        #expect(plain > 20)
    }

    @Test func `what programs send is not parsed`() throws {
        var record = AuditRecord(kind: .override, src: .client, note: "application org.example.Browser by code")
        (record.exe, record.via, record.outcome) = ("/usr/bin/x", .set, .refused)
        (record.domain, record.key) = ("org.example.Browser", "HomePage")
        (record.forced, record.tried) = (.full(.string("https://school.example/")), .full(.integer(-4)))
        record.policy = PolicyReference(id: "a", file: "/etc/b", line: 3, sha256: SHA256.hash([]))
        let line = record.encoded(isForService: true)
        #expect(stored(line) == parsed(line) && stored(line) != nil)
        let identity = AttemptIdentity(record, of: 4)
        let plain = try #require(PlainAttempt(line, line.indices))
        let begin = AttemptIdentity.Fields(beginOf: record, of: 4)
        #expect(AttemptIdentity(begin, plain.compared, in: line) == identity)
        record.key = "Proxy"
        #expect(AttemptIdentity(record, of: 4) != identity)
    }
}
