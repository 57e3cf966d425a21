import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// Files are replaced whole or not at all.
@Suite(.timeLimit(.minutes(15)))
struct WriteTests {
    @Test(arguments: [0o600, 0o644, 0o640, 0o444] as [UInt32])
    func `a replaced file has the asked mode and nothing is left beside it`(mode: UInt32) throws {
        let folder = try TemporaryFolder()
        try folder.file("file", "old", mode: 0o666)
        let root = try folder.root()
        let previous = umask(0o077)
        defer { umask(previous) }
        try root.replace("/file", with: Array("new".utf8), mode: mode)
        #expect(try folder.text("file") == "new")
        #expect(try root.status("/file", followingLinks: false).mode == mode)
        try root.replace("/other", with: [], mode: mode, durable: false)
        #expect(folder.names() == ["file", "other"])
    }

    @Test func `a link is replaced and what it leads to stays`() throws {
        let folder = try TemporaryFolder()
        try folder.file("target", "old")
        try folder.link("file", to: "target")
        try folder.root().replace("/file", with: Array("new".utf8), mode: 0o600)
        #expect(try folder.text("target") == "old")
        #expect(try folder.text("file") == "new")
    }

    @Test func `only old temporary files of the named files are removed`() throws {
        let folder = try TemporaryFolder()
        let names = [
            ".a.abcdefghij.tmp", ".a.b.abcdefghij.tmp", ".a.abcdefghi.tmp", "a.abcdefghij.tmp", "..abcdefghij.tmp",
        ]
        for name in names { try folder.file(name, "x") }
        try folder.file(".a.aaaaaaaaaa.tmp/inside", "x")
        let root = try folder.root()
        try root.removeLeftovers(in: "/", unchangedFor: 600) { _ in true }
        #expect(folder.names().count == names.count + 1)
        try root.removeLeftovers(in: "/") { $0 == "a" }
        #expect(folder.names() == (names.dropFirst() + [".a.aaaaaaaaaa.tmp"]).sorted())
    }

    @Test func `a directory is not replaced and nothing is left behind`() throws {
        let folder = try TemporaryFolder()
        try folder.file("directory/inside", "x")
        let root = try folder.root()
        for path in ["/directory", "/", "/directory/..", "/none/file", ""] {
            #expect(throws: SystemError.self) { try root.replace(path, with: [1], mode: 0o600) }
        }
        #expect(folder.names() == ["directory"])
        #expect(folder.names("directory") == ["inside"])
    }

    @Test func `the longest name there is can be replaced`() throws {
        let folder = try TemporaryFolder()
        for name in [String(repeating: "n", count: 255), String(repeating: "é", count: 127)] {
            try folder.root().replace("/" + name, with: [1], mode: 0o600)
        }
        #expect(folder.names().count == 2)
    }

    @Test func `on a full disk the old file stays whole`() throws {
        let folder = try TemporaryFolder()
        guard getuid() == 0, mount("none", folder.path, "tmpfs", 0, "size=64k,mode=755") == 0 else {
            try Self.checkWithSizeLimit(folder)
            return
        }
        defer { umount2(folder.path, Int32(MNT_DETACH)) }
        let root = try folder.root()
        let old = [UInt8](repeating: 1, count: 20_000)
        try root.replace("/file", with: old, mode: 0o600)
        #expect {
            try root.replace("/file", with: [UInt8](repeating: 2, count: 60_000), mode: 0o600)
        } throws: {
            ($0 as? SystemError)?.isNoSpace == true
        }
        #expect(try root.read("/file", limit: 1 << 20).bytes == old)
        #expect(folder.names() == ["file"])
        // An appended record is there whole or not at all.
        let log = try AppendFile.open(root: root, path: "/log", mode: 0o600)
        try log.append([UInt8](repeating: 3, count: 10_000))
        #expect(throws: SystemError.self) { try log.append([UInt8](repeating: 4, count: 60_000)) }
        #expect(try log.size() == 10_000)
        try log.append([5])
        #expect(try log.read(offset: 9_999, count: 10) == [3, 5])
    }

    /// Where no small disk can be mounted, the largest size of a file replaces it.
    static func checkWithSizeLimit(_ folder: TemporaryFolder) throws {
        let root = try folder.root()
        let old = [UInt8](repeating: 1, count: 20_000)
        try root.replace("/file", with: old, mode: 0o600)
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        var small = limit
        small.rlim_cur = 30_000
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small)
        defer { setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) }
        #expect(throws: SystemError.self) {
            try root.replace("/file", with: [UInt8](repeating: 2, count: 60_000), mode: 0o600)
        }
        #expect(try root.read("/file", limit: 1 << 20).bytes == old)
        #expect(folder.names() == ["file"])
    }

    @Test func `renaming without replacing keeps what is there`() throws {
        let folder = try TemporaryFolder()
        try folder.file("a", "a")
        try folder.file("b", "b")
        let root = try folder.root()
        #expect { try root.rename("/a", to: "/b", replacing: false) } throws: { ($0 as? SystemError)?.code == EEXIST }
        #expect(try folder.text("b") == "b")
        try root.rename("/a", to: "/b", replacing: true)
        #expect(try folder.text("b") == "a")
        try root.rename("/b", to: "/c", replacing: false)
        #expect(folder.names() == ["c"])
    }

    @Test func `directories are made with those above them, whatever the umask`() throws {
        let folder = try TemporaryFolder()
        let root = try folder.root()
        try root.createDirectory("/a/b/c/", mode: 0o750)
        for path in ["/a", "/a/b", "/a/b/c"] {
            #expect(try root.status(path, followingLinks: false).mode == 0o750)
        }
        try root.createDirectory("/a/b", mode: 0o700)
        #expect(try root.status("/a/b", followingLinks: false).mode == 0o750)
        try folder.file("file", "")
        #expect(throws: SystemError.self) { try root.createDirectory("/file", mode: 0o700) }
        #expect(throws: SystemError.self) { try root.createDirectory("/file/below", mode: 0o700) }
        try root.createDirectory("/", mode: 0o700)
    }

    @Test func `a file that opening makes has the asked mode, whatever the umask`() throws {
        let folder = try TemporaryFolder()
        let root = try folder.root()
        for way in [PathResolution.kernel, .walk] {
            let root = try folder.root(way)
            let previous = umask(0o077)
            defer { umask(previous) }
            _ = try root.open("/append-\(way)", .append(mode: 0o640))
            _ = try root.open("/create-\(way)", .create(mode: 0o664))
        }
        for way in [PathResolution.kernel, .walk] {
            #expect(try root.status("/append-\(way)", followingLinks: false).mode == 0o640)
            #expect(try root.status("/create-\(way)", followingLinks: false).mode == 0o664)
        }
        // A file that is there keeps its mode.
        _ = try root.open("/append-walk", .readWrite(mode: 0o600))
        #expect(try root.status("/append-walk", followingLinks: false).mode == 0o640)
    }

    @Test func `appending, cutting and reading agree`() throws {
        let folder = try TemporaryFolder()
        let log = try AppendFile.open(root: try folder.root(), path: "/log", mode: 0o640)
        try log.append(Array("one\n".utf8))
        try log.append(Array("two\n".utf8))
        try log.sync()
        #expect(try log.read(offset: 4, count: 100) == Array("two\n".utf8))
        try log.truncate(to: 4)
        try log.append(Array("three\n".utf8))
        #expect(try folder.text("log") == "one\nthree\n")
        #expect(throws: SystemError.self) { try log.read(offset: -1, count: 1) }
        #expect(try log.read(offset: 100, count: 1) == [])
    }
}
