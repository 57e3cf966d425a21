import Foundation
import MDAuditReading
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDAuditClient
@testable import MDAuditLog
@testable import MDAuditRecord

/// Tests the duplicates of records in the system log.
struct SystemLogTests {
    /// The directory of the spool.
    private static let state = "/home/alice/.local/state/managed-defaults"
    /// The remark in the note of a record without a duplicate.
    private static let without = "no log service of this machine took a duplicate"

    /// A socket under a root.
    private func service(
        _ temporary: TemporaryMachine, _ path: String = "/run/systemd/journal/socket", takesConnections: Bool = false
    ) throws -> FakeLogService {
        try FakeLogService(at: temporary.path + path, takesConnections: takesConnections)
    }

    /// A record of something that was set once.
    private func record(key: Key = "FontSize") -> AuditRecord {
        var record = AuditRecord(kind: .policy, src: .client, note: "set once, version 1")
        (record.domain, record.key, record.user) = ("org.example.Editor", key, "alice")
        record.policy = PolicyReference(id: "edu.example.a", file: "/etc/managed-defaults/policies.d/10.json", line: 3)
        return record
    }

    /// The records of the spool.
    private func spooled(_ temporary: TemporaryMachine) throws -> [AuditRecord] {
        let bytes = try temporary.root.read("\(Self.state)/spool.jsonl", limit: 1 << 20).bytes
        return try bytes.split(separator: 0x0a).map { try AuditRecord(line: $0) }
    }

    /// The fields of the next message that journald would read.
    private func message(_ journal: FakeLogService) throws -> [String: String] {
        try #require(journal.message())
    }

    /// Reports a record as a process that may not write the log.
    private func report(_ record: AuditRecord, _ temporary: TemporaryMachine) {
        let delivery = AuditReporter(root: temporary.root, stateDirectory: Self.state).report(record)
        #expect(delivery == .spooled(temporary.root.display("\(Self.state)/spool.jsonl")))
    }

    @Test func `journald gets the record field by field, under one message id`() throws {
        let temporary = try TemporaryMachine.withoutLog()
        let journal = try service(temporary)
        report(record(), temporary)
        let message = try message(journal)
        #expect(message["MESSAGE"] == "policy, org.example.Editor, FontSize, policy edu.example.a, set once, version 1")
        #expect(message["MESSAGE_ID"] == "797335c5eded4ac2bb88ff6eaca8f8f2")
        #expect(message["PRIORITY"] == "5")
        #expect(message["SYSLOG_IDENTIFIER"] == "mdefaults")
        #expect(message["MDEFAULTS_KIND"] == "policy")
        #expect(message["MDEFAULTS_DOMAIN"] == "org.example.Editor")
        #expect(message["MDEFAULTS_KEY"] == "FontSize")
        #expect(message["MDEFAULTS_POLICY_ID"] == "edu.example.a")
        #expect(message["MDEFAULTS_POLICY_LINE"] == "3")
        #expect(message["MDEFAULTS_NOTE"] == "set once, version 1")
        #expect(message["MDEFAULTS_TIME"].flatMap { Timestamp(rfc3339: $0) } != nil)
        // Beside what journald stamps, the message has what the record says of its process; it is in no log.
        #expect(message["MDEFAULTS_UID"] == "\(CurrentProcess.uid)" && message["MDEFAULTS_USER"] == "alice")
        #expect(message["MDEFAULTS_PID"] == "\(CurrentProcess.pid)")
        #expect(message["MDEFAULTS_SEQ"] == nil && message["MDEFAULTS_LOG"] == nil)
        #expect(message.keys.allSatisfy { !$0.hasPrefix("_") })
        #expect(journal.datagram() == nil)
        #expect(try spooled(temporary).map(\.note) == ["set once, version 1"])
    }

    @Test func `no value begins a field of its own`() throws {
        let temporary = try TemporaryMachine.withoutLog()
        let journal = try service(temporary)
        let key = Key("a\n_UID=0\nMESSAGE_ID=ff\n\nx\u{202e}=")
        report(record(key: key), temporary)
        let message = try message(journal)
        #expect(message["MDEFAULTS_KEY"] == key.string)
        #expect(message["MESSAGE_ID"] == "797335c5eded4ac2bb88ff6eaca8f8f2")
        #expect(message["_UID"] == nil)
        let shown = try #require(message["MESSAGE"])
        #expect(shown.unicodeScalars.allSatisfy { !Printable.isHidden($0) })
    }

