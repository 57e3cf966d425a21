import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// Which changes are reported, and which are not.
struct FolderWatchTests {
    /// A way to change what a folder's names mean, with the name that must be reported.
    struct Way: Sendable, CustomTestStringConvertible {
        /// What is done.
        let testDescription: String
        /// What is there before.
        var before: @Sendable (TemporaryFolder) throws -> Void = { _ in }
        /// The change.
        let change: @Sendable (TemporaryFolder) throws -> Void
        /// The name that must be reported.
        var name = "a"
    }

    static let ways: [Way] = [
        Way(testDescription: "written and closed", before: { try $0.file("f/a", "1") }) { try $0.file("f/a", "2") },
        Way(testDescription: "made") { try $0.file("f/a", "1") },
        Way(testDescription: "made empty") { try $0.file("f/a", "") },
        Way(testDescription: "replaced", before: { try $0.file("f/b", "1") }) { _ = rename($0("f/b"), $0("f/a")) },
        Way(
            testDescription: "replaced from outside", before: { try $0.file("b", "1") },
            change: { _ = rename($0("b"), $0("f/a")) }),
        Way(
            testDescription: "renamed away", before: { try $0.file("f/a", "1") },
            change: { _ = rename($0("f/a"), $0("b")) }),
        Way(testDescription: "removed", before: { try $0.file("f/a", "1") }) { _ = unlink($0("f/a")) },
        Way(testDescription: "made unreadable", before: { try $0.file("f/a", "1") }) { _ = chmod($0("f/a"), 0) },
        Way(testDescription: "touched", before: { try $0.file("f/a", "1") }) { _ = utimes($0("f/a"), nil) },
        Way(testDescription: "linked", before: { try $0.file("b", "1") }) { _ = link($0("b"), $0("f/a")) },
        Way(testDescription: "made a link") { try $0.link("f/a", to: "../b") },
        Way(testDescription: "made a folder") { try $0.directory("f/a") },
        Way(
            testDescription: "another name", before: { try $0.file("f/\u{202e}é\n", "1") },
            change: { _ = unlink($0("f/\u{202e}é\n")) }, name: "\u{202e}é\n"),
    ]

    @Test(arguments: ways)
    func `a name is told of when its content may have changed`(_ way: Way) throws {
        // The kernel has 128 instances of inotify for a user, and other tests and their programs take them too. Without
        // one, or after its queue overflowed, a change is reported without a name, which is right and not what is
        // tested.
        for isLast in [false, false, true] {
            let folder = try TemporaryFolder()
            try folder.directory("f")
            try way.before(folder)
            let recorder = ChangeRecorder()
            let watch = FolderWatch.begin(try folder.root(), "/f", into: recorder)
            try way.change(folder)
            #expect(recorder.wait(for: way.name))
            let changes = recorder.changes
            if !isLast, watch.isPolling || changes.contains(where: { $0.names == nil }) { continue }
            #expect(changes.allSatisfy { $0.folder == "/f" && $0.names != nil })
            #expect(!watch.isPolling)
            #expect(watch.isOfThisProcess)
            return
        }
    }

    @Test func `reading, listing and an unfinished write are not told of`() throws {
        let folder = try TemporaryFolder()
        try folder.file("f/a", "1")
        try folder.file("f/b", "1")
        let recorder = ChangeRecorder()
        let watch = FolderWatch.begin(try folder.root(), "f", into: recorder)
        _ = try folder.text("f/a")
        _ = folder.names("f")
        let open = try #require(FileHandle(forWritingAtPath: folder("f/b")))
        try open.write(contentsOf: Data("2".utf8))
        try folder.file("f/end", "1")
        #expect(recorder.wait(forNamed: "end"))
        #expect(recorder.changes.allSatisfy { $0.names.map { $0 == ["end"] } ?? true })
        try open.close()
        #expect(recorder.wait(forNamed: "b"))
        watch.stop()
    }

    @Test func `names of other folders are not told of`() throws {
        let folder = try TemporaryFolder()
        try folder.file("f/sub/a", "1")
        let recorder = ChangeRecorder()
        let watch = FolderWatch.begin(try folder.root(), "f", into: recorder)
        try folder.file("a", "1")
        try folder.file("f/sub/a", "2")
        try folder.file("f/end", "1")
        #expect(recorder.wait(forNamed: "end"))
        #expect(recorder.changes.allSatisfy { $0.names.map { $0 == ["end"] } ?? true })
        watch.stop()
    }

