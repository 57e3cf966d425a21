import Foundation
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDTestSupport
import Testing

/// Tests that a log belongs to one machine.
struct LogMachineTests {
    private static let ids = [String(repeating: "a", count: 32), String(repeating: "b", count: 32)]
    private static let digests = ["1", "2"].map { String(repeating: $0, count: 64) }

    /// Writes what root knows of the hardware since the boot.
    private func setHardware(_ temporary: TemporaryMachine, board: String = "-", card: String = "-") throws {
        try temporary.write("run/managed-defaults/hardware", "managed-defaults machine 1\n-\n\(board)\n\(card)\n")
    }

    private func notes(_ temporary: TemporaryMachine) throws -> [String] {
        try AuditLog(root: temporary.root).records().records.filter { $0.kind == .recover }.compactMap(\.note)
    }

    private func append(_ temporary: TemporaryMachine) throws -> AppendResult {
        try AuditLog(root: temporary.root).append([TemporaryMachine.record()])
    }

    @Test(arguments: ["id", "board", "card"])
    func `a copy of a log is set aside with its key, and the log of the copy says so`(fact: String) throws {
        let temporary = try TemporaryMachine()
        /// Makes the facts those of the first or the second machine.
        func be(_ number: Int) throws {
            try temporary.write("etc/machine-id", LogMachineTests.ids[fact == "id" ? number : 0] + "\n")
            let digests = LogMachineTests.digests
            try setHardware(
                temporary, board: fact == "card" ? "-" : digests[fact == "board" ? number : 0],
                card: digests[fact == "card" ? number : 0])
        }
        try be(0)
        #expect(try append(temporary).alarm == nil && append(temporary).alarm == nil)
        let old = try #require(Checkpoint.newest(of: temporary.root))
        let key = try temporary.readLog("key")
        try be(1)
        let result = try append(temporary)
        #expect(result.sequences == 2...2 && result.alarm?.contains("another machine") == true)
        #expect(
            try notes(temporary) == [
                "This log was begun because the one that was here belongs to another machine, as a copied disk has it: "
                    + "the log \(old.logID), whose last record here is 2."
            ])
        let new = try #require(Checkpoint.newest(of: temporary.root))
        #expect(new.origin != old.origin && AuditVerifier.verify(root: temporary.root).status == .gaps)
        #expect(try temporary.readLog("key-\(old.logID)") == key && temporary.readLog("key") != key)
        let aside = LogFiles.aside(old.logID)
        #expect(Checkpoint(text: try temporary.root.read(aside.checkpoint, limit: 4_096).bytes)?.size == 2)
        #expect(try append(temporary) == AppendResult(sequences: 3...3, alarm: nil))
    }

    @Test func `a fact that is missing, comes or goes makes no other machine`() throws {
        let temporary = try TemporaryMachine()
        let (first, second) = (LogMachineTests.digests[0], LogMachineTests.digests[1])
        #expect(try append(temporary).alarm == nil)
        #expect(try !temporary.logNames().contains("machine"))
        try temporary.write("etc/machine-id", LogMachineTests.ids[0] + "\n")
        #expect(try append(temporary).alarm == nil)
        try setHardware(temporary, card: first)
        #expect(try append(temporary).alarm == nil)
        // Another card in the same board.
        try setHardware(temporary, board: first, card: first)
        #expect(try append(temporary).alarm == nil)
        try setHardware(temporary, board: first, card: second)
        #expect(try append(temporary).alarm == nil)
        // Ids of one boot: only the hardware counts.
        try temporary.write("run/machine-id", LogMachineTests.ids[1] + "\n")
        try temporary.write("etc/machine-id", LogMachineTests.ids[1] + "\n")
        #expect(try append(temporary).alarm == nil)
        for text in ["", "managed-defaults machine 1\n-\n-\n", "managed-defaults machine 2\n-\n\(second)\n-\n"] {
            try temporary.write("run/managed-defaults/hardware", text)
            #expect(try append(temporary).alarm == nil)
        }
        try setHardware(temporary, board: second)
        #expect(try append(temporary).alarm != nil)
        #expect(try notes(temporary).count == 1)
    }
}
