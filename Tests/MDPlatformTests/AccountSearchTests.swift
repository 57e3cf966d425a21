import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// Single questions to the account files get the answers of the whole database.
struct AccountSearchTests {
    /// Lines of user lists, good ones and such as must be passed over.
    static let users = [
        "alice:x:1001:2001:Alice,Room 1:/home/alice:/bin/sh", "bob:x:1002:2002::/home/bob:", "alice:x:1003:1:::",
        "alice:x:1001:2001:Alice", "#bob:x:1:1:::", "+alice:x:1:1:::", "-bob:x:1:1:::", " alice:x:1001:1:::", "",
        "bob:x:4294967295:1:::", "bob:x:01002:2002::/b:", "carol:x:1001:2003:::", "alice:x:1001:2001:\u{1}:/a:",
        "alic:x:7:7:::", "alicea:x:8:8:::", ":x:9:9:::", "bob:x:00000000001002:1:::", "dave:x:1002:1:::", "bob:x::1:::",
    ]
    /// Lines of group lists.
    static let groups = [
        "students:x:2001:alice,bob", "teachers:x:2002:", "chess:x:2003:alice", "chess:x:2004:bob", "#x:x:1:alice",
        "alices:x:2005:alicea,xalice", "students:x:2001", "lab:x:2003:bob,,alice", "g:x:-1:alice", "alice:x:2006:bob",
        "teachers:x:2007:alice", "h:x:2008:alice:bob", "i:x:2001:alice", "bad\u{7f}:x:2009:alice", "",
    ]

    @Test(arguments: 0..<200) func `agrees with the whole database`(_ seed: UInt64) throws {
        var random = SystemRandomNumberGenerator()
        func pick(_ lines: [String]) -> String {
            (0..<Int.random(in: 0...8, using: &random)).map { _ in lines.randomElement(using: &random) ?? "" }
                .joined(separator: "\n") + (Bool.random(using: &random) ? "\n" : "")
        }
        let (users, groups) = (pick(Self.users), pick(Self.groups))
        let machine = try TemporaryMachine(.none)
        try machine.write("etc/passwd", users)
        try machine.write("etc/group", groups)
        let root = machine.root
        let (database, scan) = (AccountDatabase(root: root), try AccountSearch(root: root))
        let place = Comment(rawValue: "\(users)\n---\n\(groups)")
        for name in ["alice", "bob", "carol", "dave", "alic", "alicea", "", "#bob", "nobody"] {
            #expect(scan.account(named: name) == database.account(named: name), place)
            let account = Account(name: name, uid: 1, gid: 2001, fullName: "", home: "")
            #expect(scan.groups(of: account) == database.groups(of: account), place)
        }
        for uid: UInt32 in [1001, 1002, 1003, 7, 8, 9, 0, .max] {
            #expect(scan.account(uid: uid) == database.account(uid: uid), place)
        }
        let ids: [UInt32] = [2001, 2002, 2003, 2004, 2005, 2003, 2006, 2007, 2008, 2009, 0]
        #expect(scan.groupNames(ids) == ids.map { database.groupName($0) }, place)
    }

    @Test func `is refused where there is no user list`() throws {
        let root = try TemporaryMachine(.none).root
        #expect(throws: SystemError.self) { try AccountSearch(root: root) }
    }
}
