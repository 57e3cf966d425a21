import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// Files that a command line names are reached by no link that somebody else planted.
struct CallerFileTests {
    /// A user that is neither the caller nor root.
    static let other: uid_t = 54_321
    /// Why a test of two owners is left out.
    static let needsRoot: Comment = "only root can give a file to another user"

    /// A folder whose parents do not count.
    private let folder: TemporaryFolder
    private let root: Root

    init() throws {
        folder = try TemporaryFolder()
        root = try folder.root()
        try folder.file("victim", "victim", mode: 0o600)
    }

    /// Writes as a verb does.
    private func write(_ path: String, _ text: String = "new") throws {
        let file = try CallerFile.open(path, in: root)
        try file.write(CollectionOfOne(Array(text.utf8)), mode: file.keptMode ?? 0o600)
    }

    /// Gives a file or a link to somebody else.
    private func give(_ name: String) { #expect(lchown(folder(name), Self.other, Self.other) == 0) }

    @Test(
        .enabled(if: geteuid() == 0, needsRoot),
        arguments: [
            (0o755, 0, true), (0o700, 0, true), (0o1777, 0, false), (0o775, 0, false), (0o777, 0, false),
            (0o755, other, false),
        ] as [(mode_t, uid_t, Bool)])
    func `a link of somebody else is followed only where nobody else can plant one`(
        mode: mode_t, owner: uid_t, isFollowed: Bool
    ) throws {
        try folder.directory("way/in")
        try folder.link("way/in/out", to: "../../victim")
        give("way/in/out")
        try folder.setMode("way", mode)
        #expect(chown(folder("way"), owner, 0) == 0)
        try write("/way/in/out")
        #expect(try folder.text("victim") == (isFollowed ? "new" : "victim"))
        #expect(try folder.text("way/in/out") == "new")
        #expect(try root.status("/way/in/out", followingLinks: false).kind == (isFollowed ? .link : .regular))

        try folder.directory("target")
        try folder.link("way/in/folder", to: "../../target")
        give("way/in/folder")
        if isFollowed { return try write("/way/in/folder/out") }
        #expect {
            try write("/way/in/folder/out")
        } throws: {
            let text = "\($0)"
            return text.contains("way/in/folder: it is a symbolic link of uid \(Self.other)")
                && ($0 as? SystemError) != nil
        }
        #expect(folder.names("target") == [])
    }

    @Test func `a link of the caller is followed wherever it is`() throws {
        try folder.directory("shared", mode: 0o1777)
        try folder.directory("target")
        try folder.link("shared/folder", to: "../target")
        try folder.link("shared/out", to: "folder/second")
        try folder.link("target/second", to: "/target/third")
        try write("/shared/out")
        #expect(folder.names("target") == ["second", "third"])
        #expect(try folder.text("target/third") == "new")
    }

    @Test(.enabled(if: geteuid() == 0, needsRoot))
    func `a link of root that has a second name is not followed where others can write`() throws {
        try folder.directory("shared", mode: 0o1777)
        try folder.link("own", to: "/victim")
        #expect(linkat(AT_FDCWD, folder("own"), AT_FDCWD, folder("shared/out"), 0) == 0)
        try write("/shared/out")
        #expect(try folder.text("victim") == "victim")
        #expect(try folder.text("shared/out") == "new")
    }

    @Test func `a folder that is exchanged for a link after it was walked to is not left`() throws {
        try folder.directory("way")
        try folder.directory("target")
        let file = try CallerFile.open("/way/out", in: root)
        #expect(rename(folder("way"), folder("moved")) == 0)
        try folder.link("way", to: "target")
        try file.write(CollectionOfOne([1]), mode: 0o600)
        #expect(folder.names("target") == [])
        #expect(folder.names("moved") == ["out"])
    }

    @Test func `an older file of the caller keeps its mode without special bits and only one name changes`() throws {
        try folder.file("out", "old", mode: 0o4751)
        #expect(link(folder("out"), folder("second")) == 0)
        try write("/out")
        #expect(try root.status("/out", followingLinks: false).mode == 0o751)
        #expect(try folder.text("second") == "old")
    }

    @Test(.enabled(if: geteuid() == 0, needsRoot)) func `an older file of somebody else does not give its mode`() throws
    {
        try folder.file("out", "old", mode: 0o666)
        give("out")
        try write("/out")
        #expect(try root.status("/out", followingLinks: false).mode == 0o600)
    }

    @Test func `a directory is refused and stays`() throws {
        try folder.directory("way")
        for path in ["/way", "/way/", "/", "/way/.."] {
            #expect {
                try write(path)
            } throws: {
                "\($0)".contains("it is a directory, not a file")
            }
        }
        #expect(folder.names() == ["victim", "way"])
    }

    @Test func `a pipe is written and stays`() throws {
        #expect(mkfifo(folder("pipe"), 0o600) == 0)
        let reader = Glibc.open(folder("pipe"), O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        try write("/pipe", "through")
        var bytes = [UInt8](repeating: 0, count: 20)
        #expect(Glibc.read(reader, &bytes, 20) == 7)
        #expect(try root.status("/pipe", followingLinks: false).kind == .fifo)
    }

    @Test(.enabled(if: geteuid() == 0, needsRoot))
    func `a pipe of somebody else is refused where others can write`() throws {
        try folder.directory("shared", mode: 0o1777)
        #expect(mkfifo(folder("shared/pipe"), 0o666) == 0)
        give("shared/pipe")
        #expect {
            try write("/shared/pipe")
        } throws: {
            "\($0)".contains("shared/pipe: it is a fifo of uid \(Self.other)")
        }
    }

    @Test(arguments: ["/dev/fd/", "/proc/self/fd/"])
    func `an open file of the process is written where it stands`(place: String) throws {
        try folder.file("log", "first ")
        let open = Glibc.open(folder("log"), O_WRONLY | O_APPEND)
        defer { close(open) }
        let file = try CallerFile.open("\(place)\(open)", in: .system)
        try file.write(CollectionOfOne(Array("second".utf8)), mode: 0o600)
        #expect(try folder.text("log") == "first second")
        #expect(try root.status("/log", followingLinks: false).mode == 0o644)
    }
}
