import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// What is trusted, and what is not, with the reason that people read.
@Suite(.timeLimit(.minutes(15)))
struct TrustTests {
    static let isRoot = getuid() == 0

    /// A tree that is trusted, to be spoilt.
    static func makeTree() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.file("etc/managed/policies.d/10-a.json", "{}")
        try folder.file("srv/shared/b.json", "b")
        try folder.link("etc/managed/policies.d/20-b.json", to: "../../../srv/shared/b.json")
        try folder.link("etc/managed/policies.d/30-c.json", to: "/srv/link/b.json")
        try folder.link("srv/link", to: "shared")
        for name in ["etc", "etc/managed", "etc/managed/policies.d", "srv", "srv/shared"] {
            try folder.directory(name)
        }
        return folder
    }

    /// Which file or directory gets which mode, which file is read, and what is said of what.
    static let modes: [(changed: String, mode: mode_t, read: String, reason: String?)] = [
        ("etc/managed/policies.d/10-a.json", 0o600, "10-a.json", nil),
        ("etc/managed/policies.d/10-a.json", 0o646, "10-a.json", "is writable by others (mode 0646)"),
        ("etc/managed/policies.d/10-a.json", 0o666, "10-a.json", "is writable by others (mode 0666)"),
        ("etc/managed/policies.d", 0o757, "10-a.json", "is writable by others (mode 0757)"),
        ("etc/managed", 0o1777, "10-a.json", "is writable by others (mode 1777)"),
        ("etc", 0o777, "10-a.json", "is writable by others (mode 0777)"),
        ("", 0o777, "10-a.json", "is writable by others (mode 0777)"),
        ("srv", 0o777, "10-a.json", nil),
        ("srv", 0o777, "20-b.json", "is writable by others (mode 0777)"),
        ("srv", 0o777, "30-c.json", "is writable by others (mode 0777)"),
        ("srv/shared", 0o777, "30-c.json", "is writable by others (mode 0777)"),
        ("srv/shared/b.json", 0o666, "30-c.json", "is writable by others (mode 0666)"),
    ]

    @Test(arguments: modes) func `what others can write to is not trusted`(
        changed: String, mode: mode_t, read: String, reason: String?
    ) throws {
        let folder = try Self.makeTree()
        try #require(chmod(folder(changed), mode) == 0)
        let root = try folder.root()
        let expected = reason.map {
            TrustError.untrusted(path: changed.isEmpty ? folder.path : folder(changed), reason: $0)
        }
        #expect(Self.failure { try root.readTrusted("/etc/managed/policies.d/\(read)", limit: 10) } == expected)
        if changed.hasPrefix("srv") || changed.hasSuffix(".json") {
            let directory = try root.trustedDirectory("/etc/managed/policies.d")
            #expect(Self.failure { try directory.read(read, limit: 10) } == expected)
        } else {
            #expect(Self.failure { try root.trustedNames(in: "/etc/managed/policies.d") } == expected)
        }
    }

    @Test func `a file is compared with bytes only if it is trusted and no link`() throws {
        let folder = try Self.makeTree()
        let directory = try folder.root().trustedDirectory("/etc/managed/policies.d")
        #expect(directory.holds(Array("{}".utf8), in: "10-a.json"))
        for other in ["{]", "{", "{} ", ""] { #expect(!directory.holds(Array(other.utf8), in: "10-a.json")) }
        for name in ["20-b.json", "40-none.json", "..", ""] { #expect(!directory.holds(Array("b".utf8), in: name)) }
        try #require(chmod(folder("etc/managed/policies.d/10-a.json"), 0o646) == 0)
        #expect(!directory.holds(Array("{}".utf8), in: "10-a.json"))
    }

    @Test func `names are in byte order, also if they begin alike`() throws {
        let folder = try Self.makeTree()
        let names = ["a", "a-long-name-1", "a-long-name-10", "a-long-name-2", "b", "ä-long-name", "\u{10ffff}"]
        for name in names.reversed() { try folder.file("srv/\(name)", "") }
        #expect(try folder.root().trustedNames(in: "/srv").filter { !["link", "shared"].contains($0) } == names)
    }

    @Test func `what the group can write to is trusted in a folder, with a warning`() throws {
        let folder = try Self.makeTree()
        try #require(chmod(folder("etc/managed/policies.d/10-a.json"), 0o664) == 0)
        try #require(chmod(folder("etc"), 0o775) == 0)
        let root = try folder.root()
        let file = try root.readTrusted("/etc/managed/policies.d/10-a.json", limit: 10)
        #expect(
            file.warnings == [
                "\(folder("etc")) is writable by its group (mode 0775).",
                "\(folder("etc/managed/policies.d/10-a.json")) is writable by its group (mode 0664).",
            ])
        let directory = try root.trustedDirectory("/etc/managed/policies.d")
        #expect(directory.warnings == ["\(folder("etc")) is writable by its group (mode 0775)."])
        #expect(try directory.read("10-a.json", limit: 10).warnings.count == 1)
    }

    @Test(
        .enabled(if: isRoot, "only root can give files away"),
        arguments: [
            ("etc/managed/policies.d/10-a.json", "10-a.json"), ("etc/managed/policies.d", "10-a.json"),
            ("etc", "10-a.json"),
            ("srv/shared/b.json", "20-b.json"), ("srv/shared", "30-c.json"), ("srv/link", "30-c.json"),
            ("etc/managed/policies.d/20-b.json", "20-b.json"),
        ]) func `what belongs to somebody else is not trusted, links included`(changed: String, read: String) throws
    {
        let folder = try Self.makeTree()
        try #require(lchown(folder(changed), 1234, 0) == 0)
        let root = try folder.root()
        let expected = TrustError.untrusted(
            path: folder(changed), reason: "belongs to uid 1234, not to uid 0, the owner of \(folder.path)")
        #expect(Self.failure { try root.readTrusted("/etc/managed/policies.d/\(read)", limit: 10) } == expected)
    }

    @Test(.enabled(if: isRoot, "only root can give files away"))
    func `the folder's owner stands for root`() throws {
        let folder = try Self.makeTree()
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) + [""] {
            try #require(lchown(folder(path), 1234, 1234) == 0)
        }
        let root = try folder.root()
        #expect(root.owner == 1234)
        for name in ["10-a.json", "20-b.json", "30-c.json"] {
            #expect(try !root.readTrusted("/etc/managed/policies.d/\(name)", limit: 10).bytes.isEmpty)
        }
        try #require(lchown(folder("etc"), 0, 0) == 0)
        #expect(throws: TrustError.self) { try root.readTrusted("/etc/managed/policies.d/10-a.json", limit: 10) }
    }

    @Test func `the machine's own rule refuses the group, and one root is never another`() {
        let machine = TrustRule(root: .system)
        #expect(machine.objection(to: .init(owner: 0, mode: 0o644)) == nil)
        #expect(machine.objection(to: .init(owner: 0, mode: 0o664)) == "is writable by its group (mode 0664)")
        #expect(machine.objection(to: .init(owner: 1000, mode: 0o600)) == "belongs to uid 1000, not to root")
        #expect(machine.objection(to: .init(owner: 65_534, mode: 0o644)) == "belongs to uid 65534, not to root")
        let mapped = TrustRule(owner: UserNamespace.overflowUID, acceptsGroupWrite: false, ownerName: "root")
        #expect(mapped.objection(to: .init(owner: 65_534, mode: 0o644)) == nil)
        #expect(mapped.objection(to: .init(owner: 65_534, mode: 0o666)) == "is writable by others (mode 0666)")
        #expect(mapped.objection(to: .init(owner: 0, mode: 0o644)) == "belongs to uid 0, not to root")
    }

    @Test func `the machine's own files are trusted and what lies in the common folder is not`() throws {
        #expect(try !Root.system.readTrusted("/etc/passwd", limit: 1 << 24).bytes.isEmpty)
        #expect(try Root.system.readTrusted("etc/passwd", limit: 1 << 24).warnings.isEmpty)
        let name = "/tmp/managed-defaults-\(UUID().uuidString)"
        try Data("x".utf8).write(to: URL(fileURLWithPath: name))
        defer { try? FileManager.default.removeItem(atPath: name) }
        #expect(
            Self.failure { try Root.system.readTrusted(name, limit: 10) }
                == .untrusted(path: "/tmp", reason: "is writable by others (mode 1777)"))
    }

    @Test func `a trusted directory lists everything and reads by name`() throws {
        let folder = try Self.makeTree()
        let directory = try folder.root().trustedDirectory("/etc/managed/policies.d")
        #expect(try directory.names() == ["10-a.json", "20-b.json", "30-c.json"])
        #expect(try directory.read("30-c.json", limit: 10).bytes == Array("b".utf8))
        #expect(try directory.linkTarget("20-b.json") == "../../../srv/shared/b.json")
        #expect(try directory.linkTarget("10-a.json") == nil)
        #expect(try directory.status("20-b.json").kind == .link)
        for name in ["", ".", "..", "../x", "a/b"] {
            #expect(throws: TrustError.self) { try directory.read(name, limit: 10) }
        }
        try #require(chmod(folder("etc/managed/policies.d"), 0o777) == 0)
        #expect(throws: TrustError.self) { try directory.names() }
    }

    @Test func `a missing file, a missing directory and a large file say so`() throws {
        let folder = try Self.makeTree()
        let root = try folder.root()
        #expect(Self.failure { try root.readTrusted("/etc/none", limit: 10) }?.isMissing == true)
        #expect(Self.failure { try root.readTrusted("/none/none", limit: 10) }?.isMissing == true)
        #expect(Self.failure { try root.trustedNames(in: "/none") }?.isMissing == true)
        #expect(
            Self.failure { try root.readTrusted("/etc/managed/policies.d/10-a.json", limit: 1) }?.description
                == "cannot read \(folder("etc/managed/policies.d/10-a.json")): it is larger than 1 bytes")
        #expect(Self.failure { try root.trustedNames(in: "/srv/shared/b.json") } != nil)
    }

    @Test func `links that lead out of the folder are resolved inside`() throws {
        let folder = try Self.makeTree()
        try folder.link(
            "etc/managed/policies.d/40-d.json", to: "../../../../../../../../etc/managed/policies.d/10-a.json")
        try folder.link("etc/managed/policies.d/50-e.json", to: "50-e.json")
        try folder.link("etc/managed/policies.d/60-f.json", to: "/dev/null")
        let directory = try folder.root().trustedDirectory("/etc/managed/policies.d/")
        #expect(try directory.read("40-d.json", limit: 10).bytes == Array("{}".utf8))
        #expect(Self.failure { try directory.read("50-e.json", limit: 10) } != nil)
        #expect(Self.failure { try directory.read("60-f.json", limit: 10) }?.isMissing == true)
        #expect(try directory.linkTarget("60-f.json") == "/dev/null")
    }

    /// The failure of a call, or `nil`.
    static func failure<Result>(_ body: () throws -> Result) -> TrustError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? TrustError
        }
    }
}

extension FileStatus {
    /// A regular file; only its owner and mode matter.
    init(owner: UInt32, mode: UInt32) {
        var status = stat()
        status.st_uid = owner
        status.st_mode = 0o100000 | mode
        self.init(status)
    }
}
