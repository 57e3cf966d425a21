import MDPlatform
import MDPropertyList
import Testing

@testable import MDPolicyCore
@testable import MDPolicyModel
@testable import MDPolicyStore

/// What becomes of names that a directory has, by what its services say.
struct NameRenewalTests {
    /// The names of policy.
    private static let names = ["class", "other"]
    /// One hour, in microseconds.
    private static let hour: Int64 = 3_600_000_000

    /// A machine's record and ledger, which runs renew.
    private struct Machine {
        var ids = AccountIDs()
        var ledger = NameLedger()
        var now: Int64 = 1_800_000_000_000_000

        /// Asks the services some hours later.
        mutating func run(
            hours: Int64 = 0, _ replies: [String: [NameReplies.Reply]], local: [String: UInt32] = [:],
            isAtOnce: Bool = false
        ) {
            now += hours * NameRenewalTests.hour
            var names = NameResolver.Names([])
            names.groups = Set(NameRenewalTests.names.map { Key($0) })
            let files = NameRenewal.Files(
                id: { local[$0.string] }, name: { id in local.first { $0.value == id }.map { Key($0.key) } })
            let none = NameRenewal.Files(id: { _ in nil }, name: { _ in nil })
            var asked: [NameLedger.Name: NameReplies] = [:]
            for (name, replies) in replies { asked[NameLedger.Name(.group, Key(name))] = NameReplies(replies) }
            let renewal = NameRenewal(
                names, recorded: ids, ledger: ledger, users: none, groups: files, replies: asked,
                now: Timestamp(microseconds: now), isAtOnce: isAtOnce)
            ids = renewal.ids
            // As the file keeps it.
            ledger = (try? NameLedger(decoding: renewal.ledger.encoded())) ?? NameLedger()
            #expect(ledger == renewal.ledger)
        }

        var state: AccountIDs.State { ids.group("class") }
        var entry: NameLedger.Entry? { ledger.entries[NameLedger.Name(.group, "class")] }
    }

    private static func found(_ id: UInt32, _ name: String, by service: String = "ldap") -> [NameReplies.Reply] {
        [NameReplies.Reply(service, .group(id: id, name: name))]
    }

    private static let none = [NameReplies.Reply("ldap", .none)]
    private static let silent = [NameReplies.Reply("ldap", .silent("it is away"))]
    /// What `getent` leaves to be known by its exit code 2.
    private static let code2 = [NameReplies.Reply("", .none)]

    /// A machine that has recorded both names.
    private func recorded() -> Machine {
        var machine = Machine()
        machine.run(["class": Self.found(5, "class"), "other": Self.found(6, "other")])
        #expect(machine.state == .id(5))
        return machine
    }

    @Test func `a name of a directory that is away keeps its id, for however long`() {
        var machine = recorded()
        for _ in 0..<5 { machine.run(hours: 24, ["class": Self.silent, "other": Self.silent]) }
        #expect(machine.state == .id(5))
        #expect(machine.ledger.services["ldap"]?.microseconds == 1_800_000_000_000_000 + 24 * Self.hour)
        machine.run(["class": Self.found(5, "class"), "other": Self.found(6, "other")])
        #expect(machine.ledger.services == [:] && machine.entry?.silent == nil)
    }

    @Test func `a service that denies all its names, as one without a cache, is not believed`() {
        var machine = recorded()
        for _ in 0..<5 { machine.run(hours: 24, ["class": Self.none, "other": Self.none]) }
        #expect(machine.state == .id(5) && machine.entry?.silent != nil)
    }

    @Test func `the exit code 2 of getent is no proof`() {
        var machine = recorded()
        for _ in 0..<3 { machine.run(hours: 24, ["class": Self.code2, "other": Self.found(6, "other", by: "")]) }
        #expect(machine.state == .id(5))
    }

    @Test func `a name leaves after 24 hours in which all runs deny it and find another`() {
        var machine = recorded()
        let other = Self.found(6, "other")
        machine.run(["class": Self.none, "other": other])
        machine.run(hours: 23, ["class": Self.none, "other": other])
        #expect(machine.state == .id(5) && machine.entry?.missing != nil)
        machine.run(hours: 1, ["class": Self.none, "other": other])
        #expect(machine.state == .unknown && machine.entry == nil)
    }

