import Foundation
import MDAuditClient
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDAuditDaemon

/// Processes that send what no library sends: afterwards the service answers, and has what it had before.
struct ForgeryTests {
    /// What a hostile process does with a connection.
    private enum Attack: Int, CaseIterable {
        /// Ends it at once, perhaps before it was accepted.
        case leaves
        /// Sends bytes that are no message, and leaves.
        case nonsense
        /// Sends a message that is cut, and stays.
        case cut
        /// Sends a message that nests deeply.
        case nested
        /// Sends a message that is too long.
        case long
        /// Sends a message that is not UTF-8.
        case notText
        /// Passes a descriptor along.
        case descriptor
        /// Asks again and again, and reads no answer.
        case deaf

        /// Does it.
        func run(_ socket: borrowing MessageSocket) {
            let line = String(decoding: Client.attempt(rawValue).encoded(), as: UTF8.self)
            switch self {
            case .leaves: break
            case .nonsense: _ = try? socket.send((0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37) })
            case .cut: _ = try? socket.send(Array("MD1 7 attempts 0\n\(line.dropLast(9))".utf8))
            case .nested:
                _ = try? socket.send(Array("MD1 7 attempts 0\n\(String(repeating: "[", count: 3_000))\n".utf8))
            case .long: _ = try? socket.send([UInt8](repeating: 0x41, count: 60_000))
            case .notText: _ = try? socket.send(Array("MD1 7 opened\n".utf8) + [0xc0, 0x80, 0x0a])
            case .descriptor: ForgeryTests.passDescriptor(over: socket.raw)
            case .deaf: for number in 1...64 { _ = try? socket.send(Array("MD1 \(number) identity\n".utf8)) }
            }
        }
    }

