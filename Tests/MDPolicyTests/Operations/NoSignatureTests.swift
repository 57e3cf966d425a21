import Foundation
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import Testing

/// An entry with the name of a signature that can never be one leaves its file unsigned, and does not prevent the other
/// files from being read.
@Suite(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ssh-keygen"), "ssh-keygen is not installed"))
struct NoSignatureTests {
    private static let path = NeverGoodTests.path + ".sig"

    /// A machine that asks for signatures, with one file that is signed and one that is not.
    private static func machine(_ signer: SignatureTests.Signer, isRecorded: Bool) throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        try signer.sign(machine.url(SignatureTests.file).path)
        try machine.write(SignatureTests.trust, try signer.line("admin@example.org"))
        if isRecorded { GenerationTests.apply(machine) }
        try machine.force("60-b.json", 2)
        return machine
    }

    /// Checks that the file without a signature forces nothing, and that the other one is in force and recorded.
    private static func check(_ machine: TemporaryMachine, _ signer: SignatureTests.Signer) throws {
        for isFirst in [true, false] {
            // Only a process that records asks the tool.
            for (set, source, code): (PolicySet, PolicyFileState.Source, LintCode) in [
                (GenerationTests.apply(machine).set, isFirst ? .notRecorded : .none, .unsigned),
                (machine.load(), .none, .signatureUnknown),
            ] {
                #expect(set.knowledge.isDecisive)
                #expect(set.files.map(\.source) == [.current, source])
                #expect(try machine.level(in: set) == .integer(1))
                #expect(set.files.last?.diagnostics.contains { $0.code == code.rawValue } == true)
                #expect(set.problems == [])
            }
            #expect(machine.names("/var/lib/managed-defaults").contains("policy.record"))
            #expect(!machine.names("/var/lib/managed-defaults/generations").isEmpty)
        }
        try machine.remove(path)
        try signer.sign(machine.url(NeverGoodTests.path).path)
        #expect(try machine.level(in: GenerationTests.apply(machine).set) == .integer(2))
    }

    @Test(arguments: [false, true], NeverGoodTests.Oddity.allCases.filter(\.isPossible))
    func `what can be no signature is none`(_ isRecorded: Bool, _ oddity: NeverGoodTests.Oddity) throws {
        let signer = try SignatureTests.Signer()
        let machine = try Self.machine(signer, isRecorded: isRecorded)
        try oddity.put(into: machine, at: Self.path)
        try Self.check(machine, signer)
    }

    @Test(arguments: NeverGoodTests.Oddity.allCases.filter(\.isPossible))
    func `a rollback puts the signature back, or says that it cannot`(_ oddity: NeverGoodTests.Oddity) throws {
        let signer = try SignatureTests.Signer()
        let machine = try Self.machine(signer, isRecorded: false)
        try signer.sign(machine.url(NeverGoodTests.path).path)
        GenerationTests.apply(machine)
        let signature = try machine.read(Self.path)
        try machine.remove(Self.path)
        try oddity.put(into: machine, at: Self.path)
        #expect(GenerationTests.apply(machine).set.files.map(\.source) == [.current, .lastGood])
        guard ![.directory, .fifo, .socket, .device].contains(oddity) else {
            let error = #expect(throws: OperationError.self) { try GenerationTests.rollBack(machine, to: 1) }
            #expect(error?.description.contains("60-b.json.sig") == true, "\(error as Any)")
            try machine.remove(Self.path)
            try GenerationTests.rollBack(machine, to: 1)
            #expect(try machine.read(Self.path) == signature)
            return
        }
        try GenerationTests.rollBack(machine, to: 1)
        #expect(try machine.read(Self.path) == signature)
        #expect(GenerationTests.apply(machine).set.files.map(\.source) == [.current, .current])
    }

    @Test func `a signature that is a link is kept, and put back`() throws {
        let signer = try SignatureTests.Signer()
        let machine = try Self.machine(signer, isRecorded: false)
        let elsewhere = "/etc/signatures/60-b.json.sig"
        try signer.sign(machine.url(NeverGoodTests.path).path)
        let signature = try machine.read(Self.path)
        try machine.write(elsewhere, signature)
        try machine.remove(Self.path)
        try machine.link(Self.path, to: elsewhere)
        GenerationTests.apply(machine)
        try machine.write(elsewhere, "")
        GenerationTests.apply(machine)
        try GenerationTests.rollBack(machine, to: 1)
        #expect(try machine.root.read(Self.path, limit: 65_536).bytes == signature)
        #expect(GenerationTests.apply(machine).set.files.map(\.source) == [.current, .current])
    }

    @Test(arguments: [false, true])
    func `a signature that others can write is none`(_ isRecorded: Bool) throws {
        let signer = try SignatureTests.Signer()
        let machine = try Self.machine(signer, isRecorded: isRecorded)
        try signer.sign(machine.url(NeverGoodTests.path).path)
        try machine.setMode(Self.path, 0o666)
        try Self.check(machine, signer)
    }
}
