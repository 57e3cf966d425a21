import Foundation
import Testing

@testable import Platform

/// Reading as somebody who may read less.
struct FileReaderTests {
    /// Which mode gives whom the right to read.
    static let rights: [(mode: mode_t, owner: Bool, member: Bool, other: Bool)] = [
        (0o644, true, true, true), (0o640, true, true, false), (0o600, true, false, false),
        // The first of the three that fits decides, however little it gives.
        (0o604, true, false, true), (0o044, false, true, true), (0o000, false, false, false),
    ]

    @Test(arguments: rights) func `owner, group or others decide, in this order`(
        mode: mode_t, owner: Bool, member: Bool, other: Bool
    ) throws {
        let folder = try TemporaryFolder()
        try folder.file("a", "a", mode: mode)
        let status = try folder.root().status("/a", followingLinks: false)
        let stranger = status.owner &+ 7
        #expect(FileReader(uid: 0, groups: []).has(.read, to: status))
        if status.owner != 0 { #expect(FileReader(uid: status.owner, groups: []).has(.read, to: status) == owner) }
        #expect(FileReader(uid: stranger, groups: [status.group]).has(.read, to: status) == member)
        #expect(FileReader(uid: stranger, groups: [status.group &+ 7]).has(.read, to: status) == other)
    }

    /// Of the machine, what every machine has: a file and a folder that only root can read.
    @Test(.enabled(if: TrustTests.isRoot && FileManager.default.fileExists(atPath: "/etc/shadow"), "needs root"))
    func `what somebody may not read cannot be opened as them`() throws {
        let nobody = Root.system.read(as: FileReader(uid: 65_534, groups: [65_534]))
        #expect(try nobody.readTrusted("/etc/passwd", limit: 1 << 24).bytes.isEmpty == false)
        #expect(throws: TrustError.self) { try nobody.readTrusted("/etc/shadow", limit: 1 << 24) }
        _ = try Root.system.readTrusted("/etc/shadow", limit: 1 << 24)
        #expect(throws: TrustError.self) { try nobody.trustedNames(in: "/root") }
        _ = try Root.system.trustedNames(in: "/root")
    }

    @Test func `adds rights to what is trusted, and to nothing else`() throws {
        let folder = try TemporaryFolder()
        try folder.file("d/a", "a", mode: 0o600)
        try folder.file("d/b", "b", mode: 0o602)
        try folder.file("c", "c", mode: 0o600)
        try folder.link("d/link", to: "../c")
        try folder.directory("d", mode: 0o700)
        /// The mode of a name.
        func mode(_ name: String) throws -> UInt32 { try folder.root().status(name, followingLinks: true).mode }
        let directory = try folder.root().trustedDirectory("/d")
        try directory.add(rights: 0o755)
        try directory.add(rights: 0o644, to: "a")
        #expect(throws: TrustError.self) { try directory.add(rights: 0o644, to: "b") }
        #expect(throws: TrustError.self) { try directory.add(rights: 0o644, to: "link") }
        #expect(try mode("d") == 0o755 && mode("d/a") == 0o644 && mode("d/b") == 0o602 && mode("c") == 0o600)
    }
}
