import MDEngine
import MDPlatform
import MDPolicyCore
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDCare
@testable import MDPrograms

/// Each user's instance of a program's folder has what holds for the user, and what others wrote into the folder.
struct InstanceTests {
    let machine: TemporaryMachine
    let home = "run/managed-defaults/programs/chromium"
    let file = "managed/zz-managed-defaults.json"

    init() throws {
        machine = try TemporaryMachine(.classroom)
        try machine.write("etc/chromium/policies/managed/10-school.json", "{\"School\": 1}")
        try machine.policy(
            "10.json", "{ \"Identifier\": \"p.all\", \"Forced\": { \"org.chromium.Chromium\": { \"A\": \"all\" } } }")
        try machine.policy(
            "20.json",
            "{ \"Identifier\": \"p.alice\", \"Target\": { \"Users\": [\"alice\"] },"
                + "\"Forced\": { \"org.chromium.Chromium\": { \"B\": \"${user}\" } } }")
        try LoginInstances.setEnabled(true, in: machine.root)
        _ = try programs.write()
    }

    private var programs: MachinePrograms { MachinePrograms(machine: PolicyMachine(root: machine.root).policy()) }

    /// Prepares a session as PAM does, in a process of its own.
    private func prepare(_ user: String) throws {
        let result = try machine.mdefaults(["--user", user, "programs", "prepare"])
        #expect(result.code == 0)
    }

    private func members(_ user: String) throws -> [Key: Value] {
        try PlainJSON.object(machine.read("\(home)/\(user)/\(file)"))
    }

    @Test func `the configuration names each program once`() throws {
        let text = try machine.text("etc/security/namespace.d/managed-defaults.conf")
        #expect(
            text.split(separator: "\n").dropFirst() == [
                "/etc/chromium/policies /run/managed-defaults/programs/chromium/ user:create=0755,root,root root"
            ])
    }

    @Test func `a session gets what holds for its user`() throws {
        try prepare("alice")
        try prepare("bob")
        #expect(try members("alice") == ["A": .string("all"), "B": .string("alice")])
        #expect(try members("bob") == ["A": .string("all")])
        #expect(try machine.text("\(home)/alice/managed/10-school.json") == "{\"School\": 1}")
    }

    @Test func `a change of policy reaches the instances that there are`() throws {
        try prepare("alice")
        try machine.policy(
            "20.json",
            "{ \"Identifier\": \"p.alice\", \"Target\": { \"Users\": [\"alice\"] },"
                + "\"Forced\": { \"org.chromium.Chromium\": { \"B\": \"new\" } } }")
        try machine.remove("etc/chromium/policies/managed/10-school.json")
        let result = try programs.write()
        #expect(result.instances.map { "\($0.program) \($0.user)" } == ["chromium alice", "kde alice"])
        #expect(try members("alice") == ["A": .string("all"), "B": .string("new")])
        #expect(machine.names("\(home)/alice/managed") == ["zz-managed-defaults.json"])
    }

    @Test func `who is unknown gets what the strictest user has`() throws {
        // Found in no account database: as if a directory service did not answer.
        try prepare("stranger")
        #expect(try members("stranger") == ["A": .string("all")])
    }

    @Test func `while it is unknown what holds a new instance is never empty`() throws {
        try machine.write("var/lib/managed-defaults/policy.record", "damaged")
        try machine.write("etc/managed-defaults/policies.d/10.json", "{ broken")
        #expect(!programs.machine.knowledge.isDecisive)
        try prepare("bob")
        #expect(try members("bob") == ["A": .string("all")])
    }

    @Test func `what is written for everybody is no instance`() throws {
        let all = try PlainJSON.object(machine.read("etc/chromium/policies/\(file)"))
        #expect(all == ["A": .string("all")])
    }

    @Test func `disabling leaves nothing`() throws {
        try prepare("alice")
        try LoginInstances.setEnabled(false, in: machine.root)
        _ = try programs.write()
        for program in ProgramCatalog.all { try InstanceFolder(of: program, in: machine.root)?.removeAll() }
        try LoginInstances.removeHome(in: machine.root)
        #expect(machine.names("run") == [])
        #expect(machine.names("etc/security") == [])
        #expect(machine.names("etc/chromium/policies/managed") == ["10-school.json", "zz-managed-defaults.json"])
    }
}
