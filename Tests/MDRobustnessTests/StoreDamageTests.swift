import Foundation
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import Testing

/// Damage to what policy records: the record and the good copies.
@Suite(.serialized)
struct StoreDamageTests {
    @Test func `survives any damage to the record`() async {
        let progress = Sweep.progressPath()
        await #expect(processExitsWith: .success) { [progress = progress as String] in
            let lab = try TemporaryMachine(attempts: 0)
            try StoreDamage.keep(["10-site.json", "00-exam-today.json"], in: lab)
            let record = TemporaryMachine.state + "/policy.record"
            let bytes = try lab.read(record)
            let before = try StoreDamage.forced(lab)
            var sweep = Sweep(progress: progress)
            sweep.run(record, bytes) { _, _, damaged in
                try lab.overwrite(record, damaged)
                return try StoreDamage.forced(lab) == before ? nil : "a forced value changed"
            }
        }
        Sweep.check(progress)
    }

    @Test func `frees nothing while the record is damaged and a file is broken`() async {
        let progress = Sweep.progressPath()
        await #expect(processExitsWith: .success) { [progress = progress as String] in
            let lab = try TemporaryMachine(attempts: 0)
            try StoreDamage.keep(["10-site.json", "40-room1.json"], in: lab)
            try lab.overwrite("/etc/managed-defaults/policies.d/10-site.json", Array("{".utf8))
            let record = TemporaryMachine.state + "/policy.record"
            let bytes = try lab.read(record)
            #expect(PolicyStore(root: lab.root).load().knowledge.isDecisive)
            var sweep = Sweep(progress: progress)
            sweep.run(record, bytes) { _, _, damaged in
                try lab.overwrite(record, damaged)
                return PolicyStore(root: lab.root).load().knowledge.isDecisive ? "what is forced counts as known" : nil
            }
        }
        Sweep.check(progress)
    }

    /// Two of the lab's files: whatever a copy contains, only its digest is looked at before it is parsed.
    @Test(arguments: ["40-room1.json", "45-cad.plist"])
    func `uses a good copy only while it is whole`(_ name: String) async {
        let progress = Sweep.progressPath()
        await #expect(processExitsWith: .success) { [name, progress = progress as String] in
            let lab = try TemporaryMachine(attempts: 0)
            try StoreDamage.keep([name], in: lab)
            let copies = TemporaryMachine.state + "/good"
            let names = lab.names(copies)
            let copy = try #require(names.first)
            try #require(names == [copy])
            let bytes = try lab.read("\(copies)/\(copy)")
            try lab.overwrite("/etc/managed-defaults/policies.d/\(name)", Array("{".utf8))
            let before = try StoreDamage.forced(lab)
            try #require(before.contains { !$0.isEmpty })
            var sweep = Sweep(progress: progress)
            sweep.run(copy, bytes) { _, _, damaged in
                try lab.overwrite("\(copies)/\(copy)", damaged)
                let set = PolicyStore(root: lab.root).load()
                guard set.files.map(\.isLost) == [true], set.files.allSatisfy({ $0.policy == nil }) else {
                    return "a damaged copy is in force"
                }
                guard !set.knowledge.isDecisive else { return "what is forced counts as known" }
                let codes = set.files.flatMap(\.diagnostics).map(\.code)
                return codes.contains("damaged-copy") && codes.contains("not-in-force") ? nil : "it is not said"
            }
            try lab.overwrite("\(copies)/\(copy)", bytes)
            #expect(try StoreDamage.forced(lab) == before)
        }
        Sweep.check(progress)
    }
}

/// What the tests of the store share.
private enum StoreDamage {
    /// Removes all policy files but these, and records what is left.
    static func keep(_ names: [String], in lab: TemporaryMachine) throws {
        for folder in ["/etc/managed-defaults/policies.d", "/run/managed-defaults/policies.d"] {
            for name in lab.names(folder) where !names.contains(name) {
                try FileManager.default.removeItem(atPath: "\(lab.path)\(folder)/\(name)")
            }
        }
        let recorder = PolicyChangeRecorder(root: lab.root)
        let result = PolicyStore(root: lab.root, settlingTime: 1_000).apply { recorder.record($0) }
        try #require(result.isRecorded && result.set.files.count == names.count)
    }

    /// What is forced for each user.
    static func forced(_ lab: TemporaryMachine) throws -> [[String]] {
        let machine = try PolicyMachine(folder: lab.path).policy()
        return machine.people.map { machine.policies.resolve(for: machine.subject(for: $0)).forcedLines }
    }
}
