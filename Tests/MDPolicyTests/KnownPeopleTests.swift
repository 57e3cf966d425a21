import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPlatform
@testable import MDPolicyCore
@testable import MDPolicyStore

/// What is remembered of the people of directories, by what name services answer.
struct KnownPeopleTests {
    /// A time, in days.
    private static func day(_ number: Double) -> Timestamp { Timestamp(microseconds: Int64(number * 86_400_000_000)) }

    /// What a name service answers.
    private static func pupil(_ name: String, _ uid: UInt32 = 20_008, home: String? = nil) -> Account {
        Account(inDirectory: name, uid: uid, gid: 20_100, home: home ?? "/home/\(name)")
    }

    /// The name of a uid at a time, in days.
    private static func name(_ known: KnownPeople, _ day: Double, _ uid: UInt32 = 20_008) -> String? {
        PeopleNames(known.publicRows).name(of: uid, at: Self.day(day))
    }

    @Test func `a uid that comes with another name is another person, and the old row ends`() {
        var known = KnownPeople()
        for time in [100, 250, 300.0] { known.see(Self.pupil("pupil0003"), at: Self.day(time)) }
        known.see(Self.pupil("mia"), at: Self.day(400))
        #expect(
            [98, 99, 300.5, 301, 398, 399, 500].map { Self.name(known, $0) } == [
                nil, "pupil0003", "pupil0003", nil, nil, "mia", "mia",
            ])
        // On one day the one ends when the other comes.
        known.see(Self.pupil("noa"), at: Self.day(400.25))
        #expect([399.5, 400.2, 400.25, 401].map { Self.name(known, $0) } == ["mia", "mia", "noa", "noa"])
        // Another spelling and another home are no other person.
        known.see(Self.pupil("Noa", home: "/net/noa"), at: Self.day(410))
        #expect(Self.name(known, 402) == "Noa" && known.publicRows.last { $0.until == nil }?.home == "/net/noa")
        #expect(known.earlier.map(\.name) == ["pupil0003", "mia"])
    }

    @Test func `local accounts, services and those without a home are passed over`() {
        var known = KnownPeople()
        known.see(Account(name: "alice", uid: 2_000, gid: 2_000, fullName: "", home: "/home/alice"))
        for account in [Self.pupil("daemon", 4), Self.pupil("nobody", 65_534), Self.pupil("ada", home: "")] {
            known.see(account)
        }
        known.see(Account(inDirectory: "guess", uid: 20_009, gid: .max, home: "/home/guess"))
        #expect(known == KnownPeople())
    }

    @Test func `who is not seen for the days that count leaves, and so do those beyond the most`() {
        var known = KnownPeople()
        known.see(Self.pupil("old"), at: Self.day(100))
        known.see(Self.pupil("mia"), at: Self.day(200))
        known.see(Self.pupil("noa", 20_009), at: Self.day(500))
        known.prune(days: 400, at: Self.day(501.5))
        #expect(known.earlier.isEmpty && known.rows.keys.sorted() == [20_008, 20_009])
        known.prune(days: 300, at: Self.day(501.5))
        #expect(known.rows.keys.sorted() == [20_009])
        for uid in 30_000..<30_003 as Range<UInt32> { known.see(Self.pupil("p\(uid)", uid), at: Self.day(502)) }
        known.prune(days: 400, most: 3, at: Self.day(502))
        #expect(known.rows.keys.sorted() == [30_000, 30_001, 30_002])
    }

    @Test func `a damaged register is made again from the private part, and that from the public one`() throws {
        let machine = try TemporaryMachine()
        try machine.makeDirectory("var/lib/managed-defaults")
        var known = KnownPeople()
        known.see(Self.pupil("pupil 3"), at: Self.day(20_000))
        known.see(Self.pupil("mia"), at: Self.day(20_400))
        known.rows[20_008]?.groups = [20_100]
        try known.write(to: machine.root)
        let (shared, own) = ("var/lib/managed-defaults/people", "var/lib/managed-defaults/people.private")
        let bytes = try machine.read(shared)
        #expect(try KnownPeople(root: machine.root) == known)
        #expect(try machine.root.status("/" + own, followingLinks: false).mode & 0o777 == 0o600)
        #expect(try machine.root.status("/" + shared, followingLinks: false).mode & 0o777 == 0o644)
        for damage in [Array(bytes.dropLast(3)), []] {
            try machine.write(shared, damage)
            try KnownPeople(root: machine.root).write(to: machine.root)
            #expect(try machine.read(shared) == bytes)
        }
        try machine.write(own, "damaged", mode: 0o600)
        let again = try KnownPeople(root: machine.root)
        #expect(again.publicRows.map(\.name) == known.publicRows.map(\.name) && again.earlier == known.earlier)
        #expect(again.rows[20_008]?.groups == nil && again.publicRows.last?.from == known.publicRows.last?.from)
    }

    @Test func `a day's second program writes nothing`() throws {
        let machine = try TemporaryMachine()
        try machine.makeDirectory("var/lib/managed-defaults")
        try KnownPeople.note([Self.pupil("mia")], root: machine.root)
        #expect(PeopleRegister.person(of: 20_008, in: machine.root)?.home == "/home/mia")
        let before = try machine.root.status(KnownPeople.path, followingLinks: false)
        try KnownPeople.note([Self.pupil("mia")], root: machine.root)
        #expect(try machine.root.status(KnownPeople.path, followingLinks: false) == before)
    }

    @Test func `what a login notes while policy is applied stays`() {
        var before = KnownPeople()
        before.see(Self.pupil("old"), at: Self.day(100))
        before.see(Self.pupil("leo", 20_010), at: Self.day(100))
        var (run, login) = (before, before)
        run.see(Self.pupil("old"), at: Self.day(200))
        run.see(Self.pupil("noa", 20_011), at: Self.day(200))
        run.rows[20_010] = nil
        login.see(Self.pupil("mia"), at: Self.day(200))
        let both = login.taking(run, changedFrom: before)
        #expect(both.rows.mapValues(\.name) == [20_008: "mia", 20_011: "noa"] && both.earlier.map(\.name) == ["old"])
    }

    @Test func `running programs read policy again when the register changes, not when its private part does`() {
        for (name, isRead) in [("people", true), ("people.private", false)] {
            let change = FolderChange(folder: "/var/lib/managed-defaults", names: [name])
            #expect(PolicyStore.mayChangePolicy(change) == isRead)
        }
    }

    @Test func `whom an administrator told the machine to forget is in no register`() {
        var known = KnownPeople()
        known.see(Self.pupil("mia"))
        known.rows[20_008]?.missing = .forgotten
        #expect(known.publicRows.isEmpty)
    }
}
