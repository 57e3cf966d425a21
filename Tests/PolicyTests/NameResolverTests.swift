import Platform
import PropertyList
import Testing

@testable import Policy

/// How names become ids, and stay so.
struct NameResolverTests {
    /// A source with one local name and a directory service that answers as said.
    func source(_ answer: NameResolver.Answer, owner: Key? = nil) -> NameResolver.Source {
        NameResolver.Source(
            local: { $0 == "local" ? 1 : nil }, owner: { _ in owner }, directory: { _ in answer })
    }

    /// Name, what is recorded, what the service answers, and what comes out.
    typealias Row = (String, NameTable.State?, NameResolver.Answer, NameTable.State)

    /// The table of the cases.
    static let rows: [Row] = [
        ("local", nil, .unavailable, .id(1)),
        ("local", .id(5), .id(7), .id(1)),
        ("far", nil, .id(7), .id(7)),
        ("far", nil, .missing, .unknown),
        ("far", nil, .unavailable, .unknown),
        ("far", .id(5), .id(7), .id(7)),
        ("far", .id(5), .unavailable, .id(5)),
        ("far", .id(5), .missing, .id(5)),
        ("far", .unknown, .id(7), .id(7)),
    ]

    @Test(arguments: rows)
    func `keeps the last known id`(
        _ name: String, _ recorded: NameTable.State?, _ answer: NameResolver.Answer, _ expected: NameTable.State
    ) {
        let table = recorded.map { [Key(name): $0] } ?? [:]
        let result = NameResolver.renewed([Key(name)], recorded: table, source: source(answer))
        #expect(result == [Key(name): expected])
    }

    @Test func `forgets an id that another name has now`() {
        let result = NameResolver.renewed(
            ["gone"], recorded: ["gone": .id(5)], source: source(.unavailable, owner: "new"))
        #expect(result == ["gone": .unknown])
    }

    @Test(arguments: [(NameTable.State.unknown, false), (.id(1001), true), (.id(5), false)])
    func `a name without an id matches no user, and an unknown user matches by name and is not excepted`(
        _ state: NameTable.State, _ matches: Bool
    ) {
        let names = NameTable(users: ["alice": state], groups: ["alice": state])
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
        let machine = try TestMachine()
        let accounts = AccountDatabase(root: machine.root)
        var names = NameResolver.Names([])
        names.users = ["alice", "late", "moved", "gone"]
        names.groups = ["chess", "new"]
        let table = NameTable(
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
        let answers = DirectoryAnswers(patience: 1)
        let asked = Guarded(0)
        /// Asks about a name; a question without an answer takes longer than there is patience.
        func ask(_ name: String, fails: Bool) -> NameResolver.Answer {
            answers.answer(.init(isGroup: false, name: Key(name))) { () throws(SystemError) in
                asked.withLock { $0 += 1 }
                guard fails else { return 7 }
                Clock.pause(microseconds: 2)
                throw SystemError(operation: "ask", path: name, code: 110)
            }
        }
        #expect([ask("a", fails: false), ask("a", fails: true)] == [.id(7), .id(7)])
        #expect((1...4).map { ask("silent\($0)", fails: true) } == Array(repeating: .unavailable, count: 4))
        #expect(asked.withLock { $0 } == 2)
        #expect(ask("a", fails: true) == .id(7))
    }
}
