import Policy
import Testing

/// Globs on host names.
struct HostPatternTests {
    @Test(arguments: [
        ("room2-*", "room2-pc07", true), ("room2-*", "room2-", true), ("room2-*", "room1-pc07", false),
        ("ROOM?", "room1", true), ("room?", "room", false), ("*", "", true), ("*pc*7", "room-pc-17", true),
        ("*pc*7", "room-pc-18", false), ("[a-c]x", "bx", true), ("[A-C]x", "bx", true), ("[!a-c]x", "bx", false),
        ("[^a-c]x", "dx", true), ("[]]x", "]x", true), ("[a-]x", "-x", true), ("a**b", "axb", true),
        ("literal", "literal", true), ("literal", "literal2", false),
    ])
    func `matches as a shell does, without regard to case`(_ pattern: String, _ name: String, _ matches: Bool) throws {
        #expect(try #require(HostPattern(pattern)).matches(name) == matches)
    }

    @Test(arguments: ["", "room[", "room[a", "[z-a]", String(repeating: "a", count: 256)])
    func `refuses what is no pattern`(_ pattern: String) {
        #expect(HostPattern(pattern) == nil)
    }

    @Test(.timeLimit(.minutes(15)))
    func `takes no exponential time`() throws {
        let pattern = try #require(HostPattern(String(repeating: "*a", count: 120) + "b"))
        #expect(!pattern.matches(String(repeating: "a", count: 10_000)))
    }
}
