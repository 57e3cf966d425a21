import Foundation
import Glibc
import Platform
import Policy
import PropertyList
import Testing

/// What has the name of a policy file and can never be one forces nothing, and keeps nothing else from its place.
struct NeverGoodTests {
    /// The name that it has.
    static let path = FailingClosedTests.directory + "/60-b.json"

    /// What may have the name.
    enum Oddity: CaseIterable {
        case directory, fifo, socket, device, tooLarge
        case linkToItself, linkToDirectory, linkToSocket, linkToNoName, linkToNothing

        /// Puts it there.
        func put(into machine: TestMachine, at path: String = NeverGoodTests.path) throws {
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

        /// Makes a socket that nobody listens at.
        private func makeSocket(_ path: String, _ machine: TestMachine) throws {
            try #require(mknod(machine.url(path).path, S_IFSOCK | 0o644, 0) == 0)
        }

        /// Whether whoever runs the tests can make it.
        var isPossible: Bool { self != .device || getuid() == 0 }
    }

    @Test(arguments: [false, true], Oddity.allCases.filter(\.isPossible))
    func `forces nothing and freezes nothing, and every command says so`(_ isRecorded: Bool, _ oddity: Oddity) throws {
        let machine = try TestMachine()
        try machine.force("50-a.json", 1)
        if isRecorded { machine.load() }
        try oddity.put(into: machine)
        for renewing in [false, true, true, false] {
            let set = machine.load(renewing: renewing)
            #expect(set.uncertainty == nil)
            #expect(try machine.level(in: set) == .integer(1))
            #expect(set.files.map(\.source) == [.current, .none])
            #expect(set.files.last?.isLost == false)
            #expect(set.files.last?.diagnostics.last?.code == LintCode.notInForce.rawValue)
            if renewing { #expect(machine.names("/var/lib/managed-defaults").contains("policy.record")) }
        }
        // A broken file still has its good copy.
        try machine.write(FailingClosedTests.directory + "/50-a.json", "{")
        let set = machine.load()
        #expect(set.uncertainty == nil)
        #expect(try machine.level(in: set) == .integer(1))
    }

    @Test func `what somebody may not read is unknown only where it may be a file`() throws {
        let machine = try TestMachine()
        try machine.force("50-a.json", 1)
        machine.load()
        let other = machine.root.read(as: FileReader(uid: getuid() + 1, groups: []))
        try machine.makeDirectory(Self.path)
        try machine.setMode(Self.path, 0o700)
        #expect(PolicyStore(root: other).load(renewing: false).uncertainty == nil)
        try machine.remove(Self.path)
        try machine.force("60-b.json", 2)
        try machine.setMode(Self.path, 0o600)
        let set = PolicyStore(root: other).load(renewing: false)
        #expect(set.uncertainty?.contains("Permission denied") == true)
        // What is recorded has a copy that everybody can read.
        machine.load()
        let recorded = PolicyStore(root: other).load(renewing: false)
        #expect(recorded.uncertainty == nil)
        #expect(try machine.level(in: recorded) == .integer(2))
    }

    @Test func `what somebody may not read forces nothing where a newer record says so`() throws {
        let machine = try TestMachine()
        try machine.force("50-a.json", 1)
        machine.load()
        let other = machine.root.read(as: FileReader(uid: getuid() + 1, groups: []))
        let record = "/var/lib/managed-defaults/policy.record"
        /// When the kernel last saw a change of a file.
        func changed(_ path: String) throws -> Int64 {
            try machine.root.status(path, followingLinks: true).changed
        }
        /// Breaks the file, later than the record.
        func breakFile(_ text: String) throws {
            repeat {
                try machine.write(Self.path, text)
                try machine.setMode(Self.path, 0o600)
            } while try changed(Self.path) <= changed(record)
        }
        for text in ["{", "{ {", "{ {"] {
            try breakFile(text)
            #expect(PolicyStore(root: other).load(renewing: false).uncertainty != nil)
            machine.load()
            let set = PolicyStore(root: other).load(renewing: false)
            #expect(set.uncertainty == nil)
            #expect(try machine.level(in: set) == .integer(1))
            #expect(set.files.map(\.source) == [.current, .none])
            // Nothing is written where nothing changed since.
            let written = try changed(record)
            machine.load()
            #expect(try changed(record) == written)
        }
    }
}