    /// Sends a message with a descriptor.
    private static func passDescriptor(over socket: Int32) {
        var text = Array("MD1 0 health\n".utf8)
        var descriptor: Int32 = 2
        let room = 24
        var control = [UInt8](repeating: 0, count: room)
        text.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                // cmsghdr: length, level, type, then the descriptor.
                control.storeBytes(of: 20, as: Int.self)
                control.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
                control.storeBytes(of: 1, toByteOffset: 12, as: Int32.self)
                control.storeBytes(of: descriptor, toByteOffset: 16, as: Int32.self)
                withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    (message.msg_iov, message.msg_iovlen) = (part, 1)
                    (message.msg_control, message.msg_controllen) = (control.baseAddress, room)
                    _ = sendmsg(socket, &message, Int32(MSG_NOSIGNAL))
                }
            }
        }
        descriptor = -1
    }

    /// The memory of a process in KiB, without its code, which is given back and read again.
    private func memory(of process: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
        return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    }

    /// The number of descriptors of a process.
    private func descriptors(of process: Int32) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
    }

    /// Makes connections in groups that are open at the same time, and waits until the service answers again.
    private func attack(_ daemon: RunningDaemon, connections: Int) throws {
        for group in 0..<(connections / 200) {
            var sockets: [AttackSocket] = []
            for index in 0..<200 {
                // A full queue of connections is not waited for: then there is one attack less.
                guard let socket = try? MessageSocket.connect(ServiceProtocol.socketPath, under: daemon.machine.root)
                else { continue }
                let attack = try #require(Attack(rawValue: (group + index) % Attack.allCases.count))
                attack.run(socket)
                if attack != .leaves, attack != .nonsense { sockets.append(AttackSocket(socket)) }
            }
            withExtendedLifetime(sockets) {}
            _ = try daemon.client().ask(.health)
        }
    }

    /// A connection that stays open.
    private final class AttackSocket {
        /// The connection.
        private let socket: MessageSocket

        /// Takes over a connection.
        init(_ socket: consuming MessageSocket) { self.socket = socket }
    }

    @Test func `after 10,000 hostile connections the service has the memory and the descriptors that it had`() throws {
        let daemon = try RunningDaemon(try TemporaryMachine(.pupil))
        // What is used for the first time counts before.
        try attack(daemon, connections: 2_000)
        let (memory, descriptors) = (try memory(of: daemon.program.id), try descriptors(of: daemon.program.id))
        try attack(daemon, connections: 10_000)
        let client = try daemon.client()
        guard case .stored = try client.store([Client.attempt(1)]) else {
            Issue.record("nothing is stored any more")
            return
        }
        let after = try self.memory(of: daemon.program.id)
        #expect(after - memory < 1_024, "\(memory) KiB before, \(after) after")
        let open = try self.descriptors(of: daemon.program.id)
        #expect(open <= descriptors + 1, "\(descriptors) before, \(open) after")
        #expect(try daemon.end() == 0)
        // What was sent is in the log as numbers only.
        let records = try daemon.machine.records()
        #expect(records.allSatisfy { [.start, .drop, .stop, .override].contains($0.kind) })
        #expect(records.count { $0.kind == .override } == 1)
    }

    @Test(arguments: [("1999", "1999"), ("2099", "2099"), ("1999", "2099"), ("2026", "1999")])
    func `a time that cannot be is not stored`(_ first: String, _ last: String) throws {
        let daemon = try RunningDaemon(try TemporaryMachine(.pupil))
        var record = Client.attempt(1, count: 3)
        record.first = Timestamp(rfc3339: "\(first)-01-01T00:00:00Z")
        record.last = Timestamp(rfc3339: "\(last)-01-01T00:00:00Z")
        guard case .stored = try daemon.client().store([record]) else {
            Issue.record("it is not stored")
            return
        }
        #expect(try daemon.end() == 0)
        let stored = try #require(try daemon.machine.records().first { $0.kind == .override })
        #expect(stored.count == 3 && stored.first == nil && stored.last == nil, "\(stored)")
    }

    @Test func `a value of a sensitive key is digested whatever its sender calls it, and a long one shortened`() throws
    {
        let machine = try TemporaryMachine(.pupil)
        let policy = TemporaryMachine.policyDirectory + "/10-a.json"
        /// The content of a policy file that calls a key sensitive.
        func text(_ key: String) -> String {
            #"{"Identifier":"a.b","Forced":{"org.example.app":{"\#(key)":"F"}},"#
                + #""Metadata":{"org.example.app":{"\#(key)":{"Sensitive":true}}}}"#
        }
        try machine.write(policy, text("Secret"))
        let daemon = try RunningDaemon(machine)
        let client = try daemon.client()
        /// Stores an attempt, as plain bytes or with a field that needs parsing.
        func store(_ key: String?, _ value: String, count: Int? = nil) throws -> AuditRecord {
            var record = Client.attempt(1, count: count)
            record.key = key.map { Key($0) }
            (record.tried, record.forced) = (.full(.string(value)), .full(.string("F")))
            guard case .stored = try client.store([record]) else {
                throw ClientFailure(description: "It is not stored.")
            }
            return try #require(try machine.records().last { $0.kind == .override })
        }
        let host = try #require(HostKey.readOrMake(of: machine.root))
        /// What a record has of a sensitive text.
        func digest(_ text: String) -> ValueSummary { .sensitive(hmac: host.digest(of: .string(text))) }
        for (count, value) in [(nil, "CLEAR1"), (2, "CLEAR2")] as [(Int?, String)] {
            let secret = try store("Secret", value, count: count)
            #expect(secret.tried == digest(value) && secret.forced == digest("F"), "\(secret)")
        }
        #expect(try store(nil, "CLEAR3").tried == digest("CLEAR3"))
        #expect(try store("Key", "plain").tried == .full(.string("plain")))
        let long = String(repeating: "x", count: 65)
        #expect(try store("Key", long).tried == ValueSummary(.string(long)))
        #expect(try store("Key", String(long.dropLast())).tried == .full(.string(String(long.dropLast()))))
        #expect(try !machine.text("var/log/managed-defaults/current.jsonl").contains("CLEAR"))
        // Policy that changes is read again.
        try machine.write(policy, text("Key"))
        let end = Date(timeIntervalSinceNow: 60)
        var number = 0
        while case .full = try store("Key", "\(number)").tried, Date() < end {
            usleep(50_000)
            number += 1
        }
        #expect(try store("Key", "last").tried == digest("last"))
        #expect(try daemon.end() == 0)
    }

    @Test func `more equal attempts than a process can make are none`() throws {
        let daemon = try RunningDaemon(try TemporaryMachine(.pupil))
        let client = try daemon.client()
        guard case .invalid = try client.store([Client.attempt(1, count: AuditRecord.mostEqualAttempts + 1)]),
            case .stored = try client.store([Client.attempt(2, count: AuditRecord.mostEqualAttempts)])
        else {
            Issue.record("the count is not bounded")
            return
        }
        #expect(try daemon.end() == 0)
        #expect(try daemon.machine.sums().stored == AuditRecord.mostEqualAttempts)
    }

    @Test func `a process that ended before it was accepted has only what the kernel stamped`() throws {
        let machine = try TemporaryMachine(.pupil)
        try machine.write(
            TemporaryMachine.policyDirectory + "/10-a.json",
            #"{ "Identifier": "a.b", "Forced": { "org.example.app": { "Key": "forced" } } }"#)
        let daemon = try RunningDaemon(machine)
        daemon.program.send(SIGSTOP)
        let words = [machine.path, "pupil", "org.example.app", "Key"]
        let result = try SpawnedProgram.run(BuiltProgram.path("library-probe"), words)
        daemon.program.send(SIGCONT)
        #expect(result.output == "forced forced refused\n")
        #expect(try daemon.end() == 0)
        let records = try machine.records()
        // Which program it was is its own claim, because no link of it can be read any more.
        let sent = records.filter { $0.kind == .override && $0.src == .claim && $0.via == .set }
        #expect(sent.contains { $0.uid == CurrentProcess.euid && $0.start == nil && $0.unit == nil }, "\(records)")
    }
}
