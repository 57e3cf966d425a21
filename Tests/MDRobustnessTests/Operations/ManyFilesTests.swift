import Foundation
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import Testing

/// A directory of 1,000 files with some broken ones.
struct ManyFilesTests {
    /// The ways to break a file.
    private static let ways: [(String, @Sendable (String) throws -> Void)] = [
        ("empty", { try Data().write(to: URL(fileURLWithPath: $0)) }),
        (
            "half",
            { try Data(Data(contentsOf: URL(fileURLWithPath: $0)).prefix(30)).write(to: URL(fileURLWithPath: $0)) }
        ),
        ("no text", { try Data([0xff, 0xfe, 0, 1]).write(to: URL(fileURLWithPath: $0)) }),
        ("unknown field", { try Data("{ \"Identifer\": 1 }".utf8).write(to: URL(fileURLWithPath: $0)) }),
        ("too large", { #expect(truncate($0, 20 << 20) == 0) }),
        ("writable by others", { #expect(chmod($0, 0o666) == 0) }),
        (
            "a directory",
            { path in
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
        ),
        (
            "a fifo",
            { path in
                try FileManager.default.removeItem(atPath: path)
                #expect(mkfifo(path, 0o644) == 0)
            }
        ),
        (
            "a link to nothing",
            { path in
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere")
            }
        ),
        (
            "a link to itself",
            { path in
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
            }
        ),
        (
            "a socket's name",
            { path in
                try FileManager.default.removeItem(atPath: path)
                #expect(mknod(path, S_IFSOCK | 0o644, 0) == 0)
            }
        ),
    ]

    @Test func `exactly the broken ones keep their last good version`() throws {
        let machine = try TemporaryMachine()
        let count = 1_000
        for number in 0..<count { try machine.force("\(10_000 + number)-f", "Key\(number)", "good") }
        let store = PolicyStore(root: try Root(directory: machine.path))
        let applied = store.apply { _ in true }
        #expect(applied.isRecorded && applied.set.files.count == count)
        let before = try machine.enforced()
        var broken: Set<String> = []
        for (index, way) in ManyFilesTests.ways.enumerated() {
            let number = 10_000 + (index * 431 + 7) % count
            broken.insert("/etc/managed-defaults/policies.d/\(number)-f.json")
            try way.1("\(machine.policies)/\(number)-f.json")
        }
        let set = store.load()
        #expect(Set(set.files.filter { $0.source != .current }.map(\.path)) == broken)
        #expect(set.files.allSatisfy { $0.policy != nil } && set.knowledge.isDecisive)
        #expect(try machine.enforced() == before)
    }
}
