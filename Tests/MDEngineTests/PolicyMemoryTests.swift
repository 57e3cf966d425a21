import MDPolicyCore
import Testing

@testable import MDEngine

/// What a process makes of a machine that looks as if it never had policy.
struct PolicyMemoryTests {
    /// A reading, as what is known after it.
    private func reading(
        _ memory: PolicyMemory, _ record: RecordedFiles, hasFiles: Bool = true, isManaged: Bool = true,
        _ knowledge: PolicyKnowledge = .known
    ) -> PolicyKnowledge {
        memory.review(knowledge, record: record, hasFiles: hasFiles, isManaged: isManaged)
    }

    @Test func `what a record named ends by a record alone`() {
        let memory = PolicyMemory()
        #expect(reading(memory, .missing, hasFiles: false, isManaged: false) == .known)
        #expect(reading(memory, .some) == .known)
        #expect(reading(memory, .missing, hasFiles: false, isManaged: false).failure == "the record of policy is gone")
        // Half of a restore.
        #expect(!reading(memory, .missing, hasFiles: false).isDecisive)
        #expect(!reading(memory, .missing).isDecisive)
        #expect(reading(memory, .none, hasFiles: false) == .known)
        #expect(reading(memory, .missing, hasFiles: false, isManaged: false) == .known)
    }

    @Test func `files without a record hold until their folders are there without them`() {
        let memory = PolicyMemory()
        #expect(reading(memory, .missing) == .known)
        #expect(!reading(memory, .missing, hasFiles: false, isManaged: false).isDecisive)
        #expect(reading(memory, .missing, hasFiles: false) == .known)
        #expect(reading(memory, .missing, hasFiles: false, isManaged: false) == .known)
    }

    @Test func `what was unknown does not become nothing`() {
        let memory = PolicyMemory()
        #expect(reading(memory, .some, .unknown(because: "x")) == .unknown(because: "x"))
        #expect(!reading(memory, .missing, hasFiles: false, isManaged: false).isDecisive)
    }
}
