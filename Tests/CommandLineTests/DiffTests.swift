import Foundation
import Testing

/// What `policy diff` says of its two sides.
struct DiffTests {
    @Test func `a side without a policy file is named, and one with some is not`() throws {
        let lab = try Lab()
        let empty = lab.folder + "/empty"
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
        let result = try lab.managed("--user", "alice", "policy", "diff", empty, "lab")
        #expect(result.code == 1 && result.output.contains("org.example.Browser"), "\(result)")
        #expect(result.error == "mdefaults: \(empty) has no policy file, so everything differs from nothing.\n")
        let same = try lab.managed("--user", "alice", "policy", "diff", "lab", "lab")
        #expect(same.code == 0 && !same.error.contains("no policy file"), "\(same)")
    }
}
