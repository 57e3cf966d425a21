import Platform
import Policy
import PropertyList
import Testing

/// What is forced where nobody can tell who asks, as in a user namespace.
struct DoubtTests {
    /// The domain of the files.
    private static let domain: Key = "org.x"

    /// What remains of one key for alice of a machine with files of policy, and nobody else in sight.
    private func entry(
        _ key: Key, _ files: [(path: String, text: String)], isKnown: Bool = false
    ) throws -> ResolvedEntry? {
        let machine = try TestMachine()
        for (number, file) in files.enumerated() {
            try machine.write(file.path, "{ \"Identifier\": \"a.b\(number)\", \(file.text) }")
        }
        var subject = try machine.subject("alice", host: "pc")
        subject.isIdentityKnown = isKnown
        let set = machine.load()
        #expect(set.files.count == files.count && set.files.allSatisfy { $0.policy != nil }, "\(set.diagnostics)")
        return set.resolve(for: subject).forcedEntry(domain: DoubtTests.domain, key: key)
    }

    /// A grant to a user, with a value.
    private func grant(to user: String) -> (path: String, text: String) {
        (
            "/run/managed-defaults/policies.d/00-grant-1.json",
            #""Enforced": true, "Target": { "Users": ["\#(user)"] }, "Forced": { "org.x": { "K": "granted" } }"#
        )
    }

    @Test(arguments: ["alice", "bob"])
    func `a grant that may be another's forces a key without its value, and gives way to everything`(
        _ user: String
    ) throws {
        let own = try entry("K", [grant(to: user)])
        #expect(own?.level == .absent && own?.value == nil && own?.shortfall == .grant)
        let plain = ("/etc/managed-defaults/policies.d/9.json", #""Forced": { "org.x": { "K": "all" } }"#)
        #expect(try entry("K", [grant(to: user), plain])?.value == .string("all"))
        // One that is no more certain, and comes first.
        let doubtful = (
            "/etc/managed-defaults/policies.d/00-a.json",
            #""Target": { "Users": ["carol"] }, "Forced": { "org.x": { "K": "carol's" } }"#
        )
        #expect(try entry("K", [doubtful, grant(to: user)])?.value == .string("carol's"))
        let joined = ("/etc/managed-defaults/policies.d/9.json", #""Combine": { "org.x": { "K": "union" } }"#)
        #expect(try entry("K", [grant(to: user), joined])?.value == nil)
        // Whoever is known gets what was granted to him, and nobody else does.
        let known = try entry("K", [grant(to: user), plain], isKnown: true)
        #expect(known?.value == .string(user == "alice" ? "granted" : "all"))
    }

    @Test func `what is joined lacks only what needs a variable that nobody can tell`() throws {
        let files = [
            (
                "/etc/managed-defaults/policies.d/1.json",
                #"""
                "Combine": { "org.x": { "L": "union", "D": "merge", "N": "union" } },
                "Forced": { "org.x": { "L": ["a"], "D": { "a": 1, "in": { "b": "${user}", "c": 2 } }, "N": ["${uid}"] } }
                """#
            ),
            (
                "/etc/managed-defaults/policies.d/20.json",
                #""Forced": { "org.x": { "L": ["x-${user}", ["${home}"], "b"], "D": { "d": ["${home}"], "in": { "e": 3 } } } }"#
            ),
        ]
        let list = try entry("L", files)
        #expect(list?.value == .array([.string("a"), .string("b")]))
        #expect(list?.level == .forced && list?.shortfall == .variable)
        #expect(list?.contributors.map(\.file) == files.map(\.0))
        let dictionary = try entry("D", files)
        #expect(
            dictionary?.value
                == .dictionary([
                    "a": .integer(1), "in": .dictionary(["c": .integer(2), "e": .integer(3)]),
                ]))
        #expect(try entry("N", files)?.value == .array([]))
        let known = try entry("L", files, isKnown: true)
        #expect(known?.shortfall == nil)
        #expect(
            known?.value
                == .array([.string("a"), .string("x-alice"), .array([.string("/home/alice")]), .string("b")]))
    }
}
