import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// No path and no link leads out of a folder, in both ways of resolving paths.
@Suite(.timeLimit(.minutes(15)))
struct RootResolutionTests {
    static let ways: [PathResolution] = [.kernel, .walk]

    /// Paths in the folder that `makeTree` makes, and what reading each gives: text, or an error number.
    static let table: [(path: String, expected: Result<String, Failure>)] = [
        ("/etc/passwd", .success("inside")),
        ("etc/passwd", .success("inside")),
        ("//etc//./passwd", .success("inside")),
        ("/etc/../etc/passwd", .success("inside")),
        ("/../../../../../../etc/passwd", .success("inside")),
        ("/etc/../../../etc/passwd", .success("inside")),
        ("/deep/down/../../etc/passwd", .success("inside")),
        ("/deep/down/../down/up", .success("inside")),
        ("/deep/down/..", .failure(Failure(EISDIR))),
        ("/up", .success("inside")),
        ("/absolute", .success("inside")),
        ("/deep/down/up", .success("inside")),
        ("/directory-link/passwd", .success("inside")),
        ("/chain-1", .success("inside")),
        ("/hops-0", .success("inside")),
        ("/loop", .failure(Failure(ELOOP))),
        ("/loop-a/x", .failure(Failure(ELOOP))),
        ("/too-many-0", .failure(Failure(ELOOP))),
        ("/dangling", .failure(Failure(ENOENT))),
        ("/outside", .failure(Failure(ENOENT))),
        ("/missing/passwd", .failure(Failure(ENOENT))),
        ("/etc/passwd/x", .failure(Failure(ENOTDIR))),
        ("/etc/passwd/", .failure(Failure(ENOTDIR))),
        ("/etc", .failure(Failure(EISDIR))),
        ("/", .failure(Failure(EISDIR))),
        ("", .failure(Failure(EISDIR))),
        ("/fifo", .failure(Failure(EINVAL))),
        ("/fifo-link", .failure(Failure(EINVAL))),
        ("/etc/pass\0wd", .failure(Failure(EINVAL))),
        ("/" + String(repeating: "n", count: 256), .failure(Failure(ENAMETOOLONG))),
    ]

    struct Failure: Error, Equatable {
        let code: Int32
        init(_ code: Int32) { self.code = code }
    }

