import Foundation
import MDTestSupport
import Testing

/// Whether the machine that runs the tests has the zone of the examples.
private let hasZone = FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Zurich")

/// The answers of all verbs that write nothing, about the machines of the examples and of the policy fixtures.
///
/// `Golden/behaviour` has one file a machine and one line an answer, so that a difference names the question. A change
/// of the code that is not meant to change an answer leaves all of them byte for byte the same.
@Suite(.enabled(if: hasZone, "there is no /usr/share/zoneinfo/Europe/Zurich"))
struct BehaviourTests {
    /// The policy fixtures.
    private static let fixtures = "Tests/MDPolicyTests/Fixtures"

    /// Every machine, in a fixed order.
    static var machines: [AskedMachine] {
        let folder = "\(Lab.repository)/\(fixtures)"
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        return [
            AskedMachine(
                name: "lab", source: "Examples/lab", moments: ["2026-11-20T09:30:00+01:00"],
                visits: [.init(user: "alice", host: "room2-pc01", moment: "2026-11-20T09:30:00+01:00")],
                dependsOnTime: false),
            AskedMachine(
                name: "exam-room", source: "Examples/exam-room",
                moments: ["2026-11-23T09:30:00+01:00", "2026-11-23T14:00:00+01:00", "2026-11-22T10:00:00+01:00"]),
        ] + names.compactMap { AskedMachine(fixture: $0, in: fixtures) }
    }

    @Test func `finds its machines`() {
        #expect(Self.machines.count >= 19)
        let kept = try? FileManager.default.contentsOfDirectory(atPath: Golden.folder + "/behaviour")
        #expect(kept.map(Set.init) == Set(Self.machines.map { $0.name + ".jsonl" }))
    }

    @Test(arguments: machines)
    func `answers as is kept`(_ machine: AskedMachine) throws {
        try Golden.expect(lines: try machine.answers().map(Golden.withoutTimes), "behaviour/\(machine.name).jsonl")
    }
}
