import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDAuditDaemon

/// What was taken from each sender is settled once, whenever the service is killed.
struct SenderLedgerTests {
    /// A machine with the folder of the files.
    private static func machine() throws -> TemporaryMachine {
        let machine = try TemporaryMachine(.none)
        try machine.root.createDirectory("/run/mdefaultsd", mode: 0o755)
        return machine
    }

    /// The counts of the process that follows a killed one, by reason, if the log has the lines of these fingerprints.
    private func counts(_ machine: TemporaryMachine, stored: Set<Int64> = []) throws -> [String: Int] {
        let copy = try TemporaryMachine(copyOf: machine)
        var drops = DropCounters.open(root: copy.root, ledger: SenderLedger.open(root: copy.root)) {
            $0.intersection(stored)
        }
        var sums: [String: Int] = [:]
        for record in drops.records() {
            let reason = record.note?.split(separator: ":").first.map(String.init) ?? ""
            sums[reason, default: 0] += record.count ?? 0
        }
        // A second start counts nothing again.
        drops.clear()
        let next = DropCounters.open(root: copy.root, ledger: SenderLedger.open(root: copy.root)) {
            $0.intersection(stored)
        }
        let more = next.records().count
        #expect(more == 0)
        return sums
    }

    @Test func `what was taken and neither stored nor counted is lost, and counted by the next process`() throws {
        let machine = try Self.machine()
        let ledger = SenderLedger.open(root: machine.root)
        #expect(ledger.problem == nil)
        let one = try #require(ledger.open(person: 1_000))
        let other = try #require(ledger.open(person: 1_001))
        ledger.take(.init(seen: 10), from: one)
        ledger.take(.init(seen: 7), from: other)
        ledger.giveBack(4, to: one)
        #expect(try counts(machine) == ["interrupted": 13])
        // Records of the batch are settled as far as the log has them.
        ledger.begin(
            [
                .init(connection: one, attempts: .init(seen: 2)), .init(connection: nil),
                .init(connection: other, attempts: .init(seen: 7)),
            ],
            [21, 22, 23])
        #expect(try counts(machine, stored: [20]) == ["interrupted": 13])
        #expect(try counts(machine, stored: [21]) == ["interrupted": 11])
        #expect(try counts(machine, stored: [21, 22]) == ["interrupted": 11])
        #expect(try counts(machine, stored: [21, 22, 23]) == ["interrupted": 4])
        // Other records may have their numbers.
        #expect(try counts(machine, stored: [31, 32, 33]) == ["interrupted": 13])
        ledger.finish(1)
        #expect(try counts(machine, stored: [21, 22, 23]) == ["interrupted": 11])
        ledger.giveBack(4, to: one)
        #expect(try counts(machine, stored: [21, 22, 23]) == ["interrupted": 7])
        // A client that is gone is still accounted for.
        ledger.close(other, isKept: false)
        #expect(try counts(machine, stored: [21, 22, 23]) == ["interrupted": 7])
        ledger.giveBack(7, to: other)
        #expect(try counts(machine, stored: [21, 22, 23]) == [:])
        withExtendedLifetime(ledger) {}
    }

    @Test func `of what is lost, as much is a claim as a count may have added to the lines`() throws {
        let machine = try Self.machine()
        let ledger = SenderLedger.open(root: machine.root)
        let connection = try #require(ledger.open(person: 1_000))
        ledger.take(.init(seen: 2, claimed: 1_000_000_000), from: connection)
        #expect(try counts(machine) == ["interrupted": 2, "claimed": 1_000_000_000])
        ledger.giveBack(1_000_000_001, to: connection)
        #expect(try counts(machine) == ["claimed": 1])
        // Once nothing is open, the next lines are seen.
        ledger.giveBack(1, to: connection)
        ledger.take(.init(seen: 5), from: connection)
        #expect(try counts(machine) == ["interrupted": 5])
        withExtendedLifetime(ledger) {}
    }

    @Test func `a count is there once, whether it was saved or not`() throws {
        let machine = try Self.machine()
        let ledger = SenderLedger.open(root: machine.root)
        var drops = DropCounters.open(root: machine.root, ledger: ledger) { _ in [] }
        drops.mark(isRunning: true)
        let connection = try #require(ledger.open(person: 1_000))
        ledger.take(.init(seen: 1_000), from: connection)
        var sum = 0
        for number in 1...40 {
            drops.add(
                .init(seen: number), number % 3 == 0 ? .rate : .volume, of: 1_000, at: Clock.now(), from: connection)
            sum += number
            if number % 16 == 0 { drops.save() }
            guard number % 5 == 0 else { continue }
            let found = try counts(machine)
            #expect((found["rate"] ?? 0) + (found["volume"] ?? 0) == sum)
            #expect(found["interrupted"] == 1_000 - sum)
        }
        // More than the ledger notes at once.
        for _ in 0..<180 { drops.add(.init(seen: 1), .rate, of: 1_000, at: Clock.now(), from: connection) }
        #expect(try counts(machine) == ["rate": 273 + 180, "volume": 547])
        withExtendedLifetime(ledger) {}
    }

    @Test func `places are used again, and a number of a connection that is gone settles nothing`() throws {
        let machine = try Self.machine()
        let ledger = SenderLedger.open(root: machine.root)
        let first = try #require(ledger.open(person: 1))
        ledger.close(first, isKept: false)
        let second = try #require(ledger.open(person: 2))
        #expect(first != second)
        ledger.take(.init(seen: 5), from: second)
        ledger.giveBack(5, to: first)
        #expect(try counts(machine) == ["interrupted": 5])
        for _ in 0..<3_000 {
            let kept = try #require(ledger.open(person: 3))
            ledger.close(kept, isKept: true)
        }
        var open: [Int] = []
        while let connection = ledger.open(person: 4) { open.append(connection) }
        #expect(open.count == TakenAttempts.capacity - 1)
    }

    @Test func `damaged numbers are no reason to end`() throws {
        let machine = try Self.machine()
        var random = SplitMix(state: 9)
        for round in 0..<20 {
            do {
                let ledger = SenderLedger.open(root: machine.root)
                let connection = ledger.open(person: 5)
                ledger.take(.init(seen: 3), from: connection)
                ledger.begin([.init(connection: connection, attempts: .init(seen: 2))], [1])
            }
            for path in ["run/mdefaultsd/settled", "run/mdefaultsd/taken"] {
                var bytes = try machine.read(path)
                for _ in 0..<2_000 {
                    // The version and the boot stay, because everything starts again without them.
                    let place = Int.random(in: (round % 2 == 0 ? 16 : 0)..<bytes.count, using: &random)
                    bytes[place] = UInt8.random(in: 0...255, using: &random)
                }
                try machine.write(path, bytes)
            }
            var drops = DropCounters.open(root: machine.root, ledger: SenderLedger.open(root: machine.root)) { $0 }
            drops.save()
        }
    }
}