    @Test func `a run without an answer begins the 24 hours again`() {
        var machine = recorded()
        let other = Self.found(6, "other")
        machine.run(["class": Self.none, "other": other])
        machine.run(hours: 20, ["class": Self.silent, "other": other])
        machine.run(hours: 1, ["class": Self.none, "other": other])
        machine.run(hours: 10, ["class": Self.none, "other": other])
        #expect(machine.state == .id(5))
        machine.run(hours: 14, ["class": Self.none, "other": other])
        #expect(machine.state == .unknown)
    }

    @Test func `a clock that is set back begins the 24 hours again`() {
        var machine = recorded()
        let other = Self.found(6, "other")
        machine.run(["class": Self.none, "other": other])
        machine.run(hours: -100, ["class": Self.none, "other": other])
        machine.run(hours: 20, ["class": Self.none, "other": other])
        #expect(machine.state == .id(5))
    }

    @Test func `an error of one service is not denial by another`() {
        var machine = recorded()
        let replies = [NameReplies.Reply("ldap", .none), NameReplies.Reply("sss", .silent("it is away"))]
        machine.run(["class": replies, "other": Self.found(6, "other")])
        machine.run(hours: 48, ["class": replies, "other": Self.found(6, "other")])
        #expect(machine.state == .id(5))
    }

    @Test func `a name with another id counts with both for 24 hours, and what frees with none`() {
        var machine = recorded()
        let other = Self.found(6, "other")
        machine.run(["class": Self.found(9, "class"), "other": other])
        #expect(machine.state == .changing(5, 9))
        machine.run(hours: 23, ["class": Self.silent, "other": Self.silent])
        #expect(machine.state == .changing(5, 9))
        machine.run(["class": Self.found(5, "class"), "other": other])
        #expect(machine.state == .id(5))
        machine.run(["class": Self.found(9, "class"), "other": other])
        machine.run(hours: 24, ["class": Self.found(9, "class"), "other": other])
        #expect(machine.state == .id(9) && machine.entry?.changed == nil)
    }

    @Test func `an administrator lets what the directory says count at once`() {
        var machine = recorded()
        machine.run(["class": Self.found(9, "class"), "other": Self.silent], isAtOnce: true)
        #expect(machine.state == .id(9) && machine.ids.group("other") == .id(6))
        machine.run(["class": Self.none, "other": Self.silent], isAtOnce: true)
        #expect(machine.state == .unknown && machine.ids.group("other") == .id(6))
    }

    @Test func `a name counts whatever its spelling in the directory`() {
        var machine = Machine()
        machine.run(["class": Self.found(5, "CLASS")])
        #expect(machine.state == .id(5) && machine.entry?.spelling == "CLASS" && machine.entry?.service == "ldap")
    }

    @Test func `the machine's own file decides, and ends what it gives to somebody else`() {
        var machine = recorded()
        machine.run(["class": Self.silent], local: ["class": 7])
        #expect(machine.state == .id(7) && machine.entry == nil)
        machine = recorded()
        machine.run(["class": Self.silent], local: ["somebody": 5])
        #expect(machine.state == .unknown)
    }

    @Test func `a record keeps both ids`() throws {
        var record = PolicyRecord()
        record.names.groups = ["class": .changing(5, 9), "other": .id(6)]
        #expect(try PolicyRecord(decoding: record.encoded()).names == record.names)
    }

    @Test(arguments: [false, true]) func `what restricts applies to both ids, what frees to neither`(
        _ isException: Bool
    ) {
        let names = AccountIDs(groups: ["class": .changing(5, 9)])
        let clauses = Target.Clauses(groups: [TargetName("class")])
        for id: UInt32 in [5, 9] {
            let subject = Subject(
                userName: "u", uid: 1001, gid: 1001, groups: [1001, id], home: "/",
                host: HostName(short: "h", full: "h"),
                moment: Moment(time: Clock.now(), zones: ZoneDatabase(root: .system)))
            let target =
                isException ? Target(include: Target.Clauses(), except: clauses) : Target(include: clauses)
            #expect(target.mismatch(of: subject, names: names) == nil)
            #expect(!clauses.isCertain(for: subject, names: names))
        }
    }
}