    static func makeTree() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.file("etc/passwd", "inside")
        try folder.link("up", to: "../../../../../../../../etc/passwd")
        try folder.link("absolute", to: "/etc/passwd")
        try folder.link("deep/down/up", to: "../../../../etc/passwd")
        try folder.link("directory-link", to: "/etc/")
        try folder.link("chain-1", to: "chain-2")
        try folder.link("chain-2", to: "/directory-link/../etc/./passwd")
        // 40 links are followed, 41 are not.
        for index in 0..<39 { try folder.link("hops-\(index)", to: "hops-\(index + 1)") }
        try folder.link("hops-39", to: "etc/passwd")
        for index in 0..<40 { try folder.link("too-many-\(index)", to: "too-many-\(index + 1)") }
        try folder.link("too-many-40", to: "etc/passwd")
        try folder.link("loop", to: "loop")
        try folder.link("loop-a", to: "loop-b")
        try folder.link("loop-b", to: "loop-a")
        try folder.link("dangling", to: "nowhere")
        // The folder's own path outside means nothing inside.
        try folder.link("outside", to: folder.path + "/etc/passwd")
        try #require(mkfifo(folder("fifo"), 0o644) == 0)
        try folder.link("fifo-link", to: "fifo")
        return folder
    }

    @Test(arguments: ways) func `each path means the same both ways and stays inside`(way: PathResolution) throws {
        let folder = try Self.makeTree()
        let root = try folder.root(way)
        for (path, expected) in Self.table {
            let found: Result<String, Failure>
            do {
                found = .success(String(decoding: try root.read(path, limit: 100).bytes, as: UTF8.self))
            } catch {
                found = .failure(Failure(error.code))
            }
            #expect(found == expected, "\(path)")
        }
    }

    @Test(arguments: ways) func `a link as the last name is shown, not followed, where that is asked`(
        way: PathResolution
    ) throws {
        let folder = try Self.makeTree()
        let root = try folder.root(way)
        #expect(try root.status("/up", followingLinks: false).kind == .link)
        #expect(try root.status("/up", followingLinks: true).kind == .regular)
        #expect(try root.status("/loop", followingLinks: false).kind == .link)
        #expect(try root.status("/directory-link/", followingLinks: false).kind == .directory)
        #expect(try root.linkTarget("/absolute") == "/etc/passwd")
        #expect(try root.names(in: "/directory-link") == ["passwd"])
        #expect(throws: SystemError.self) { try root.linkTarget("/etc/passwd") }
    }

    @Test(arguments: ways + [.automatic]) func `whether something may be there`(way: PathResolution) throws {
        let folder = try Self.makeTree()
        let root = try folder.root(way)
        for path in ["/", "/etc", "/etc/passwd", "/up", "/loop", "/dangling", "/fifo"] {
            #expect(root.mayExist(path), "\(path)")
        }
        for path in ["/missing", "/etc/missing", "/missing/more", "/etc/passwd/more", "/dangling/more"] {
            #expect(!root.mayExist(path), "\(path)")
        }
        // Unknown counts as existing.
        #expect(root.mayExist("/loop/more"))
        #expect(Root.system.mayExist("/proc") && !Root.system.mayExist("/proc/missing-\(getpid())"))
    }

    @Test(arguments: ways) func `a new file is not made through a link`(way: PathResolution) throws {
        let folder = try TemporaryFolder()
        try folder.link("log", to: "/target")
        let root = try folder.root(way)
        #expect(throws: SystemError.self) { _ = try root.open("/log", .append(mode: 0o600)) }
        #expect(throws: SystemError.self) { _ = try root.open("/log", .create(mode: 0o600)) }
        #expect(folder.names() == ["log"])
    }

    @Test(arguments: ways) func `writing through directory links stays inside`(way: PathResolution) throws {
        let folder = try TemporaryFolder()
        try folder.directory("var")
        try folder.link("log", to: "/../var")
        let root = try folder.root(way)
        try root.replace("/log/../log/x", with: Array("new".utf8), mode: 0o640)
        #expect(try folder.text("var/x") == "new")
        try root.createDirectory("/log/a/b", mode: 0o700)
        #expect(try root.status("/var/a/b", followingLinks: false).mode == 0o700)
        try root.rename("/log/x", to: "/log/a/y", replacing: false)
        #expect(folder.names("var/a") == ["b", "y"])
        try root.remove("/log/a/y")
        try root.removeDirectory("/log/a/b")
        #expect(folder.names("var/a") == [])
    }

    @Test func `the walk and the kernel open new files alike`() throws {
        for way in Self.ways {
            let folder = try TemporaryFolder()
            let root = try folder.root(way)
            let file = try root.open("/new", .create(mode: 0o600))
            #expect(try file.status(shown: "new").kind == .regular)
            #expect { _ = try root.open("/new", .create(mode: 0o600)) } throws: {
                ($0 as? SystemError)?.code == EEXIST
            }
            #expect { _ = try root.open("/no/new", .create(mode: 0o600)) } throws: {
                ($0 as? SystemError)?.code == ENOENT
            }
        }
    }

    @Test func `people see the folder before the path`() throws {
        let folder = try TemporaryFolder()
        let root = try Root(directory: folder.path + "/")
        #expect(root.path == folder.path)
        #expect(root.display("/etc/x") == folder.path + "/etc/x")
        #expect(root.display("/") == folder.path)
        #expect(Root.system.display("etc/x") == "/etc/x")
        #expect(Root.system.display("/") == "/")
        #expect(root.owner == getuid())
    }

    @Test func `a folder that is missing or a file is no root`() throws {
        let folder = try TemporaryFolder()
        try folder.file("file", "")
        #expect { _ = try Root(directory: folder("none")) } throws: { ($0 as? SystemError)?.code == ENOENT }
        #expect { _ = try Root(directory: folder("file")) } throws: { ($0 as? SystemError)?.code == ENOTDIR }
    }
}
