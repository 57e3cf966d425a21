import Foundation
import MDPlatform
import MDTestSupport
import Testing

@testable import MDTools

/// What is not on this machine is known before it is touched.
struct MountTableTests {
    /// A table of mounts with these ids, parents, devices, paths and types.
    private static func table(_ mounts: [(Int, Int, String, String, String)]) throws -> MountTable {
        let lines = mounts.map { "\($0.0) \($0.1) \($0.2) / \($0.3) rw,relatime shared:1 - \($0.4) source rw" }
        return try MountTable(parsing: Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    @Test func `a path beneath a mount of another machine or program is remote`() throws {
        let table = try Self.table([
            (1, 0, "8:1", "/", "ext4"), (2, 1, "0:40", "/home", "nfs4"), (3, 2, "8:2", "/home/local", "xfs"),
            (4, 1, "0:41", "/srv/a\\040b", "fuse.sshfs"), (5, 1, "0:42", "/data", "btrfs"),
            (6, 1, "8:3", "/media", "fuseblk"), (7, 1, "0:43", "/new", "unknownfs"), (8, 1, "8:4", "/shared", "gfs2"),
        ])
        for path in [
            "/home", "/home/alice", "/home//alice/", "/home/local/x", "/srv/a b/c", "/media/x", "/new", "/shared/x",
        ] {
            #expect(table.isRemote(path), "\(path)")
        }
        for path in ["/", "/homes", "/srv", "/srv/a\\040b", "/data/x", "/hom"] {
            #expect(!table.isRemote(path), "\(path)")
        }
    }

    @Test func `the mount on top of others counts, whatever their order`() throws {
        let automatic = [
            (1, 0, "8:1", "/", "ext4"), (9, 5, "8:2", "/home", "ext4"), (5, 1, "0:40", "/home", "autofs"),
        ]
        #expect(try !Self.table(automatic).isRemote("/home/alice"))
        #expect(try Self.table([automatic[0], automatic[2]]).isRemote("/home/alice"))
        let hidden = [(1, 0, "8:1", "/", "ext4"), (2, 1, "8:2", "/home/a", "ext4"), (3, 1, "0:4", "/home", "nfs")]
        #expect(try Self.table(hidden).isRemote("/home/a"))
        let initial = [(1, 1, "0:1", "/", "rootfs"), (2, 1, "0:2", "/", "nfs"), (3, 2, "8:1", "/home", "ext4")]
        #expect(try Self.table(initial).isRemote("/home"))
    }

    @Test func `a table that goes in circles is walked to its end`() throws {
        let table = try Self.table([
            (1, 0, "8:1", "/", "ext4"), (2, 1, "8:1", "/a", "ext4"), (3, 2, "8:1", "/a", "ext4"),
            (4, 3, "8:1", "/a", "ext4"), (5, 4, "0:1", "/a", "nfs"),
        ])
        #expect(table.isRemote("/a/b"))
        #expect(throws: SystemError.self) { try Self.table([(2, 3, "8:1", "/", "ext4"), (3, 2, "8:1", "/", "ext4")]) }
    }

    @Test(arguments: [
        "", "1", "1 0 8:1 / / rw", "1 0 8:1 / / rw - ", "1 0 8:1 / / rw ext4 /dev/a rw", "x 0 8:1 / / rw - ext4 a rw",
        "1 -1 8:1 / / rw - ext4 a rw", "1 0 8 / / rw - ext4 a rw", "1 0 8:1 / home rw - ext4 a rw",
        "1 0 8:1 / /a\\04 rw - ext4 a rw", "1 0 8:1 / /a\\400 rw - ext4 a rw", "1 0 8:1 / /a\\+40 rw - ext4 a rw",
        "1 0 8:1 / /a\\ rw - ext4 a rw", "99999999999999999999 0 8:1 / / rw - ext4 a rw",
        "1 0 8:1 / / rw - ext4 a rw\n1 0 8:1 / /a rw - ext4 a rw", "2 1 8:1 / /a rw - ext4 a rw", "\0\u{ff}",
    ]) func `a text that is no table of mounts is refused`(_ text: String) throws {
        #expect(throws: SystemError.self) { try MountTable(parsing: Array(text.utf8)) }
    }

    @Test func `directories are opened on local disks only, behind links too`() throws {
        let folder = try TemporaryFolder()
        try folder.write("far/home/file", "x")
        try folder.write("near/home/file", "x")
        try folder.link("link", to: "near/./home")
        try folder.link("away", to: folder("far"))
        try folder.link("loop", to: "loop")
        let real = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path
        let table = try Self.table([(1, 0, "8:1", "/", "ext4"), (2, 1, "0:1", "\(real)/far", "nfs")])
        #expect(try table.localPath(of: folder("link/../home")) == real + "/near/home")
        for (path, code) in [("away/home", EREMOTE), ("far", EREMOTE), ("loop/x", ELOOP), ("none", ENOENT)] {
            #expect("\(path)") {
                _ = try table.localPath(of: folder(path))
            } throws: {
                ($0 as? SystemError)?.code == code
            }
        }
        // By the machine's own table.
        let own = try MountTable.read()
        if !own.isRemote(real) {
            let home = try own.openDirectory(folder("link"))
            #expect(try home.names(in: "/") == ["file"] && home.path == real + "/near/home")
        }
    }

    @Test func `a directory says which of its names are directories`() throws {
        let folder = try TemporaryFolder()
        try folder.write("a/file", "x")
        try folder.write("b", "x")
        try folder.link("c", to: "a")
        let names = try Root(directory: folder.path).names(in: "/", directoriesOnly: true)
        #expect(names == ["a"] || names == ["a", "b", "c"])
    }
}
