import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// The user and group lists are parsed strictly, and a bad line does not affect the others.
@Suite(.timeLimit(.minutes(15)))
struct AccountDatabaseTests {
    static func database(passwd: String?, group: String? = "") throws -> AccountDatabase {
        let folder = try TemporaryFolder()
        if let passwd { try folder.file("etc/passwd", passwd) }
        if let group { try folder.file("etc/group", group) }
        let database = AccountDatabase(root: try folder.root())
        withExtendedLifetime(folder) {}
        return database
    }

    /// A line of passwd, the names that it gives, and the beginning of its problem.
    static let lines: [(line: String, names: [String], problem: String?)] = [
        ("alice:x:1000:1000:Alice Adams,Room 2,,:/home/alice:/bin/bash", ["alice"], nil),
        ("alice:x:1000:1000:::", ["alice"], nil),
        ("# comment", [], nil),
        ("", [], nil),
        ("   ", [], nil),
        ("+::::::", [], nil),
        ("+@students::::::", [], nil),
        ("-mallory", [], nil),
        ("-mallory::::::", [], nil),
        ("-@students", [], nil),
        ("-x:x:1000:1000:X:/home/-x:/bin/sh", ["-x"], nil),
        ("-x:x:1000:1000:X:/home/-x", [], nil),
        ("alice:x:1000:1000:Alice:/home/alice", [], "a user's line has 7 fields, and this one has 6"),
        ("alice:x:1000:1000:A:/home/a:/bin/sh:more", [], "a user's line has 7 fields, and this one has more"),
        ("alice:x:-1:1000:A:/home/a:/bin/sh", [], "the uid is not a number"),
        ("alice:x:+1:1000:A:/home/a:/bin/sh", [], "the uid is not a number"),
        ("alice:x::1000:A:/home/a:/bin/sh", [], "the uid is not a number"),
        ("alice:x:0x10:1000:A:/home/a:/bin/sh", [], "the uid is not a number"),
        ("alice:x:4294967294:1000:A:/home/a:/bin/sh", ["alice"], nil),
        ("alice:x:4294967295:1000:A:/home/a:/bin/sh", [], "the uid is not a number"),
        ("alice:x:4294967296:1000:A:/home/a:/bin/sh", [], "the uid is not a number"),
        ("alice:x:99999999999999999999:1:A:/home/a:/bin/sh", [], "the uid is not a number"),
        ("alice:x:1000:many:A:/home/a:/bin/sh", [], "the gid is not a number"),
        (":x:1000:1000:A:/home/a:/bin/sh", [], "the name is empty"),
        ("al\u{1b}ice:x:1000:1000:A:/home/a:/bin/sh", [], "the name contains a control character"),
        ("al\0ice:x:1000:1000:A:/home/a:/bin/sh", [], "the name contains a control character"),
    ]

    @Test(arguments: lines) func `each line is taken or reported with its place`(
        line: String, names: [String], problem: String?
    ) throws {
        let database = try Self.database(passwd: "root:x:0:0:root:/root:/bin/sh\n\(line)\nlast:x:7:7::/:/bin/sh")
        #expect(database.accounts.map(\.name) == ["root"] + names + ["last"])
        #expect(database.problems.count == (problem == nil ? 0 : 1))
        if let problem {
            #expect(database.problems.first?.line == 2)
            #expect(database.problems.first?.message.hasPrefix(problem) == true)
            #expect(database.problems.first?.description.contains("/etc/passwd:2: ") == true)
        }
    }

    @Test func `fields are what they are`() throws {
        let database = try Self.database(
            passwd: "alice:x:1000:100:Alice Adams,Room 2,,:/home/alice:/bin/bash\n",
            group: "users:x:100:\nstudents:x:200:bob,alice\nalice:x:1000:\nlab:x:300:alice,alice,\nbad:x:y:alice\n")
        let alice = try #require(database.account(named: "alice"))
        #expect(alice == Account(name: "alice", uid: 1000, gid: 100, fullName: "Alice Adams", home: "/home/alice"))
        #expect(database.account(uid: 1000) == alice)
        #expect(database.groups(of: alice) == [100, 200, 300])
        #expect(database.groupID(named: "students") == 200)
        #expect(database.groupName(200) == "students")
        #expect(database.groupID(named: "none") == nil)
        #expect(database.account(named: "none") == nil)
        #expect(database.problems.map(\.line) == [5])
    }

    @Test func `the first of two lines counts`() throws {
        let database = try Self.database(
            passwd: "a:x:1:1::/a:\na:x:2:2::/b:\nb:x:1:3::/c:\n", group: "g:x:1:\ng:x:2:\nh:x:1:\n")
        #expect(database.account(named: "a")?.uid == 1)
        #expect(database.account(uid: 1)?.name == "a")
        #expect(database.account(uid: 2) == nil)
        #expect(database.groupID(named: "g") == 1)
        #expect(database.groupName(1) == "g")
        #expect(database.account(named: "b")?.gid == 3)
    }

