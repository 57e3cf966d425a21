import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

/// What the service stores is duplicated in the system's log.
struct DuplicateTests {
    /// The path of journald's socket in a machine.
    private static func path(_ machine: TemporaryMachine) -> String { machine("run/systemd/journal/socket") }

    /// The next duplicate of an attempt; waits for it, because answers come before duplicates.
    private func attempt(_ journal: FakeLogService) throws -> [String: String] {
        let end = Date(timeIntervalSinceNow: 120)
        while Date() < end {
            guard let message = journal.message() else {
                usleep(1_000)
                continue
            }
            if message["MDEFAULTS_KIND"] == "override" { return message }
        }
        throw ClientFailure(description: "There is no duplicate.")
    }

    @Test func `what is stored is duplicated with the number and the name of the log, and with its sender`() throws {
        let machine = try TemporaryMachine(.pupil)
        let journal = try FakeLogService(at: Self.path(machine))
        let daemon = try RunningDaemon(machine)
        let client = try daemon.client()
        for number in 1...3 {
            guard case .stored(let place, 1) = try client.store([Client.attempt(number)]) else {
                Issue.record("not stored")
                return
            }
            let message = try attempt(journal)
            #expect(message["MDEFAULTS_SEQ"] == "\(place)" && message["MDEFAULTS_TRIED"] == "\(number)")
            #expect(message["MDEFAULTS_LOG"] == AuditLog(root: machine.root).name)
            #expect(message["MDEFAULTS_UID"] == "\(CurrentProcess.uid)" && message["MDEFAULTS_USER"] == "pupil")
            #expect(message["MDEFAULTS_PID"] == "\(CurrentProcess.pid)")
            #expect(message["MDEFAULTS_EXE"] == CurrentProcess.executablePath)
            #expect(message["MDEFAULTS_KEY"] == "Key" && message["MDEFAULTS_DOMAIN"] == "org.example.app")
            #expect(message["MESSAGE"] == "override, org.example.app, Key, by set, refused")
        }
        #expect(try daemon.end() == 0)
        // The end of the service is a record too.
        #expect(journal.message()?["MDEFAULTS_KIND"] == "stop")
    }

    @Test func `what a user kept is not duplicated again`() throws {
        let machine = try TemporaryMachine(.pupil)
        let journal = try FakeLogService(at: Self.path(machine))
        let daemon = try RunningDaemon(machine)
        var kept = Client.attempt(1)
        kept.src = .spool
        guard case .stored(_, 2) = try daemon.client().store([kept, Client.attempt(2)]) else {
            Issue.record("not stored")
            return
        }
        #expect(try attempt(journal)["MDEFAULTS_TRIED"] == "2")
        #expect(try daemon.end() == 0)
        #expect(try machine.records().filter { $0.kind == .override }.map(\.src) == [.spool, .client])
    }

    @Test func `records without names are not duplicated`() throws {
        let machine = try TemporaryMachine(.pupil)
        try machine.write("etc/managed-defaults/audit.json", #"{ "Pseudonyms": true }"#)
        let journal = try FakeLogService(at: Self.path(machine))
        let daemon = try RunningDaemon(machine)
        #expect(try daemon.client().store([Client.attempt(1)]) == .stored(first: 2, count: 1))
        #expect(try daemon.end() == 0)
        #expect(journal.datagram() == nil)
    }

    @Test func `a log service that hangs keeps nobody waiting, and gets the next one when it has room`() throws {
        let machine = try TemporaryMachine(.pupil)
        let journal = try FakeLogService(at: Self.path(machine))
        let daemon = try RunningDaemon(machine)
        let client = try daemon.client()
        let count = 400
        for number in 0..<count {
            #expect(try client.store([Client.attempt(number)]) == .stored(first: number + 2, count: 1))
        }
        #expect(try machine.records().count == count + 1)
        var duplicates: [String?] = []
        while let message = journal.message() { duplicates.append(message["MDEFAULTS_SEQ"]) }
        // The queue had room for the first ones.
        #expect((1..<count).contains(duplicates.count))
        #expect(duplicates == (1...duplicates.count).map { "\($0)" })
        guard case .stored(let place, 1) = try client.store([Client.attempt(count)]) else {
            Issue.record("not stored")
            return
        }
        #expect(try attempt(journal)["MDEFAULTS_SEQ"] == "\(place)")
        #expect(try daemon.end() == 0)
    }

    @Test func `a log service that begins later, or anew, gets what is stored from then on`() throws {
        let machine = try TemporaryMachine(.pupil)
        let daemon = try RunningDaemon(machine)
        let client = try daemon.client()
        #expect(try client.store([Client.attempt(0)]) == .stored(first: 2, count: 1))
        for turn in 1...2 {
            let journal = try FakeLogService(at: Self.path(machine))
            // Where none listened, none is looked for within a second.
            let end = Date(timeIntervalSinceNow: 120)
            var (number, message) = (turn * 100_000, [String: String]?.none)
            while message == nil, Date() < end {
                number += 1
                guard case .stored = try client.store([Client.attempt(number)]) else {
                    Issue.record("not stored")
                    return
                }
                usleep(10_000)
                message = journal.message()
            }
            #expect(message?["MDEFAULTS_KIND"] == "override")
            try FileManager.default.removeItem(atPath: Self.path(machine))
        }
        #expect(try daemon.end() == 0)
    }
}
