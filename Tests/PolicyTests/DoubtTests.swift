import Platform
import PropertyList
import Testing

@testable import Policy

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
        let subject = try machine.subject("alice", host: "pc").identified(isKnown)
        let set = machine.load()
        #expect(set.files.count == files.count && set.files.allSatisfy { $0.policy != nil }, "\(set.diagnostics)")
        return set.resolve(for: subject).forcedEntry(domain: DoubtTests.domain, key: key)
    }

    /// A grant to a user, with a value.
    private func grant(to user: String) -> (path: String, text: String) {
        (
            "/run/managed-defaults/policies.d/00-grant-1.json",
            #""Enforced": true, "Temporary": { "Kind": "grant" }, "Target": { "Users": ["\#(user)"] }, "#
                + #""Forced": { "org.x": { "K": "granted" } }"#
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
        // One that is no more certain, and is not given to whoever hides either.
        let doubtful = (
            "/etc/managed-defaults/policies.d/00-a.json",
            #""Target": { "Users": ["carol"] }, "Forced": { "org.x": { "K": "carol's" } }"#
        )
        let either = try entry("K", [doubtful, grant(to: user)])
        #expect(either?.origin.file == doubtful.0 && either?.value == nil && either?.shortfall == .doubt)
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

    /// A file of the folder.
    private func file(_ name: String, _ text: String) -> (path: String, text: String) {
        ("/etc/managed-defaults/policies.d/\(name).json", text)
    }

    /// What a user could gain by hiding: each file alone decides about somebody.
    @Test(arguments: ["Users", "Groups"], [true, false])
    func `where files differ and one may be meant, nothing is given`(_ clause: String, _ isEnforced: Bool) throws {
        let all = file("10", #""Forced": { "org.x": { "K": "all", "Same": 1, "Only": 1 } }"#)
        let some = file(
            "20",
            """
            "Enforced": \(isEnforced), "Target": { "\(clause)": ["nobody-else"] },
            "Forced": { "org.x": { "K": "some", "Same": 1, "Mine": 2 } }
            """)
        let entry = try entry("K", [all, some])
        #expect(entry?.level == .absent && entry?.value == nil && entry?.shortfall == .doubt)
        #expect(entry?.origin.file == some.path && entry?.losers.map(\.origin.file) == [all.path])
        // What both say makes no difference; what may be meant for others alone is not given to whoever hides.
        #expect(try self.entry("Same", [all, some])?.value == .integer(1))
        #expect(try self.entry("Only", [all, some])?.value == .integer(1))
        let mine = try self.entry("Mine", [all, some])
        #expect(mine != nil && mine?.value == nil && mine?.shortfall == .doubt)
        #expect(try self.entry("K", [all, some], isKnown: true)?.value == .string("all"))
    }

    @Test func `what comes later for everybody leaves nothing open`() throws {
        let some = file("10", #""Target": { "Users": ["bob"] }, "Forced": { "org.x": { "K": "some" } }"#)
        let all = file("20", #""Forced": { "org.x": { "K": "all" } }"#)
        #expect(try entry("K", [some, all])?.value == .string("all"))
        let enforced = file("10", #""Enforced": true, "Forced": { "org.x": { "K": "all" } }"#)
        let other = file("20", #""Target": { "Users": ["bob"] }, "Forced": { "org.x": { "K": "some" } }"#)
        #expect(try entry("K", [enforced, other])?.value == .string("all"))
    }

    @Test func `constraints and seals that may be meant leave no choice that another would not have`() throws {
        let wide = file("10", #""Constraints": { "org.x": { "K": { "Maximum": 9 } } }"#)
        let narrow = file(
            "20", #""Target": { "Users": ["bob"] }, "Constraints": { "org.x": { "K": { "Maximum": 5 } } }"#)
        let entry = try entry("K", [wide, narrow])
        #expect(entry?.value == nil && entry?.shortfall == .doubt && entry?.origin.file == narrow.path)
        let alone = try self.entry("K", [narrow])
        #expect(alone != nil && alone?.value == nil && alone?.shortfall == .doubt)
        let seal = file("10", #""Sealed": ["org.x"]"#)
        let value = file("20", #""Target": { "Users": ["bob"] }, "Forced": { "org.x": { "K": "some" } }"#)
        let sealed = try self.entry("K", [seal, value])
        #expect(sealed != nil && sealed?.value == nil)
        // Of two that may be meant, one alone seals, and the other alone gives a value.
        let other = file("30", #""Target": { "Users": ["carol"] }, "Sealed": ["org.x"]"#)
        let either = try self.entry("K", [value, other])
        #expect(either?.value == nil && either?.shortfall == .doubt)
        let certain = file("40", #""Forced": { "org.x": { "K": "some" } }"#)
        #expect(try self.entry("K", [value, other, certain])?.value == .string("some"))
    }

    @Test func `what is only offered is not, where files differ`() throws {
        let machine = try TestMachine()
        for (name, target, value) in [("10", "{}", "all"), ("20", #"{ "Users": ["bob"] }"#, "some")] {
            try machine.write(
                "/etc/managed-defaults/policies.d/\(name).json",
                """
                { "Identifier": "a.b\(name)", "Target": \(target),
                  "Recommended": { "org.x": { "K": "\(value)" } }, "SetOnce": { "org.x": { "L": "\(value)" } } }
                """)
        }
        let subject = try machine.subject("alice", host: "pc")
        let set = machine.load()
        for (isKnown, value) in [(true, Value.string("all")), (false, nil)] {
            let resultant = set.resolve(for: subject.identified(isKnown))
            #expect(resultant.recommended["org.x"]?["K"]?.value == value)
            #expect(resultant.setOnce["org.x"]?["L"]?.value == value)
        }
    }

    /// Somebody in a user namespace, whom another can tell of.
    @Test func `who is asked about decides, and is asked only where files name people`() throws {
        let machine = try TestMachine()
        try machine.write(
            "/etc/managed-defaults/policies.d/10.json",
            #"{ "Identifier": "a.all", "Forced": { "org.x": { "K": "all" } } }"#)
        let plain = try machine.subject("alice", host: "pc")
        let asked = Guarded(0)
        /// The caller, who is bob if anybody can tell.
        func subject(isTold: Bool, groups: [UInt32] = [], isComplete: Bool = true) -> Subject {
            Subject(
                userName: "root", uid: 0, gid: 0, groups: [65_534],
                identity: IdentityQuestion {
                    asked.withLock { $0 += 1 }
                    let bob = Account(name: "bob", uid: 1002, gid: 1002, fullName: "", home: "/home/bob")
                    return isTold
                        ? IdentityQuestion.Answer(
                            uid: 1002, gid: 1002, groups: GroupQuestion.Answer(ids: groups, isComplete: isComplete),
                            account: bob) : nil
                }, home: "/root", host: plain.host, moment: plain.moment)
        }
        /// What a key comes to.
        func value(_ key: Key, _ subject: Subject) throws -> Value? {
            let set = machine.load()
            let bytes = CompiledTable.compile(set, host: "pc", tags: [], surroundings: [], sources: [])
            let pages = try TablePages(#require(bytes))
            let table = try #require(try CompiledTable(checking: pages, root: nil))
            let entry = try table.forcedEntry(domain: DoubtTests.domain, key: key, for: subject)
            let same = set.resolve(for: subject).forcedEntry(domain: DoubtTests.domain, key: key)
            #expect(same?.value == entry?.value)
            return entry?.value
        }
        #expect(try value("K", subject(isTold: true)) == .string("all"))
        #expect(asked.withLock { $0 } == 0)
        try machine.write(
            "/etc/managed-defaults/policies.d/15.json",
            #"{ "Identifier": "a.me", "Forced": { "org.x": { "Me": "${user} ${uid} ${home}" } } }"#)
        #expect(try value("Me", subject(isTold: true)) == .string("bob 1002 /home/bob"))
        #expect(try value("Me", subject(isTold: false)) == nil)
        try machine.write(
            "/etc/managed-defaults/policies.d/20.json",
            #"""
            { "Identifier": "a.bob", "Target": { "Users": ["bob"], "Except": { "Groups": ["chess"] } },
              "Forced": { "org.x": { "K": "bob's" } } }
            """#)
        #expect(try value("K", subject(isTold: true)) == .string("bob's"))
        #expect(try value("K", subject(isTold: false)) == nil)
        let chess = try #require(AccountDatabase(root: machine.root).groupID(named: "chess"))
        #expect(try value("K", subject(isTold: true, groups: [chess])) == .string("all"))
        // In groups that nobody tells of, the exception may count.
        #expect(try value("K", subject(isTold: true, isComplete: false)) == nil)
    }

    /// What counts beyond doubt, beside what may be what somebody chose.
    @Test(arguments: [FileDoubt.unseen, .unrecorded])
    func `a file that only one source has counts where it makes no difference, and lifts nothing`(
        _ doubt: FileDoubt
    ) throws {
        let machine = try TestMachine()
        try machine.write(
            "/etc/managed-defaults/policies.d/10.json",
            #"""
            { "Identifier": "a.sure", "Forced": { "org.x": { "K": "sure", "Same": 1, "Lifted": true } } }
            """#)
        try machine.write(
            "/etc/managed-defaults/policies.d/20.json",
            #"""
            { "Identifier": "a.doubt", "Enforced": true, "Target": { "Users": ["bob"] },
              "Forced": { "org.x": { "K": "other", "Same": 1, "Own": 2 } },
              "Waivers": [ { "Domain": "org.x", "Key": "Lifted", "Reason": "r", "Users": ["bob"] } ],
              "Calendars": { "c": [ { "Days": ["Mon"], "From": "00:00", "To": "24:00" } ] } }
            """#)
        let set = machine.load()
        #expect(set.files.count == 2 && set.files.allSatisfy { $0.policy != nil }, "\(set.diagnostics)")
        let files = set.files.enumerated().map { index, file in
            LoadedFile(
                path: file.path, source: file.source, policy: file.policy, trusted: true, valid: true,
                isRecorded: true, doubt: index == 1 ? doubt : nil, diagnostics: [])
        }
        let doubted = PolicySet(files: files, names: set.names)
        /// What is left of a key for somebody.
        func entry(_ key: Key, _ user: String) throws -> ResolvedEntry? {
            doubted.resolve(for: try machine.subject(user, host: "pc")).forcedEntry(domain: "org.x", key: key)
        }
        let own = try entry("K", "bob")
        #expect(own != nil && own?.value == nil && own?.shortfall == .doubt)
        #expect(try entry("Same", "bob")?.value == .integer(1))
        #expect(try entry("Own", "bob")?.value == .integer(2))
        #expect(try entry("Lifted", "bob")?.value == .boolean(true))
        // It is for whom it says.
        #expect(try entry("K", "alice")?.value == .string("sure"))
    }
}
