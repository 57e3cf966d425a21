import Foundation
import Glibc
import Platform
import PropertyList
import Testing

@testable import Policy

/// Rollbacks that must not begin, cannot be written, or are taken back before they are over.
struct RollbackFailureTests {
    /// The administrator's directory.
    private static let directory = "/etc/managed-defaults/policies.d"

    /// Goes back, and says what was reported as changed.
    @discardableResult
    private static func rollBack(
        _ machine: TestMachine, to number: Int?, announce: (Generation) -> Bool = { _ in true }
    ) throws -> (result: RollbackResult, changes: [PolicyChange]) {
        var changes: [PolicyChange] = []
        let result = try PolicyStore(root: machine.root, thorough: true).rollBack(to: number, announce: announce) {
            changes += $0
            return true
        }
        return (result, changes)
    }

    @Test func `a rollback writes no first record of half a look`() throws {
        let machine = try TestMachine()
        try machine.force("10-a.json", 1)
        GenerationTests.apply(machine)
        try machine.force("10-a.json", 2)
        try machine.force("00-r.json", 7, more: "\"Enforced\": true,", place: "run")
        GenerationTests.apply(machine)
        // What the folder of /run forces can no longer be told.
        try machine.setMode("/run/managed-defaults/policies.d", 0o777)
        for name in ["policy.record", "policy.table", "good"] {
            try machine.remove("/var/lib/managed-defaults/\(name)")
        }
        let before = try GenerationTests.content(machine)
        let applied = GenerationTests.apply(machine).set
        #expect(applied.uncertainty != nil)
        #expect(
            applied.diagnostics.contains { $0.message.hasSuffix("and no good copy of any of its files is in force") })
        let error = #expect(throws: OperationError.self) { try Self.rollBack(machine, to: 1) }
        #expect(error?.description.contains("not all of policy can be read") == true, "\(error as Any)")
        #expect(!machine.names("/var/lib/managed-defaults").contains("policy.record"))
        #expect(machine.load(renewing: false).uncertainty != nil)
        #expect(try GenerationTests.content(machine) == before)
        try machine.setMode("/run/managed-defaults/policies.d", 0o755)
        try Self.rollBack(machine, to: 1)
        #expect(try machine.level() == .integer(7))
    }
}
