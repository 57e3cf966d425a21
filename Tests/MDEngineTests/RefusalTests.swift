import Foundation
import MDAuditReading
import MDPlatform
import MDPropertyList
import MDTestSupport
import Synchronization
import Testing

@testable import MDAuditClient
@testable import MDAuditLog
@testable import MDAuditRecord
@testable import MDEngine

/// What a refused write costs its caller, and what becomes of its record.
struct RefusalTests {
    /// The application.
    private static let application: Key = "org.example.Browser"
    /// A policy that forces some keys.
    private static let policy = """
        { "Identifier": "org.example.lab", "Contact": "Room 12",
          "Forced": { "org.example.Browser": { "HomePage": "https://school.example/", "PIN": "1234" } },
          "Absent": { "org.example.Browser": ["Proxy"] },
          "Metadata": { "org.example.Browser": { "PIN": { "Sensitive": true } } } }
        """

    /// A machine with the policy.
    private static func machine() throws -> TemporaryMachine {
        let machine = try TemporaryMachine(.pupil)
        try machine.policy("10-test.json", policy)
        return machine
    }

    /// Opens the application's defaults.
    private static func open(_ machine: TemporaryMachine) throws -> DefaultsEngine {
        try DefaultsEngine(folder: machine.path, user: "pupil", application: application, arguments: [])
    }

    /// Whether a write was refused.
    private func isRefused(_ outcome: DefaultsEngine.Outcome) -> Bool {
        if case .refused = outcome { true } else { false }
    }

    /// The records of the log; none if there is no log.
    private func records(_ machine: TemporaryMachine) throws -> [AuditRecord] {
        try AuditLog(root: machine.root).records().records
    }

    /// The number of attempts that the log has, stored and counted ones.
    private func logged(_ machine: TemporaryMachine) throws -> Int {
        guard FileManager.default.fileExists(atPath: machine.path + AuditLog.path) else { return 0 }
        return try records(machine).filter { $0.kind == .override || $0.kind == .drop }.reduce(0) {
            $0 + ($1.count ?? 1)
        }
    }

