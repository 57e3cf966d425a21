import Foundation
import Testing

@testable import MDPlatform

/// The process knows itself from the kernel.
struct CurrentProcessTests {
    @Test func `facts agree with the system's`() throws {
        #expect(CurrentProcess.pid == getpid())
        #expect(CurrentProcess.uid == getuid())
        #expect(CurrentProcess.gid == getgid())
        let path = try #require(CurrentProcess.executablePath)
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(CurrentProcess.groups.count == Int(getgroups(0, nil)))
    }

    /// Lines of /proc/PID/stat, and the start time in them.
    static let stats: [(line: String, time: UInt64?)] = [
        ("1 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20", 4711),
        ("1 (a b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20\n", 4711),
        ("1 () 9 ) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711", 4711),
        ("1 (a) S 1 2 3", nil),
        ("1 a S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711", nil),
        ("", nil),
        (")", nil),
    ]

    @Test(arguments: stats) func `the start time is found behind any name`(line: String, time: UInt64?) {
        #expect(CurrentProcess.startTime(inStat: Array(line.utf8)) == time)
    }

    @Test func `the start time of this process is not that of the first`() throws {
        #expect(try #require(CurrentProcess.startTime) > 0)
    }

    @Test func `only the identity map is the first user namespace`() {
        #expect(!UserNamespace.isMapped(Array("         0          0 4294967295\n".utf8)))
        #expect(UserNamespace.isMapped(Array("         0       1000          1\n".utf8)))
        #expect(UserNamespace.isMapped(Array("0 0 1000\n1000 1000 4294966295\n".utf8)))
        #expect(UserNamespace.isMapped([]))
    }
}
