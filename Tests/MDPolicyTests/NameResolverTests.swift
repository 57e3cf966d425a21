import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// How names become ids, and stay so.
struct NameResolverTests {
    @Test(arguments: [(AccountIDs.State.unknown, false), (.id(1001), true), (.id(5), false)])
    func `a name without an id matches no user, and an unknown user matches by name and is not excepted`(
        _ state: AccountIDs.State, _ matches: Bool
    ) {
        let names = AccountIDs(users: ["alice": state], groups: ["alice": state])
        let subject = Subject(
            userName: "alice", uid: 1001, gid: 1001, groups: [1001], home: "/", host: HostName(short: "h", full: "h"),
            moment: Moment(time: Clock.now(), zones: ZoneDatabase(root: .system)))
        let clauses = Target.Clauses(users: [TargetName("alice")], groups: [TargetName("alice")])
        #expect((Target(include: clauses).mismatch(of: subject, names: names) == nil) == matches)
        let except = Target(include: Target.Clauses(), except: clauses)
        let isExcepted = except.mismatch(of: subject, names: names) != nil
        #expect(isExcepted == (state == .id(1001)))
        var stranger = subject
        stranger.unknown = .identity
        #expect(Target(include: clauses).mismatch(of: stranger, names: names) == nil)
        #expect(except.mismatch(of: stranger, names: names) == nil)
    }

    @Test func `a user who is in the machine's file by now is meant, and one who is nowhere is not`() throws {
        let machine = try TemporaryMachine()
        let accounts = AccountDatabase(root: machine.root)
        var names = NameResolver.Names([])
        names.users = ["alice", "late", "moved", "gone"]
        names.groups = ["chess", "new"]
        let table = AccountIDs(
            users: ["alice": .unknown, "late": .unknown, "moved": .id(1002), "gone": .unknown],
            groups: ["chess": .id(5), "new": .unknown])
        let found = NameResolver.recorded(names, table: table, accounts: accounts)
        #expect(
            found.users == ["alice": .id(1001), "late": .unknown, "moved": .unknown, "gone": .unknown])
        #expect(found.groups == ["chess": .id(2003), "new": .unknown])
        let late = Subject(
            userName: "late", uid: 3001, gid: 3001, groups: [3001], home: "/", host: HostName(short: "h", full: "h"),
            moment: Moment(time: Clock.now(), zones: ZoneDatabase(root: .system)))
        let users = Target(include: Target.Clauses(users: [TargetName("late")]))
        #expect(users.mismatch(of: late, names: found) != nil)
        try machine.write("/etc/passwd", "late:x:3001:3001:Late:/:/bin/sh\n")
        let again = NameResolver.recorded(names, table: table, accounts: AccountDatabase(root: machine.root))
        #expect(again.users["late"] == .id(3001))
        #expect(users.mismatch(of: late, names: again) == nil)
        let others = Target(include: Target.Clauses(users: [TargetName("moved")]))
        #expect(others.mismatch(of: late, names: found) != nil)
    }

    @Test(arguments: [
        ("plain $ text", "plain $ text"), ("${user}", "alice"), ("$${user}", "${user}"), ("$$${user}", "$${user}"),
        ("${uid}${home}", "7/h"), ("{${host}}", "{h}"), ("$$", "$$"),
    ])
    func `expands variables from left to right`(_ text: String, _ expected: String) throws {
        let subject = Subject(
            userName: "alice", uid: 7, gid: 7, groups: [], home: "/h", host: HostName(short: "h", full: "h.x"),
            moment: Moment(time: Clock.now(), zones: ZoneDatabase(root: .system)))
        #expect(try Template(text).expanded(for: subject) == expected)
    }

    @Test func `a name is asked about once, and a service that is silent no more`() {
        let answers = NameServiceCache(timeout: 1)
        let asked = Guarded(0)
        /// Looks up a name; a question without an answer exceeds the time limit.
        func ask(_ name: String, fails: Bool) -> UInt32? {
            answers.answer(.group(Key(name))) { () throws(SystemError) in
                asked.withLock { $0 += 1 }
                guard fails else { return 7 }
                Clock.pause(microseconds: 2)
                throw SystemError(operation: "ask", path: name, code: 110)
            }.value
        }
        #expect([ask("a", fails: false), ask("a", fails: true)] == [7, 7])
        #expect((1...4).map { ask("silent\($0)", fails: true) } == Array(repeating: nil, count: 4))
        #expect(asked.withLock { $0 } == 2)
        #expect(ask("a", fails: true) == 7)
    }
}