    @Test func `an attempt is duplicated where it is stored, and not where it is only counted`() throws {
        let temporary = try TemporaryMachine.withoutLog()
        let journal = try service(temporary)
        let reporter = AuditReporter(root: temporary.root, stateDirectory: Self.state)
        var attempt = AuditRecord(kind: .override)
        (attempt.domain, attempt.key, attempt.via, attempt.outcome) = ("org.example", "K", .set, .refused)
        attempt.tried = ValueSummary(.string("x\ny"))
        for _ in 0..<3 { _ = reporter.report(attempt) }
        let first = try message(journal)
        #expect(first["MDEFAULTS_TRIED"] == #""x\ny""#)
        #expect(first["MESSAGE"] == "override, org.example, K, by set, refused")
        #expect(journal.datagram() == nil)
        _ = reporter.flush()
        #expect(try message(journal)["MDEFAULTS_COUNT"] == "2")
    }

    @Test func `the longest texts fit into a message`() throws {
        let temporary = try TemporaryMachine.withoutLog()
        let journal = try service(temporary)
        let long = String(repeating: "\n\u{1}", count: 20_000)
        var record = record(key: Key(long))
        (record.domain, record.note) = (Key(long), long)
        record.policy = PolicyReference(id: long, file: long)
        _ = AuditReporter(root: temporary.root, stateDirectory: Self.state).report(record)
        #expect(try message(journal)["MDEFAULTS_POLICY_ID"] != nil)
    }

    @Test func `who writes the log sends a duplicate with log and number, but not of what a spool had`() throws {
        let temporary = try TemporaryMachine()
        let journal = try service(temporary)
        #expect(AuditReporter(root: temporary.root, stateDirectory: Self.state).report(record()) == .stored(1))
        let first = try message(journal)
        #expect(first["MDEFAULTS_SEQ"] == "1" && first["MDEFAULTS_KEY"] == "FontSize")
        #expect(first["MDEFAULTS_LOG"] == AuditLog(root: temporary.root).name)
        var (kept, new) = (record(key: "Kept"), record(key: "New"))
        (kept.src, new.note) = (.spool, nil)
        try AuditLog(root: temporary.root).append([kept, new])
        let second = try message(journal)
        #expect(second["MDEFAULTS_SEQ"] == "3" && second["MDEFAULTS_KEY"] == "New")
        #expect(journal.datagram() == nil)
    }

