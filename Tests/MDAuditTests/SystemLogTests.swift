import Foundation
import MDAuditClient
import MDPlatform
import MDPropertyList
import MDTestSupport
import MDTestTimes
import Testing

/// Tests the duplicates of spooled records in the system log.
@Suite(.timed)
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

    /// The fields of a message in journald's protocol; `nil` if it does not parse.
    private func fields(_ bytes: [UInt8]) -> [String: String]? {
        var (rest, fields) = (bytes[...], [String: String]())
        while !rest.isEmpty {
            guard let end = rest.firstIndex(where: { $0 == 0x0a || $0 == UInt8(ascii: "=") }) else { return nil }
            let name = String(decoding: rest[..<end], as: UTF8.self)
            let value: ArraySlice<UInt8>
            if rest[end] == 0x0a {
                let digits = rest[(end + 1)...].prefix(8)
                let length = digits.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
                guard digits.count == 8, length < rest.endIndex - end - 9 else { return nil }
                value = rest[(end + 9)...].prefix(length)
            } else {
                value = rest[(end + 1)...].prefix { $0 != 0x0a }
            }
            guard rest[value.endIndex...].first == 0x0a, fields[name] == nil else { return nil }
            fields[name] = String(decoding: value, as: UTF8.self)
            rest = rest[(value.endIndex + 1)...]
        }
        return fields
    }

    /// The fields of the next message that journald would read.
    private func message(_ journal: FakeLogService) throws -> [String: String] {
        let bytes = try #require(journal.datagram())
        return try #require(fields(bytes))
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
        #expect(message["MDEFAULTS_POLICY"] == "edu.example.a")
        #expect(message["MDEFAULTS_POLICY_LINE"] == "3")
        #expect(message["MDEFAULTS_NOTE"] == "set once, version 1")
        #expect(message["MDEFAULTS_TIME"].flatMap { Timestamp(rfc3339: $0) } != nil)
        // The message has no fields that the kernel stamps.
        #expect(message.keys.allSatisfy { !$0.hasPrefix("_") && $0 != "MDEFAULTS_UID" })
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
        #expect(try message(journal)["MDEFAULTS_POLICY"] != nil)
    }

    @Test func `who writes the log sends no duplicate`() throws {
        let temporary = try TemporaryMachine()
        let journal = try service(temporary)
        #expect(AuditReporter(root: temporary.root, stateDirectory: Self.state).report(record()) == .stored(1))
        #expect(journal.datagram() == nil)
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
            while SystemLog(root: temporary.root).send(record()), count < 100_000 { count += 1 }
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
        let service = SystemLog(root: temporary.root)
        #expect(!service.isPresent)
        do {
            let journal = try self.service(temporary)
            #expect(service.isPresent)
            #expect(journal.datagram() == nil)
        }
        #expect(!service.isPresent)
        let log = try self.service(temporary, "/dev/log", takesConnections: true)
        #expect(service.isPresent)
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
