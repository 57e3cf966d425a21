import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// The machine's names and ids come from the root's files.
struct MachineTests {
    static let names: [(name: String, short: String?)] = [
        ("room2-07", "room2-07"), ("room2-07.lab.example.edu", "room2-07"), ("a", "a"), ("a_b.c", "a_b"),
        ("", nil), (".", nil), ("a..b", nil), ("a.", nil), ("-a", nil), ("a b", nil), ("a/b", nil), ("é", nil),
        (String(repeating: "a", count: 63), String(repeating: "a", count: 63)),
        (String(repeating: "a", count: 64), nil),
        (Array(repeating: "aaaaaaaaa", count: 26).joined(separator: "."), nil),
    ]

    @Test(arguments: names) func `a host name is checked`(name: String, short: String?) {
        #expect(HostName(name)?.short == short)
        if short != nil { #expect(HostName(name)?.full == name) }
    }

    /// The content of etc/hostname, the recorded name, and the name that results.
    static let files: [(file: String?, recorded: String?, full: String)] = [
        ("pc1.lab\n", "pc2", "pc1.lab"), ("# note\n\n  pc1 \n", nil, "pc1"), (nil, "pc2", "pc2"),
        ("two names\n", "pc2", "pc2"), ("", "pc2", "pc2"), ("\u{1b}x\n", "-bad", "localhost"), (nil, nil, "localhost"),
    ]

    @Test(arguments: files) func `the file's name comes first, then the recorded one`(
        file: String?, recorded: String?, full: String
    ) throws {
        let folder = try TemporaryFolder()
        if let file { try folder.file("etc/hostname", file) }
        #expect(Machine.hostName(root: try folder.root(), recorded: recorded).full == full)
        #expect(!Machine.hostName(root: .system, recorded: nil).short.isEmpty)
    }

    @Test func `a name that cannot be read for want of descriptors is no other name, unless one is recorded`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try folder.file("etc/hostname", "room1-pc07\n")
            let root = try folder.root()
            #expect(Machine.findHostName(root: root, recorded: nil).shortage == nil)
            var limit = rlimit()
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            getrlimit(kind, &limit)
            let usual = limit.rlim_cur
            limit.rlim_cur = 0
            setrlimit(kind, &limit)
            let alone = Machine.findHostName(root: root, recorded: nil)
            let recorded = Machine.findHostName(root: root, recorded: "room2-pc01")
            limit.rlim_cur = usual
            setrlimit(kind, &limit)
            #expect(alone.shortage?.isShortage == true)
            #expect(recorded.shortage == nil && recorded.name.full == "room2-pc01")
        }
    }

    @Test func `the machine id is 32 digits or nothing`() throws {
        let good = "0123456789abcdef0123456789abcdef"
        for (text, id) in [
            (good + "\n", good), (good, good), (good + "0\n", nil), (good.uppercased() + "\n", nil), ("\n", nil),
            ("uninitialized\n", nil),
        ] as [(String, String?)] {
            let folder = try TemporaryFolder()
            try folder.file("etc/machine-id", text)
            #expect(Machine.machineID(root: try folder.root()) == id)
        }
        #expect(Machine.machineID(root: try TemporaryFolder().root()) == nil)
    }

    @Test func `the boot has an id that stays`() throws {
        let id = try #require(Machine.bootID())
        #expect(id.count == 36)
        #expect(Machine.bootID() == id)
    }
}