    @Test func `two watches and two paths of one folder are each told, and share the kernel's watch`() throws {
        let folder = try TemporaryFolder()
        try folder.directory("f")
        try folder.link("g", to: "f")
        let root = try folder.root()
        let (one, two) = (ChangeRecorder(), ChangeRecorder())
        let first = FolderWatch.begin(root, "/f", into: one)
        let second = FolderWatch.begin(root, "/f", "g", into: two)
        try folder.file("f/a", "1")
        #expect(one.wait(forNamed: "a"))
        #expect(two.wait { $0.contains { $0.folder == "/f" } && $0.contains { $0.folder == "g" } })
        var status = stat()
        #expect(stat(folder("f"), &status) == 0)
        #expect(try kernelWatches(ofInode: UInt64(status.st_ino)) == 1)
        first.stop()
        two.empty()
        try folder.file("f/b", "1")
        #expect(two.wait(forNamed: "b"))
        #expect(!one.changes.contains { $0.names?.contains("b") == true })
        second.stop()
    }

    /// How often this process's inotify instances watch an inode.
    private func kernelWatches(ofInode inode: UInt64) throws -> Int {
        let folder = "/proc/self/fdinfo"
        let needle = " ino:" + String(inode, radix: 16) + " "
        return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { sum, name in
            guard let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) else { return sum }
            return sum + text.components(separatedBy: needle).count - 1
        }
    }

    @Test func `nobody is told after the end, from within or without`() throws {
        let folder = try TemporaryFolder()
        try folder.directory("f")
        let root = try folder.root()
        for round in 0..<50 {
            let ended = Guarded(false)
            let wasToldLate = Guarded(false)
            let watch = FolderWatch.begin(root: root, folders: ["f"]) { _ in
                if ended.withLock({ $0 }) { wasToldLate.withLock { $0 = true } }
            }
            try folder.file("f/\(round)", "1")
            watch.stop()
            ended.withLock { $0 = true }
            watch.stop()
            #expect(!wasToldLate.withLock { $0 })
            #expect(!watch.isOfThisProcess)
        }
        let recorder = ChangeRecorder()
        let box = Guarded<FolderWatch?>(nil)
        let watch = FolderWatch.begin(root: root, folders: ["f"]) { changes in
            // The last reference goes on the watching thread.
            let own = box.withLock { box in
                defer { box = nil }
                return box
            }
            own?.stop()
            recorder.record(changes)
        }
        box.withLock { $0 = watch }
        try folder.file("f/x", "1")
        #expect(recorder.wait(for: "x"))
        let count = recorder.changes.count
        let other = ChangeRecorder()
        let second = FolderWatch.begin(root, "f", into: other)
        try folder.file("f/y", "1")
        #expect(other.wait(for: "y"))
        #expect(recorder.changes.count == count)
        second.stop()
    }

    @Test func `the end waits for a call that is under way`() throws {
        let folder = try TemporaryFolder()
        try folder.directory("f")
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isDone = Guarded(false)
        let watch = FolderWatch.begin(root: try folder.root(), folders: ["f"]) { _ in
            begun.signal()
            goOn.wait()
            isDone.withLock { $0 = true }
        }
        try folder.file("f/a", "1")
        begun.wait()
        let stopped = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            watch.stop()
            #expect(isDone.withLock { $0 })
            stopped.signal()
        }
        for _ in 0..<10 { goOn.signal() }
        #expect(stopped.wait(timeout: .now() + TestLimit.seconds) == .success)
    }

    @Test func `events are taken apart, and whatever is cut off is left out`() {
        /// Bytes of an event.
        func event(_ watch: Int32, _ mask: UInt32, _ name: String, length: UInt32) -> [UInt8] {
            var bytes: [UInt8] = []
            for number in [UInt32(bitPattern: watch), mask, 7, length] {
                withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
            }
            return bytes + Array(name.utf8) + [UInt8](repeating: 0, count: Int(length) - name.utf8.count)
        }
        let whole = event(1, 2, "abc", length: 16) + event(-1, 0x4000, "", length: 0) + event(3, 8, "x", length: 4)
        let events = InotifyEvent.events(in: whole)
        #expect(events.map(\.watch) == [1, -1, 3])
        #expect(events.map(\.mask) == [2, 0x4000, 8])
        #expect(events.map { String(decoding: $0.name, as: UTF8.self) } == ["abc", "", "x"])
        for count in 0..<whole.count {
            #expect(InotifyEvent.events(in: Array(whole.prefix(count))).count == (count < 32 ? 0 : count < 48 ? 1 : 2))
        }
        #expect(InotifyEvent.events(in: [UInt8](repeating: 0xff, count: 64)).isEmpty)
    }
}
