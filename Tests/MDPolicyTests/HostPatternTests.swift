import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
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

    @Test(arguments: [
        ("room1-*", "room2-*", false), ("room1-*", "*-pc01", true), ("room?-*", "room2-*", true),
        ("room[12]-*", "room[34]-*", false), ("room[12]-*", "room[!1]-*", true), ("room[a-c]", "roomB", true),
        ("a*a", "a*b.c", true), ("a*a", "b*", false), ("*a*", "*b*", true), ("a*b", "a?b", true), ("a?b", "a*cb", true),
        ("a??b", "acb", false),
        ("literal", "literal", true), ("literal", "literal2", false), ("LITERAL", "literal", true),
        // The one by its short name, the other by its full one.
        ("*a", "*b", true),
        ("room1-??", "*.lab.example", true), ("pc1", "pc1.lab.example", true), ("pc1", "pc2.lab.example", false),
        ("pc1.*", "pc1", true), ("pc1.lab.*", "*.example", true), ("pc1.lab.example", "*.lab.org", false),
    ])
    func `tells whether two patterns can match one host`(_ left: String, _ right: String, _ may: Bool) throws {
        let (one, two) = (try #require(HostPattern(left)), try #require(HostPattern(right)))
        #expect(one.mayShareHost(with: two) == may)
        #expect(two.mayShareHost(with: one) == may)
    }

    /// Whatever two patterns both match, by short or full names over a small alphabet, is found, and nothing else.
    @Test func `finds every host that two patterns share`() throws {
        let letters = ["a", "b", "[ab]", "?", "*", "."]
        var patterns: [String] = [""]
        for _ in 0..<3 { patterns += patterns.flatMap { pattern in letters.map { pattern + $0 } } }
        var names: [String] = [""]
        for _ in 0..<5 { names += names.flatMap { name in ["a", "b", "."].map { name + $0 } } }
        let hosts = Set(names).compactMap { HostName($0) }
        let all = Set(patterns).sorted().enumerated().filter { $0.offset % 3 == 0 }.compactMap {
            HostPattern($0.element)
        }
        let matched = all.map { pattern in
            Set(hosts.indices.filter { pattern.matches(hosts[$0].short) || pattern.matches(hosts[$0].full) })
        }
        for (first, one) in all.enumerated() {
            for (second, two) in all.enumerated() where !matched[first].isDisjoint(with: matched[second]) {
                #expect(one.mayShareHost(with: two), "\(one.text) \(two.text)")
            }
        }
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
