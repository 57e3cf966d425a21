import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// Reading never hangs, never takes half a file, and says what is wrong.
@Suite(.timeLimit(.minutes(15)))
struct ReadTests {
    @Test func `what is no regular file is refused by name without waiting`() throws {
        let folder = try TemporaryFolder()
        try #require(mkfifo(folder("fifo"), 0o644) == 0)
        try folder.directory("directory")
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(folder("socket").utf8)
        try #require(name.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        let root = try folder.root()
        #expect(Self.text { try root.read("/fifo", limit: 9) } == "it is a fifo, not a regular file")
        #expect(Self.text { try root.read("/directory", limit: 9) } == "it is a directory, not a regular file")
        // The kernel does not open sockets at all.
        #expect(Self.text { try root.read("/socket", limit: 9) } == "No such device or address")
        #expect(Self.text { _ = try root.open("/fifo", .append(mode: 0o600)) } == "it is a fifo, not a regular file")
        #expect(
            Self.text { try Root.system.read("/dev/zero", limit: 9) } == "it is a character device, not a regular file")
    }

    @Test func `a limit is exact`() throws {
        let folder = try TemporaryFolder()
        try folder.file("ten", "0123456789")
        let root = try folder.root()
        #expect(try root.read("/ten", limit: 10).bytes == Array("0123456789".utf8))
        #expect(Self.text { try root.read("/ten", limit: 9) } == "it is larger than 9 bytes")
        try folder.file("none", "")
        #expect(try root.read("/none", limit: 0).bytes == [])
    }

    @Test func `files of proc, which say that they are empty, are read whole and within the limit`() throws {
        #expect(try Root.system.read("/proc/self/status", limit: 1 << 20).bytes.count > 100)
        #expect(Self.text { try Root.system.read("/proc/self/status", limit: 50) } == "it is larger than 50 bytes")
    }

    @Test func `a file that grows while it is read is read again or refused, never torn`() async throws {
        let folder = try TemporaryFolder()
        try folder.file("log", String(repeating: "line\n", count: 10_000))
        let root = try folder.root()
        let writer = Task.detached {
            let file = try AppendFile.open(root: root, path: "/log", mode: 0o600)
            while !Task.isCancelled { try file.append(Array("line\n".utf8)) }
        }
        for _ in 0..<50 {
            guard let (bytes, status) = try? root.read("/log", limit: 1 << 28) else { continue }
            #expect(bytes.count == status.size)
            #expect(bytes.count % 5 == 0)
        }
        writer.cancel()
        _ = try await writer.value
    }

    @Test func `names are complete and in byte order`() throws {
        let folder = try TemporaryFolder()
        let names =
            (0..<3_000).map { "name-\($0)-\(String(repeating: "x", count: $0 % 200))" } + ["Z", "a", ".dot", "é"]
        for name in names { try #require(FileManager.default.createFile(atPath: folder(name), contents: nil)) }
        let expected = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(try folder.root().names(in: "/") == expected)
    }

    @Test func `a failure says what, where and why`() throws {
        let folder = try TemporaryFolder()
        let root = try folder.root()
        let error = try #require(Self.failure { try root.read("/no\u{202e}ne\n", limit: 1) })
        #expect(error.isMissing)
        #expect(error.description == "cannot open \(folder.path)/no\\u{202e}ne\\n: No such file or directory")
        #expect(SystemError.text(of: 99_999) == "error 99999")
    }

    /// The failure of a call, or `nil`.
    static func failure<Result>(_ body: () throws -> Result) -> SystemError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? SystemError
        }
    }

    /// Why a call failed, or `nil`.
    static func text<Result>(_ body: () throws -> Result) -> String? {
        failure(body)?.text
    }
}
