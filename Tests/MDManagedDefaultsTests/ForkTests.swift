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
        // A child may hang in a lock of Swift's runtime, which the check of forks shows by its backtrace.
        #expect(result.output.hasPrefix("swift: 40 forks, "), "\(result)")
        #expect(result.output.hasSuffix(" hung, 0 wrong [:]\n"), "\(result)")
    }
}
