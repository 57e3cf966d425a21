import MDTestSupport
import Testing

@testable import MDPlatform

/// The register of people gives names to ids, and never a wrong one.
@Suite(.timeLimit(.minutes(15)))
struct PeopleRegisterTests {
    /// A time, in days.
    private static func day(_ number: Int64) -> Timestamp { Timestamp(microseconds: number * 86_400_000_000) }

    /// A root with a register of some bytes.
    private static func folder(_ bytes: [UInt8]) throws -> (TemporaryFolder, Root) {
        let folder = try TemporaryFolder()
        try folder.write("var/lib/managed-defaults/people", bytes)
        return (folder, try folder.root())
    }

    /// Many people, every seventh with an earlier person of the uid.
    private static let rows: [PeopleRegister.Row] = (0..<2_000).flatMap { number -> [PeopleRegister.Row] in
        let uid = UInt32(20_000 + 3 * number)
        let row = PeopleRegister.Row(uid: uid, name: "pupil\(number)", home: "/net/ä/pupil\(number)", from: day(400))
        guard number % 7 == 0 else { return [row] }
        return [PeopleRegister.Row(uid: uid, name: "old\(number)", home: "/old", from: day(1), until: day(300)), row]
    }

    @Test func `everybody of a large register is found in place`() throws {
        let (folder, root) = try Self.folder(PeopleRegister.encode(Self.rows.reversed()))
        let register = try PeopleRegister(root: root)
        #expect(try register.all() == Self.rows)
        for number in stride(from: 0, to: 2_000, by: 13) + [1, 1_999] {
            let uid = UInt32(20_000 + 3 * number)
            #expect(try register.rows(of: uid) == Self.rows.filter { $0.uid == uid })
            #expect(try register.rows(of: uid + 1).isEmpty)
        }
        for uid in [0, 19_999, 26_000, .max] as [UInt32] { #expect(try register.rows(of: uid).isEmpty) }
        #expect(PeopleRegister.person(of: 20_000, in: root)?.name == "pupil0")
        withExtendedLifetime(folder) {}
    }

    @Test func `a record has the name of who had the uid at its time`() throws {
        let (folder, root) = try Self.folder(PeopleRegister.encode(Self.rows))
        let names = PeopleNames(root: root)
        #expect(
            [0, 1, 299, 300, 399, 400].map { names.name(of: 20_000, at: Self.day($0)) } == [
                nil, "old0", "old0", nil, nil, "pupil0",
            ])
        #expect(names.name(of: 20_003, at: nil) == nil && names.name(of: 20_001, at: Self.day(500)) == nil)
        #expect(names.rows(named: "old7").map(\.uid) == [20_021])
        withExtendedLifetime(folder) {}
    }

    @Test func `a register that is damaged, cut or not root's names nobody`() throws {
        let whole = PeopleRegister.encode(Array(Self.rows.prefix(3)))
        let expected = Self.rows.prefix(3).map(\.name)
        let (damaged, root) = try Self.folder(whole)
        for place in stride(from: 0, to: whole.count, by: 3) {
            var bytes = whole
            bytes[place] ^= 0x01
            try damaged.write("var/lib/managed-defaults/people", bytes)
            for uid in [20_000, 20_003] as [UInt32] {
                let name = PeopleRegister.person(of: uid, in: root)?.name
                #expect(name == nil || name == (uid == 20_000 ? "pupil0" : "pupil1"), "byte \(place)")
            }
            #expect(throws: TrustError.self) { try PeopleRegister(root: root).all() }
        }
        for bytes in [[], Array(whole.dropLast()), whole + [0x0a], Array(whole.prefix(20))] {
            let (folder, root) = try Self.folder(bytes)
            #expect(PeopleRegister.person(of: 20_000, in: root) == nil)
            withExtendedLifetime(folder) {}
        }
        try damaged.write("var/lib/managed-defaults/people", whole)
        #expect(PeopleRegister.person(of: 20_000, in: root)?.name == expected[1])
        try damaged.setMode("var/lib/managed-defaults/people", 0o666)
        #expect(PeopleRegister.person(of: 20_000, in: root) == nil)
    }

    @Test func `a name or home with a control character, or without an end, is not held`() {
        #expect(PeopleRegister.canHold(name: "a b", home: "/h"))
        for (name, home) in [
            ("", "/h"), ("a", ""), ("a\tb", "/h"), ("a", "/h\n"), (String(repeating: "a", count: 257), "/"),
        ] {
            #expect(!PeopleRegister.canHold(name: name, home: home))
        }
    }
}
