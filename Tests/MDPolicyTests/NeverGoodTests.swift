import Foundation
import Glibc
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import Testing

/// An entry with the name of a policy file that can never be one forces nothing, and does not prevent the other files
/// from being read.
struct NeverGoodTests {
    /// The name that it has.
    static let path = FailingClosedTests.directory + "/60-b.json"

    /// The kinds of entries.
    enum Oddity: CaseIterable {
        case directory, fifo, socket, device, tooLarge
        case linkToItself, linkToDirectory, linkToSocket, linkToNoName, linkToNothing

        /// Creates the entry.
        func put(into machine: TemporaryMachine, at path: String = NeverGoodTests.path) throws {
            switch self {
            case .directory: try machine.makeDirectory(path)
            case .fifo: try #require(mkfifo(machine.url(path).path, 0o644) == 0)
            case .socket: try makeSocket(path, machine)
            case .device: try #require(mknod(machine.url(path).path, S_IFCHR | 0o644, 0x103) == 0)
            case .tooLarge:
                try machine.write(path, "{}")
                try #require(truncate(machine.url(path).path, 17 << 20) == 0)
            case .linkToItself: try machine.link(path, to: (path as NSString).lastPathComponent)
            case .linkToDirectory: try machine.link(path, to: "/etc/managed-defaults")
            case .linkToSocket:
                try makeSocket("/etc/s", machine)
                try machine.link(path, to: "/etc/s")
            case .linkToNoName: try machine.link(path, to: String(repeating: "n", count: 300))
            case .linkToNothing: try machine.link(path, to: "/nowhere")
            }
        }

        /// Makes a socket without a listener.
        private func makeSocket(_ path: String, _ machine: TemporaryMachine) throws {
            try #require(mknod(machine.url(path).path, S_IFSOCK | 0o644, 0) == 0)
        }

        /// Whether the user who runs the tests can create it.
        var isPossible: Bool { self != .device || getuid() == 0 }
    }

    @Test(arguments: [false, true], Oddity.allCases.filter(\.isPossible))
    func `forces nothing and freezes nothing, and every command says so`(_ isRecorded: Bool, _ oddity: Oddity) throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        if isRecorded { machine.apply() }
        try oddity.put(into: machine)
        for isApplied in [false, true] {
            if isApplied {
                machine.apply()
                #expect(machine.names("/var/lib/managed-defaults").contains("policy.record"))
            }
            let set = machine.load()
            #expect(set.knowledge.isDecisive)
            #expect(try machine.level(in: set) == .integer(1))
            #expect(set.files.map(\.source) == [.current, isApplied ? .none : .notRecorded])
            #expect(set.files.last?.isLost == false)
            #expect(set.files.last?.diagnostics.last?.code == LintCode.notInForce.rawValue)
        }
        // A broken file still has its recorded copy.
        try machine.write(FailingClosedTests.directory + "/50-a.json", "{")
        let set = machine.load()
        #expect(set.knowledge.isDecisive)
        #expect(try machine.level(in: set) == .integer(1))
    }
}
