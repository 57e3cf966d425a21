import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// What happens on the way to a folder.
struct FolderWayTests {
    /// Writes a file into the folder and expects a report with its name.
    private func expectWatched(
        _ recorder: ChangeRecorder, _ folder: TemporaryFolder, _ path: String,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        // What led to the folder may still be reported together with the name; the next name is reported alone.
        for _ in 0..<100 {
            recorder.empty()
            let name = UUID().uuidString
            try folder.file("\(path)/\(name)", "1")
            guard recorder.wait(for: name) else { break }
            if recorder.changes.contains(where: { $0.names?.contains(name) == true }) { return }
        }
        Issue.record("no name was told of", sourceLocation: sourceLocation)
    }

    @Test func `a missing folder is waited for, however many directories are missing`() throws {
        let folder = try TemporaryFolder()
        let recorder = ChangeRecorder()
        let watch = FolderWatch.begin(try folder.root(), "/a/b/c", into: recorder)
        #expect(!watch.isPolling)
        try folder.file("a/b/c/first", "1")
        #expect(recorder.wait(for: "first"))
        #expect(recorder.wait { $0.contains { $0.names == nil } })
        try expectWatched(recorder, folder, "a/b/c")
        watch.stop()
    }

    @Test func `a folder that is removed and made again is watched again, also while somebody works in the old one`()
        throws
    {
        let folder = try TemporaryFolder()
        try folder.directory("a/b")
        let recorder = ChangeRecorder()
        let watch = FolderWatch.begin(try folder.root(), "a/b", into: recorder)
        for _ in 0..<3 {
            let held = open(folder("a/b"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { close(held) }
            try FileManager.default.removeItem(atPath: folder("a/b"))
            #expect(recorder.wait { $0.contains { $0.names == nil } })
            recorder.empty()
            try folder.directory("a/b")
            #expect(recorder.wait { $0.contains { $0.names == nil } })
            try expectWatched(recorder, folder, "a/b")
        }
        watch.stop()
    }

    @Test(arguments: ["a", "a/b", "a/b/c"])
    func `a directory on the way that is replaced leads to the new folder`(_ replaced: String) throws {
        let folder = try TemporaryFolder()
        try folder.file("a/b/c/x", "old")
        let recorder = ChangeRecorder()
        let watch = FolderWatch.begin(try folder.root(), "a/b/c", into: recorder)
        let rest = String("a/b/c".dropFirst(replaced.count))
        for round in 0..<3 {
            recorder.empty()
            try folder.directory("new\(round)\(rest)")
            #expect(rename(folder(replaced), folder("old\(round)")) == 0)
            #expect(rename(folder("new\(round)"), folder(replaced)) == 0)
            #expect(recorder.wait { $0.contains { $0.names == nil } })
            try expectWatched(recorder, folder, "a/b/c")
            // Changes in the old folder must not be reported any more.
            recorder.empty()
            try folder.file("old\(round)\(rest)/stray", "1")
            try folder.file("a/b/c/end", "\(round)")
            #expect(recorder.wait(forNamed: "end"))
            #expect(!recorder.changes.contains { $0.names?.contains("stray") == true })
        }
        watch.stop()
    }

    @Test(arguments: ["one", "./one/../one/", "/one", "../../one", "link/../one"])
    func `links on the way are followed within the root, and watched for leading elsewhere`(_ target: String) throws {
        let folder = try TemporaryFolder()
        try folder.directory("one/f")
        try folder.directory("two/f")
        try folder.link("link", to: "two")
        try folder.link("way", to: target)
        let recorder = ChangeRecorder()
        let watch = FolderWatch.begin(try folder.root(), "way/f", into: recorder)
        try expectWatched(recorder, folder, "one/f")
        recorder.empty()
        try folder.link("next", to: "/link")
        #expect(rename(folder("next"), folder("way")) == 0)
        #expect(recorder.wait { $0.contains { $0.names == nil } })
        try expectWatched(recorder, folder, "two/f")
        recorder.empty()
        #expect(unlink(folder("link")) == 0)
        #expect(recorder.wait { $0.contains { $0.names == nil } })
        recorder.empty()
        try folder.link("link", to: "one")
        #expect(recorder.wait { $0.contains { $0.names == nil } })
        try expectWatched(recorder, folder, "one/f")
        watch.stop()
    }

    @Test(arguments: ["f", "f/.", "f/", "f/sub/..", ".", "/", "", "link", "link/", "loop/../f"])
    func `a folder is watched whatever its path ends in`(_ path: String) throws {
        let folder = try TemporaryFolder()
        try folder.directory("f/sub")
        try folder.directory("loop")
        try folder.link("link", to: "f/sub/..")
        let recorder = ChangeRecorder()
        let watch = FolderWatch.begin(try folder.root(), path, into: recorder)
        #expect(!watch.isPolling)
        try expectWatched(recorder, folder, [".", "/", ""].contains(path) ? "" : "f")
        watch.stop()
    }

    @Test func `a circle of links, a file on the way and a directory that is none are waited out`() throws {
        let folder = try TemporaryFolder()
        try folder.link("a", to: "b")
        try folder.link("b", to: "a")
        try folder.file("file", "1")
        let recorder = ChangeRecorder()
        let watch = FolderWatch.begin(try folder.root(), "a/f", "file/f", into: recorder)
        #expect(!watch.isPolling)
        try folder.directory("real/f")
        #expect(unlink(folder("b")) == 0)
        try folder.link("b", to: "real")
        #expect(unlink(folder("file")) == 0)
        #expect(rename(folder("real"), folder("file")) == 0)
        try folder.link("real", to: "file")
        #expect(recorder.wait(for: "", in: "a/f"))
        #expect(recorder.wait(for: "", in: "file/f"))
        recorder.empty()
        try folder.file("file/f/x", "1")
        #expect(
            recorder.wait { changes in Set(changes.filter { $0.names?.contains("x") ?? true }.map(\.folder)).count == 2
            })
        watch.stop()
    }

    @Test func `a mode that changes on the way is told of`() throws {
        let folder = try TemporaryFolder()
        try folder.directory("a/f")
        let recorder = ChangeRecorder()
        let watch = FolderWatch.begin(try folder.root(), "a/f", into: recorder)
        chmod(folder("a"), 0o775)
        #expect(recorder.wait { $0.contains { $0.names == nil } })
        watch.stop()
    }

    @Test func `whoever reads again when told ends up with the newest content, whatever is moved about meanwhile`()
        throws
    {
        let folder = try TemporaryFolder()
        let root = try folder.root()
        let path = "/a/b/c"
        let seen = ChangeRecorder()
        let content = Guarded<String?>(nil)
        /// Reads as an application does.
        @Sendable func look() {
            let bytes = try? root.read(path + "/file", limit: 64).bytes
            content.withLock { $0 = bytes.map { String(decoding: $0, as: UTF8.self) } }
        }
        let watch = FolderWatch.begin(root: root, folders: [path]) { changes in
            look()
            seen.record(changes)
        }
        look()
        var random = SystemRandomNumberGenerator()
        for round in 0..<400 {
            let target = ["a", "a/b", "a/b/c"].randomElement(using: &random)!
            let way = Int.random(in: 0..<5, using: &random)
            switch way {
            case 0: try? FileManager.default.removeItem(atPath: folder(target))
            case 1: _ = rename(folder(target), folder("away\(round)"))
            case 2:
                try? folder.file("new\(round)\("a/b/c".dropFirst(target.count))/file", "new \(round)")
                _ = rename(folder(target), folder("old\(round)"))
                _ = rename(folder("new\(round)"), folder(target))
            case 3: try? folder.directory(target)
            default:
                try? folder.directory("elsewhere\(round)")
                try? folder.file("elsewhere\(round)/file", "elsewhere \(round)")
                _ = rename(folder("a/b/c"), folder("before\(round)"))
                try? folder.link("a/b/c", to: "../../elsewhere\(round)")
            }
            if round.isMultiple(of: 3) {
                let text = "round \(round)"
                try? folder.file("a/b/c/file", text)
            }
            let expected = (try? root.read(path + "/file", limit: 64).bytes).map { String(decoding: $0, as: UTF8.self) }
            let isThere = seen.wait { _ in content.withLock { $0 == expected } }
            let later = (try? root.read(path + "/file", limit: 64).bytes).map { String(decoding: $0, as: UTF8.self) }
            #expect(
                isThere,
                "round \(round), way \(way) of \(target): \(expected ?? "nothing"), later \(later ?? "nothing")")
            if !isThere { break }
        }
        watch.stop()
    }
}
