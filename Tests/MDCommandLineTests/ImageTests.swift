import Foundation
import MDPlatform
import MDTestSupport
import Testing

/// Copies of a machine: the log that belongs to one, and what an image must not carry.
struct ImageTests {
    private static let attempt = ["--user", "alice", "write", "org.example.Browser", "HomePage", "-string", "x"]

    /// Whether a file is there.
    private func has(_ lab: Lab, _ path: String) -> Bool { FileManager.default.fileExists(atPath: lab.path + path) }

    @Test func `an image carries no log and no key, and its first record begins a log that verifies`() throws {
        let lab = try Lab()
        #expect(try lab.managed(Self.attempt).code == 3)
        #expect(try lab.managed("policy", "apply").code == 0)
        let asked = try lab.managed("prepare-image")
        #expect(asked.code == 2 && asked.error.contains("--yes"), "\(asked)")
        #expect(has(lab, "/var/log/managed-defaults/key"))
        let result = try lab.managed("prepare-image", "--yes", "--json")
        let cleared = try result.object["cleared"] as? [[String: String]] ?? []
        #expect(result.code == 0 && cleared.contains { $0["path"] == "lab/var/log/managed-defaults" }, "\(result)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: lab.path + "/var/log/managed-defaults") == [])
        #expect(!has(lab, "/var/lib/managed-defaults/audit.checkpoint"))
        // Policy is in force as before, and nothing is missed.
        let forced = try lab.managed("--user", "alice", "forced", "org.example.Browser", "HomePage")
        #expect(forced.code == 0, "\(forced)")
        let empty = try lab.managed("audit", "verify")
        #expect(empty.code == 13 && !empty.output.contains("although"), "\(empty)")
        #expect(try lab.managed(Self.attempt).code == 3)
        #expect(try lab.managed("policy", "apply").code == 0)
        let verified = try lab.managed("audit", "verify")
        #expect(verified.code == 0, "\(verified)")
        // From then on a log that is removed is missed again.
        try FileManager.default.removeItem(atPath: lab.path + "/var/log/managed-defaults")
        #expect(try lab.managed("audit", "verify").code == 11)
    }

    @Test(arguments: ["/var/log/managed-defaults/lock", "/var/lib/mdefaultsd/lock"])
    func `an image is not prepared while the service runs or somebody writes the log`(path: String) throws {
        let lab = try Lab()
        #expect(try lab.managed(Self.attempt).code == 3)
        try FileManager.default.createDirectory(
            atPath: lab.path + "/var/lib/mdefaultsd", withIntermediateDirectories: true)
        let lock = try Root(directory: lab.path).lockInTurn(path, owner: nil)
        let result = try lab.managed("prepare-image", "--yes")
        withExtendedLifetime(lock) {}
        #expect(result.code == 4 && result.error.contains("The audit service runs"), "\(result)")
        #expect(has(lab, "/var/log/managed-defaults/current.jsonl"))
    }

    @Test func `export begins after a number`() throws {
        let lab = try Lab()
        #expect(try lab.managed(Self.attempt).code == 3)
        let all = try lab.managed("audit", "export", "--format", "jsonl").output.split(separator: "\n")
        let rest = try lab.managed("audit", "export", "--format", "jsonl", "--after", "\(all.count - 1)").output
        #expect(all.count > 0 && rest.split(separator: "\n") == Array(all.suffix(1)))
        #expect(try lab.managed("audit", "export", "--format", "jsonl", "--after", "\(all.count)").output == "")
        #expect(try lab.managed("audit", "export", "--format", "jsonl", "--after", "-1").code == 2)
    }
}