    @Test func `records without names have no duplicate`() throws {
        let temporary = try TemporaryMachine()
        try temporary.write("etc/managed-defaults/audit.json", #"{ "Pseudonyms": true }"#)
        let journal = try service(temporary)
        try AuditLog(root: temporary.root).append([record()])
        #expect(journal.datagram() == nil)
    }

    @Test func `who writes the log sends a line where there is no journald`() throws {
        let temporary = try TemporaryMachine()
        let log = try service(temporary, "/dev/log")
        var record = record()
        record.uid = 4_711
        try AuditLog(root: temporary.root).append([record])
        let line = String(decoding: try #require(log.datagram()), as: UTF8.self)
        #expect(line.hasSuffix("]: uid 4711: \(record.sentence)\0"), "\(line)")
    }

    @Test func `every field of a line is a field of its message, and a line that is none does no harm`() throws {
        var record = record()
        (record.forced, record.tried, record.count) = (ValueSummary(.string("a\"b")), ValueSummary(.integer(5)), 3)
        (record.time, record.via, record.outcome) = (Timestamp(microseconds: 5), .set, .refused)
        record.extra = [
            ExtraField(name: "later", json: #"{"a":[1,"]}",{"b":"\""}]}"#), ExtraField(name: "o d", json: "1"),
        ]
        let line = record.encoded()
        let message = try #require(FakeLogService.fields(SystemLogEntry(line[...], of: "name").journal))
        #expect(message["MDEFAULTS_FORCED"] == #""a\"b""# && message["MDEFAULTS_TRIED"] == "5")
        #expect(message["MDEFAULTS_LATER"] == #"{"a":[1,"]}",{"b":"\""}]}"# && message["MDEFAULTS_COUNT"] == "3")
        #expect(message["MESSAGE"] == record.sentence)
        // The fields of the line with those of the policy, the name of the log, and the five without the prefix.
        #expect(message.count == 14 + 3 + 1 + 5, "\(message)")
        for end in stride(from: 0, to: line.count, by: 7) {
            for part in [line[..<end], line[end...]] {
                #expect(FakeLogService.fields(SystemLogEntry(part, of: nil).journal) != nil, "\(end)")
            }
        }
    }

    @Test func `without journald, whoever listens on /dev/log gets a line`() throws {
        for takesConnections in [false, true] {
            let temporary = try TemporaryMachine.withoutLog()
            let log = try service(temporary, "/dev/log", takesConnections: takesConnections)
            report(record(key: "Font\nSize"), temporary)
            // The test reads to the end, so the sender must have closed the connection.
            let bytes = try #require(takesConnections ? log.connection() : log.datagram())
            let line = String(decoding: bytes, as: UTF8.self)
            let pattern = try Regex(
                #"<85>[A-Z][a-z]{2} [ 1-3][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} mdefaults\[[0-9]+\]: uid [0-9]+: policy, "#
                    + #"org\.example\.Editor, Font\\nSize, policy edu\.example\.a, set once, version 1\x00"#)
            #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
            #expect(try spooled(temporary).map(\.note) == ["set once, version 1"])
        }
    }

    @Test func `a line is no longer than log services read`() throws {
        let temporary = try TemporaryMachine.withoutLog()
        let log = try service(temporary, "/dev/log")
        report(record(key: Key(String(repeating: "ä", count: 5_000))), temporary)
        #expect(try #require(log.datagram()).count <= 1_024)
    }

    /// An obstacle in the place of journald's socket.
    enum Obstacle: CaseIterable {
        /// Nothing.
        case nothing
        /// A directory.
        case directory
        /// A file.
        case file
        /// A fifo without a reader.
        case fifo
        /// A socket without a listener.
        case deserted
        /// A socket whose queue is full.
        case full
        /// A link that leads out of the root, to a socket.
        case link
        /// A link to itself.
        case loop
        /// A socket for connections whose queue is full.
        case busy
    }

    @Test(arguments: Obstacle.allCases)
    func `where nobody takes it the record says so, and nothing waits or breaks`(_ obstacle: Obstacle) throws {
        let temporary = try TemporaryMachine.withoutLog()
        let folder = temporary.path + "/run/systemd/journal"
        let path = folder + "/socket"
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var services: [FakeLogService] = []
        let elsewhere = try TemporaryMachine()
        switch obstacle {
        case .nothing: break
        case .directory: try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
        case .file: try Data().write(to: URL(fileURLWithPath: path))
        case .fifo: #expect(mkfifo(path, 0o666) == 0)
        case .deserted: _ = try FakeLogService(at: path)
        case .full, .busy:
            services.append(try FakeLogService(at: path, takesConnections: obstacle == .busy))
            var count = 0
            var log = SystemLog(root: temporary.root)
            while log.send(record().encoded()), count < 100_000 { count += 1 }
            #expect((1..<100_000).contains(count))
        case .link:
            let target = elsewhere.path + "/socket"
            services.append(try FakeLogService(at: target))
            try manager.createSymbolicLink(atPath: path, withDestinationPath: target)
        case .loop: try manager.createSymbolicLink(atPath: path, withDestinationPath: path)
        }
        report(record(), temporary)
        #expect(try spooled(temporary).map(\.note) == ["set once, version 1; \(Self.without)"])
        #expect(try spooled(temporary).map(\.noteOfOrigin) == ["set once, version 1"])
        if obstacle == .link { #expect(services.first?.datagram() == nil) }
        // The other service accepts it if journald does not.
        let log = try service(temporary, "/dev/log")
        report(record(), temporary)
        #expect(log.datagram() != nil)
        #expect(try spooled(temporary).last?.note == "set once, version 1")
    }

    @Test func `whether a service listens is asked without a message`() throws {
        let temporary = try TemporaryMachine.withoutLog()
        #expect(!SystemLog.isPresent(under: temporary.root))
        do {
            let journal = try self.service(temporary)
            #expect(SystemLog.isPresent(under: temporary.root))
            #expect(journal.datagram() == nil)
        }
        #expect(!SystemLog.isPresent(under: temporary.root))
        let log = try self.service(temporary, "/dev/log", takesConnections: true)
        #expect(SystemLog.isPresent(under: temporary.root))
        #expect(log.connection() == [])
    }

    @Test func `an attempt without a note says nothing else`() throws {
        let temporary = try TemporaryMachine.withoutLog()
        _ = AuditReporter(root: temporary.root, stateDirectory: Self.state).report(AuditRecord(kind: .damaged))
        let record = try #require(try spooled(temporary).first)
        #expect(record.note == Self.without)
        #expect(record.noteOfOrigin == nil)
    }
}
