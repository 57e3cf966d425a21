import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// Directories are exchanged in one step, and removed with their files.
struct ExchangeTests {
    @Test(arguments: [PathResolution.automatic, .walk])
    func `each of two names has what the other had`(_ resolution: PathResolution) throws {
        let folder = try TemporaryFolder()
        try folder.file("one/a", "a")
        try folder.file("two/b", "b")
        let root = try folder.root(resolution)
        let before = try root.status("/one", followingLinks: false)
        try root.exchange("/two", with: "/one")
        #expect(folder.names("one") == ["b"] && folder.names("two") == ["a"])
        #expect(try root.status("/two", followingLinks: false).isSameFile(as: before))
        #expect { try root.exchange("/none", with: "/one") } throws: { ($0 as? SystemError)?.isMissing == true }
        #expect(folder.names() == ["one", "two"])
    }

    @Test func `a directory is removed with its files and links, which are not followed`() throws {
        let folder = try TemporaryFolder()
        try folder.file("directory/file", "x")
        try folder.file("elsewhere/file", "x")
        try folder.link("directory/link", to: "../elsewhere")
        let root = try folder.root()
        try root.removeDirectoryWithFiles("/directory")
        try root.removeDirectoryWithFiles("/directory")
        #expect(folder.names() == ["elsewhere"])
        try folder.link("link", to: "elsewhere")
        try folder.file("file", "x")
        try folder.file("parent/child/file", "x")
        for path in ["/link", "/file", "/parent"] {
            #expect(throws: SystemError.self) { try root.removeDirectoryWithFiles(path) }
        }
        #expect(folder.names("elsewhere") == ["file"] && folder.names("parent/child") == ["file"])
        #expect(folder.names() == ["elsewhere", "file", "link", "parent"])
    }

    @Test func `a directory at which something is mounted is a mount point`() throws {
        let folder = try TemporaryFolder()
        try folder.directory("directory")
        try folder.link("link", to: "directory")
        let root = try folder.root()
        #expect(try !root.isMountPoint("/directory"))
        #expect(throws: SystemError.self) { try root.isMountPoint("/link") }
        guard getuid() == 0, mount("none", folder("directory"), "tmpfs", 0, "mode=755") == 0 else {
            print("skipped: nothing can be mounted here")
            return
        }
        defer { umount2(folder("directory"), Int32(MNT_DETACH)) }
        #expect(try root.isMountPoint("/directory"))
    }
}