    @Test func `names compare as bytes`() throws {
        let database = try Self.database(passwd: "jos\u{e9}:x:1:1::/a:\njose\u{301}:x:2:2::/b:\n")
        #expect(database.account(named: "jos\u{e9}")?.uid == 1)
        #expect(database.account(named: "jose\u{301}")?.uid == 2)
        #expect(database.account(named: "JOS\u{e9}") == nil)
    }

    @Test func `missing files are problems and nobody is there`() throws {
        let database = try Self.database(passwd: nil, group: nil)
        #expect(database.accounts.isEmpty)
        #expect(database.problems.count == 2)
        #expect(database.problems.allSatisfy { $0.line == 0 && $0.message.hasSuffix("No such file or directory") })
    }

    @Test func `any bytes are survived and problems are bounded`() throws {
        let folder = try TemporaryFolder()
        try folder.directory("etc")
        var bytes: [UInt8] = []
        var state: UInt32 = 1
        for _ in 0..<200_000 {
            state = state &* 1_664_525 &+ 1_013_904_223
            bytes.append(state & 0x3000_0000 == 0 ? 0x3a : state & 0x0800_0000 == 0 ? UInt8(state >> 24) : 0x0a)
        }
        try Data(bytes).write(to: URL(fileURLWithPath: folder("etc/passwd")))
        try Data(bytes).write(to: URL(fileURLWithPath: folder("etc/group")))
        let database = AccountDatabase(root: try folder.root())
        #expect((100...202).contains(database.problems.count))
    }

    @Test func `the directory service is never asked about a folder`() throws {
        let database = try Self.database(passwd: "a:x:1:1::/a:\n")
        #expect(try database.lookUpAccount(named: "root") == nil)
        #expect(try database.lookUpAccount(named: "a")?.uid == 1)
        #expect(try database.lookUpGroup(named: "root") == nil)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/getent"), "getent is not installed"))
    func `the machine's own users are found, and unknown ones are not`() throws {
        let database = AccountDatabase(root: .system)
        #expect(try Self.patiently { try database.lookUpAccount(uid: 0)?.name } == "root")
        let answer = try Self.patiently { try Getent.ask(tool: "/usr/bin/getent", "passwd", "root") }
        #expect(String(decoding: try #require(answer), as: UTF8.self).hasPrefix("root:"))
        #expect(try Self.patiently { try database.lookUpAccount(named: "no-such-user-7f3a") } == nil)
        #expect(try Self.patiently { try database.lookUpGroup(named: "no-such-group-7f3a") } == nil)
        // getent takes digits for an id, and an id is not a name.
        #expect(throws: SystemError.self) { try database.lookUpAccount(named: "0") }
        #expect(try Self.patiently { try database.lookUpGroup(named: "a:b") } == nil)
    }

    /// Asks again if a quarter of a second was too short on a busy machine.
    static func patiently<Answer>(_ ask: () throws -> Answer) throws -> Answer {
        let end = Clock.monotonicMicroseconds() + Int64(TestLimit.seconds * 1_000_000)
        while true {
            do {
                return try ask()
            } catch let error as SystemError where error.isTimeout && Clock.monotonicMicroseconds() < end {
                continue
            }
        }
    }

    @Test func `a directory service that does not answer costs a quarter of a second and is no "nobody"`() throws {
        let folder = try TemporaryFolder()
        try folder.file("slow", "#!/bin/sh\nexec /bin/sleep 300\n", mode: 0o755)
        try folder.file("broken", "#!/bin/sh\nexit 3\n", mode: 0o755)
        let start = Clock.monotonicMicroseconds()
        #expect(Self.code(asking: folder("slow")) == ETIMEDOUT)
        #expect(Clock.monotonicMicroseconds() - start < 300_000_000)
        // On a busy machine the tool may not answer in time.
        var broken: Int32? = ETIMEDOUT
        while broken == ETIMEDOUT { broken = Self.code(asking: folder("broken")) }
        #expect(broken == EIO)
        #expect(Getent.groups(in: Array("alice                 4 24 1000\n".utf8), of: "alice") == [4, 24, 1000])
        #expect(Getent.groups(in: Array("alice\n".utf8), of: "alice") == [])
        #expect(Getent.groups(in: Array("bob 4\n".utf8), of: "alice") == nil)
    }

    /// How a question to a tool fails; `nil` if it succeeds.
    static func code(asking tool: String) -> Int32? {
        while true {
            do {
                _ = try Getent.ask(tool: tool, "passwd", "x")
                return nil
            } catch {
                // A child of another test may hold the new script open for writing until it starts its own program.
                if error.code != ETXTBSY { return error.code }
            }
        }
    }
}