    @Test func `a thread that holds every lock delays no refusal`() throws {
        let machine = try Self.machine()
        let engine = try Self.open(machine)
        let (isHeld, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let store = engine.store
        Thread.detachNewThread {
            store.files.withLock { _ in
                store.policyReading.withLock { _ in
                    store.state.withLock { _ in
                        isHeld.signal()
                        isDone.wait()
                    }
                }
            }
        }
        isHeld.wait()
        #expect(isRefused(engine.write(.string("x"), forKey: "HomePage")))
        #expect(isRefused(engine.write(.string("x"), forKey: "Proxy")))
        isDone.signal()
        store.flushAttempts()
        #expect(try records(machine).filter { $0.kind == .override }.map(\.key) == ["HomePage", "Proxy"])
    }

    @Test func `a refusal makes no file while the service listens`() throws {
        let machine = try Self.machine()
        let listener = try AuditListener(folder: machine.path)
        let engine = try Self.open(machine)
        #expect(isRefused(engine.write(.string("x"), forKey: "HomePage")))
        #expect(!FileManager.default.fileExists(atPath: machine.path + "/var/log"))
        defer { listener.stop() }
        listener.read()
        engine.store.flushAttempts()
        #expect(try logged(machine) == 0)
        let line = try #require(listener.lines.first)
        let record = try AuditRecord(claim: Array(line.utf8))
        #expect(listener.lines.count == 1)
        #expect((record.kind, record.via, record.outcome) == (.override, .set, .refused))
        #expect((record.domain, record.key) == (Self.application, "HomePage"))
        #expect(record.tried == .full(.string("x")) && record.forced == .full(.string("https://school.example/")))
        #expect(record.policy?.id == "org.example.lab" && record.policy?.line == 2)
        // The service cannot read which program a process of another user runs.
        #expect(record.exe == CurrentProcess.executablePath)
        #expect(record.note == "application org.example.Browser by code; root \(machine.root.path)")
    }

    @Test func `the parts of a line make the line of the whole record`() throws {
        let machine = try Self.machine()
        let engine = try Self.open(machine)
        let refusal = try #require(engine.refuse(.integer(1), forKey: "HomePage"))
        var attempt = WaitingAttempt(
            attempt: refusal.attempt, tried: ValueSummary(.string("a \"b\" \u{202e}")), time: Clock.now())
        (attempt.count, attempt.first, attempt.last) = (3, attempt.time, attempt.time)
        var record = refusal.attempt.record(of: attempt, root: machine.root)
        record.time = nil
        var line: [UInt8] = []
        refusal.attempt.line?.append(attempt, isSecret: false, to: &line)
        #expect(line == record.encoded())
    }

    @Test func `without the service the log has each attempt, equal ones as a count`() throws {
        let machine = try Self.machine()
        let engine = try Self.open(machine)
        for _ in 0..<5 { _ = engine.write(.string("x"), forKey: "HomePage") }
        _ = engine.write(.boolean(true), forKey: "HomePage")
        _ = engine.write(.integer(1), forKey: "HomePage")
        engine.store.flushAttempts()
        let found = try records(machine).filter { $0.kind == .override }
        #expect(Set(found.map { $0.count ?? 1 }) == [1, 4] && found.count == 4)
        let counted = try #require(found.first { $0.count != nil })
        #expect(counted.tried == .full(.string("x")) && counted.first != nil && counted.last != nil)
        #expect(found.allSatisfy { $0.pid == CurrentProcess.pid && $0.user == "pupil" && $0.src == .client })
    }

    @Test func `a secret value is stored as a digest, and only the audit service is sent it`() throws {
        let machine = try Self.machine()
        let stored = try Self.open(machine)
        #expect(isRefused(stored.write(.string("4711"), forKey: "PIN")))
        stored.store.flushAttempts()
        guard case .sensitive(let hmac)? = try records(machine).last?.tried else {
            Issue.record("the value is in the log")
            return
        }
        #expect(hmac != nil)
        let other = try Self.machine()
        let listener = try AuditListener(folder: other.path)
        defer { listener.stop() }
        listener.read()
        let sent = try Self.open(other)
        #expect(isRefused(sent.write(.string("4711"), forKey: "PIN")))
        sent.store.flushAttempts()
        let line = try #require(listener.lines.first)
        #expect(line.contains(#""tried":{"sensitive":true,"type":"string","size":4,"value":"4711"}"#))
        // A spool gets type and size.
        let record = try AuditRecord(claim: Array(line.utf8))
        let kept = String(decoding: record.encoded(), as: UTF8.self)
        #expect(kept.contains(#""tried":{"sensitive":true,"type":"string","size":4}"#))
        #expect(!kept.contains("4711") && !kept.contains("1234"))
        #expect(throws: AuditError.self) { try AuditRecord(line: Array(line.utf8)) }
    }

    @Test func `what is secret by a manifest is asked on another thread`() throws {
        let machine = try Self.machine()
        try machine.write(
            "etc/managed-defaults/manifests.d/org.example.Browser.json",
            #"{ "org.example.Browser": { "HomePage": { "Sensitive": true } } }"#)
        let listener = try AuditListener(folder: machine.path)
        defer { listener.stop() }
        listener.read()
        let engine = try Self.open(machine)
        #expect(isRefused(engine.write(.string("x"), forKey: "Proxy")))
        engine.store.flushAttempts()
        #expect(listener.lines.count == 1)
        let hasManifests = engine.store.hasManifests.load(ordering: .relaxed)
        #expect(hasManifests)
    }

    @Test func `what finds no room in memory is counted exactly`() throws {
        let machine = try Self.machine()
        let engine = try Self.open(machine)
        let count = ProcessChannel.capacity * 3
        for number in 0..<count { _ = engine.write(.integer(number), forKey: "HomePage") }
        engine.store.flushAttempts()
        #expect(try logged(machine) == count)
    }

    @Test func `a service that hangs delays nobody, and nothing is lost from the count`() throws {
        let machine = try Self.machine()
        let listener = try AuditListener(folder: machine.path)
        let engine = try Self.open(machine)
        let count = 3_000
        for number in 0..<count { _ = engine.write(.integer(number), forKey: "HomePage") }
        engine.store.flushAttempts()
        #expect(try logged(machine) > 0)
        defer { listener.stop() }
        listener.read()
        // The service reads what its socket held, and confirms that.
        engine.store.flushAttempts()
        _ = engine.write(.string("last"), forKey: "HomePage")
        engine.store.flushAttempts()
        #expect(try listener.attempts + listener.unsent + logged(machine) == count + 1)
    }

    @Test func `two threads lose nothing from the count`() throws {
        let machine = try Self.machine()
        let listener = try AuditListener(folder: machine.path)
        defer { listener.stop() }
        listener.read()
        let engine = try Self.open(machine)
        let count = 4_000
        let done = DispatchSemaphore(value: 0)
        for thread in 0..<2 {
            Thread.detachNewThread {
                for number in 0..<count {
                    _ = engine.write(.integer(number % 500 + thread * 100_000), forKey: "HomePage")
                }
                done.signal()
            }
        }
        for _ in 0..<2 { done.wait() }
        engine.store.flushAttempts()
        #expect(try listener.attempts + listener.unsent + logged(machine) == 2 * count)
    }

    @Test func `what a service that ends has not confirmed is recorded with the next one`() throws {
        let machine = try Self.machine()
        let listener = try AuditListener(folder: machine.path)
        listener.setAnswers(false)
        defer { listener.stop() }
        listener.read()
        let engine = try Self.open(machine)
        for number in 0..<10 { _ = engine.write(.integer(number), forKey: "HomePage") }
        while listener.attempts < 10 { Clock.pause(microseconds: 1_000) }
        listener.hangUp()
        listener.setAnswers(true)
        _ = engine.write(.integer(99), forKey: "HomePage")
        engine.store.flushAttempts()
        let drops = listener.lines.filter { $0.contains(#""kind":"drop""#) }
        #expect(drops.count == 1 && drops.first?.contains("unconfirmed") == true)
        // The last attempt may have been sent before the end was seen: then it is one of those that were not confirmed.
        let unconfirmed = drops.reduce(0) { $0 + AuditListener.count(of: $1) }
        #expect((10...11).contains(unconfirmed) && unconfirmed + listener.attempts == 21)
    }

    @Test func `the service is told once which domains were opened`() throws {
        let machine = try Self.machine()
        let listener = try AuditListener(folder: machine.path)
        defer { listener.stop() }
        listener.read()
        let one = try Self.open(machine)
        let other = try Self.open(machine)
        _ = one.write(.integer(1), forKey: "HomePage")
        one.store.flushAttempts()
        withExtendedLifetime(other) {}
        #expect(listener.messages.filter { $0.contains(" opened\n") } == ["MD1 0 opened\norg.example.Browser\n"])
    }
}
