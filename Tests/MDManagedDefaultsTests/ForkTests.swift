import Foundation
import MDTestSupport
import Testing

/// Children that fork(2) made in a program with threads; `Tests/Checks/Fork/run` has the same in other languages.
@Suite(.timeLimit(.minutes(5)))
struct ForkTests {
    /// A machine with policy for the program.
    private func machine() throws -> TemporaryMachine {
        let policy = #"{ "Identifier": "a", "Forced": { "org.example.Fork": { "Page": "value" } } }"#
        let machine = try TemporaryMachine(policy: policy)
        try machine.apply()
        return machine
    }

    @Test func `a lock that is held at a fork is free in the child`() throws {
        let machine = try machine()
        let result = try SpawnedProgram.run(BuiltProgram.path("fork-check"), ["held", machine.path])
        #expect(result.code == 0, "\(result)")
    }

    @Test func `children go on beside threads that write`() throws {
        let machine = try machine()
        let result = try SpawnedProgram.run(BuiltProgram.path("fork-check"), ["40", machine.path])
        #expect(result.code == 0, "\(result)")
        #expect(result.output == "swift: 40 forks, 0 hung, 0 wrong [:]\n")
    }
}
