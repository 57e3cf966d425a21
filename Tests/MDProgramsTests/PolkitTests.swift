import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import MDTools
import Testing

@testable import MDPrograms

/// What policy becomes for polkit: one file of rules for all users.
struct PolkitTests {
    let machine: TemporaryMachine
    private let path = "/etc/polkit-1/rules.d/00-managed-defaults.rules"

    init() throws {
        machine = try TemporaryMachine(.classroom)
        try machine.write("usr/lib/polkit-1/polkitd", "")
        try machine.makeDirectory("etc/polkit-1/rules.d")
        try machine.write(
            "usr/share/polkit-1/actions/org.example.lab.policy",
            """
            <policyconfig>
              <action id="org.example.lab.off"><defaults><allow_active>yes</allow_active></defaults></action>
              <action id="org.example.lab.off-now">
                <defaults><allow_any>auth_admin</allow_any><allow_active>yes</allow_active></defaults>
                <annotate key="org.freedesktop.policykit.imply">org.example.lab.other org.example.lab.off</annotate>
              </action>
              <action id="org.example.lab.clock"><defaults><allow_any>auth_admin</allow_any></defaults></action>
            </policyconfig>
            """)
    }

    private var programs: MachinePrograms { MachinePrograms(machine: PolicyMachine(root: machine.root).policy()) }

    private func entry(_ key: Key, _ level: ProgramEntry.Level) -> ProgramEntry {
        ProgramEntry(
            domain: Polkit.domain, key: key, level: level,
            origin: Origin(policy: "p", file: "/p.json", position: .start), digest: SHA256.hash([]))
    }

    private func findings(_ entries: [ProgramEntry]) -> [String] {
        let rendering = Polkit().render(ProgramPolicy(entries), for: .everybody, in: machine.root)
        return rendering.findings.map { "\($0.kind.rawValue): \($0.message)" }
    }

    private func policy(_ name: String, target: String = "", _ keys: String) throws {
        let target = target.isEmpty ? "" : "\"Target\": \(target), "
        try machine.policy(
            "\(name).json",
            "{ \"Identifier\": \"p.\(name)\", \(target)\"Forced\": { \"org.freedesktop.policykit\": { \(keys) } } }")
    }

    /// The lines of the file that differ between machines.
    private func lines() throws -> [String] {
        try machine.text(path).split(separator: "\n").map(String.init).filter { line in
            ["answers[", "users[", "var groups", "var members", "var unnamed"].contains { line.hasPrefix($0) }
        }
    }

    @Test func `the rules have a row for each user and a table for each choice of groups`() throws {
        var rules = PolkitRules()
        rules.groups = [["pupils", "2001"], ["SCHOOL\\teachers", "2002"]]
        rules.members = [[:], ["a.b": "no"], ["a.b": "yes"], ["a.b": "auth_admin"]]
        rules.users = [1001: PolkitRules.Row(name: PolkitRules.text("zoë\n\"'"), answers: ["a.b": "no"])]
        let text = String(decoding: rules.bytes, as: UTF8.self)
        let golden = """
            // Written from policy by ManagedDefaults; what is changed here is undone.
            (function () {
            "use strict";
            var answers = Object.create(null), users = Object.create(null);
            answers["314d62a8cc0baab7"] = {"a.b": "no"};
            answers["44136fa355b3678a"] = {};
            answers["4ea59780d48df93e"] = {"a.b": "auth_admin"};
            answers["8716649f4df17e1f"] = {"a.b": "yes"};
            var groups = [["pupils", "2001"], ["SCHOOL\\u005cteachers", "2002"]];
            var members = ["44136fa355b3678a", "314d62a8cc0baab7", "8716649f4df17e1f", "4ea59780d48df93e"];
            var unnamed = "314d62a8cc0baab7";
            users["1001"] = users["zo\\u00eb\\u000a\\u0022\\u0027"] = "314d62a8cc0baab7";
            var seal =
            """
        #expect(text.hasPrefix(golden))
        #expect(PolkitRules.users(in: rules.bytes) == rules.users)
        #expect(PolkitRules.seal(of: rules.bytes)?.utf8.count == 64)
    }

    @Test func `users whom nobody asked about keep their rows`() {
        var (last, rules) = (PolkitRules(), PolkitRules())
        let row = { PolkitRules.Row(name: PolkitRules.text($0), answers: ["a.b": $1, "c.d": "auth_admin"]) }
        last.users = [1: row("one", "no"), 2: row("two", "yes"), 3: row("three", "no")]
        rules.users = [1: row("one", "yes")]
        let kept = rules.keeping({ $0 == 2 }, of: last.bytes, addingUsers: true)
        #expect(kept.users == [1: row("one", "yes"), 2: row("two", "yes")])
        #expect(rules.keeping({ _ in true }, of: nil, addingUsers: false) == rules)
        rules.users[4] = row("four", "no")
        #expect(rules.keeping({ $0 == 2 }, of: last.bytes, addingUsers: false) == kept)
    }

    @Test(arguments: [
        (Key("org.example.lab.clock"), ProgramEntry.Level.forced(.string("no")), String?.none),
        ("org.example.lab.clock", .absent, nil),
        ("org.example.lab.clock", .forced(.boolean(false)), "not supported: the value is none of no, auth_admin"),
        ("org.example.lab.clock", .forced(.string("NO")), "not supported: the value is none of no, auth_admin"),
        ("org.example.lab.clock", .recommended(.string("no")), "not supported: polkit has no defaults"),
        ("org.example.lab.clock", .setOnce(.string("no")), "not supported: polkit has no values that are set once"),
        ("", .sealed, "not supported: polkit has no way"),
        ("org.example\"; x", .forced(.string("no")), "not supported: a key is an action's id"),
        ("org.example.ö", .forced(.string("no")), "not supported: a key is an action's id"),
        ("constructor", .forced(.string("no")), "not supported: a key is an action's id"),
        (
            "org.example.lab.clok", .forced(.string("no")),
            "not supported: no package here has this action, org.example.lab.clock"
        ),
        ("com.acme.thing", .forced(.string("no")), "unknown: no package here has this action"),
        ("org.example.lab.off", .forced(.string("no")), "not supported: who may org.example.lab.off-now may this too"),
        ("org.example.lab.off", .forced(.string("yes")), nil),
    ])
    func `what polkit cannot carry out is a finding`(
        _ key: Key, _ level: ProgramEntry.Level, _ beginning: String?
    ) {
        let found = findings([entry(key, level)])
        #expect(found.count == (beginning == nil ? 0 : 1), "\(found)")
        #expect(beginning.map { found.first?.hasPrefix($0) == true } ?? true, "\(found)")
    }

    @Test func `an action is refused if those that imply it are`() {
        let both = [
            entry("org.example.lab.off", .forced(.string("no"))),
            entry("org.example.lab.off-now", .forced(.string("no"))),
        ]
        #expect(findings(both) == [])
        let free = [
            entry("org.example.lab.off", .forced(.string("no"))),
            entry("org.example.lab.off-now", .forced(.string("yes"))),
        ]
        #expect(findings(free).count == 1)
    }

    @Test func `users and groups share one file`() throws {
        try policy("10", target: "{ \"Except\": { \"Groups\": [\"teachers\"] } }", "\"org.example.lab.clock\": \"no\"")
        try policy("20", target: "{ \"Users\": [\"bob\"] }", "\"org.example.lab.clock\": \"yes\"")
        _ = try programs.write()
        let no = "cd22217ab179ab72", none = "44136fa355b3678a", yes = "bcc6f9b14f4aca40"
        #expect(
            try lines() == [
                "answers[\"\(none)\"] = {};",
                "answers[\"\(yes)\"] = {\"org.example.lab.clock\": \"yes\"};",
                "answers[\"\(no)\"] = {\"org.example.lab.clock\": \"no\"};",
                "var groups = [[\"teachers\", \"2002\"]];", "var members = [\"\(no)\", \"\(none)\"];",
                "var unnamed = \"\(no)\";",
                "users[\"1001\"] = users[\"alice\"] = \"\(no)\";", "users[\"1002\"] = users[\"bob\"] = \"\(yes)\";",
            ])
        #expect(try programs.preview(for: [try #require(programs.people.first)]).changes.isEmpty)
        let enforced = try programs.enforcements()
        #expect(
            enforced.enforcements(domain: Polkit.domain, key: "org.example.lab.clock", of: "bob").map(\.state.rawValue)
                == ["written"])
        try machine.write(path, "this is no JavaScript (")
        #expect(try programs.preview().changes.map(\.path) == [path])
        #expect(try programs.write().findings.contains { $0.kind == .drift })
        #expect(try lines().count == 8)
        for name in ["10.json", "20.json"] { try machine.remove("\(TemporaryMachine.policyDirectory)/\(name)") }
        _ = try programs.write()
        #expect(machine.names("etc/polkit-1/rules.d") == [])
    }

    @Test func `users that no file lists are told apart by some groups only`() throws {
        try machine.write("etc/group", (1...9).map { "g\($0):x:\(3_000 + $0):\n" }.joined())
        for group in 1...8 {
            try policy("1\(group)", target: "{ \"Groups\": [\"g\(group)\"] }", "\"org.example.lab.clock\": \"no\"")
        }
        #expect(try programs.write().findings.isEmpty)
        #expect(try lines().contains { $0.hasPrefix("var groups = [[\"g1\", \"3001\"], [\"g2\"") })
        #expect(try machine.text(path).split(separator: "\"").count(where: { $0 == "cd22217ab179ab72" }) == 257)
        try policy("19", target: "{ \"Groups\": [\"g9\"] }", "\"org.example.lab.clock\": \"no\"")
        #expect(try programs.write().findings.map(\.kind) == [.notEnforced])
        #expect(try lines().contains("var members = [];"))
        #expect(try lines().contains("var unnamed = \"cd22217ab179ab72\";"))
    }

    @Test func `nothing is written without polkit, and rules before policy's are said`() throws {
        try policy("10", "\"org.example.lab.clock\": \"no\"")
        for name in ["00-a.rules", "10-b.rules", "00-a.rules~"] {
            try machine.write("etc/polkit-1/rules.d/\(name)", "")
        }
        let rivals = try programs.preview().findings.filter { $0.kind == .rival }.map(\.path)
        #expect(rivals == ["/etc/polkit-1/rules.d/00-a.rules"])
        try machine.root.remove("/usr/lib/polkit-1/polkitd")
        #expect(try programs.preview().changes.isEmpty)
    }

    @Test(arguments: [
        ("no", PolkitCheck.Reply.no, false, "enforced"), ("no", .password, false, "differs"),
        ("no", .yes, false, "differs"),
        ("yes", .yes, false, "enforced"), ("yes", .no, false, "differs"), ("yes", .password, true, "differs"),
        ("auth_admin", .password, true, "enforced"), ("auth_admin", .password, false, "unknown"),
        ("auth_admin", .yes, false, "differs"), ("auth_self_keep", .no, false, "differs"),
    ])
    func `polkit's word is compared`(_ wanted: String, _ reply: PolkitCheck.Reply, _ isOurs: Bool, _ result: String) {
        let asked = entry("a.b", .forced(.string(wanted)))
        #expect(PolkitWitness.answer(asked, wanted: wanted, reply, isOurs: isOurs).result.rawValue == result)
    }

    @Test func `a common setting refuses, and otherwise takes the refusal back`() throws {
        let repository = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        let bytes = try Root.system.read("\(repository)/Policies/programs/services.json", limit: 1 << 20).bytes
        try machine.write("usr/share/managed-defaults/programs/services.json", String(decoding: bytes, as: UTF8.self))
        try machine.policy(
            "10.json",
            "{ \"Identifier\": \"a\", \"Forced\": { \"org.manageddefaults.common\": { \"ClockChanges\": false } } }")
        try machine.policy(
            "20.json",
            "{ \"Identifier\": \"b\", \"Target\": { \"Groups\": [\"teachers\"] }, \"Forced\": { \"org.manageddefaults.common\": { \"ClockChanges\": true } } }"
        )
        let opened = PolicyMachine(root: machine.root, expanding: .commonSettings(of: machine.root)).policy()
        let key: Key = "org.freedesktop.timedate1.set-time"
        func levels(_ user: String) throws -> [String] {
            opened.resultant(for: try opened.account(named: user)).entries.filter { $0.key == key }.map(
                \.level.rawValue)
        }
        #expect(try levels("alice") == ["forced"] && levels("bob") == ["absent"])
        let plan = MachinePrograms(machine: opened).plan(for: MachinePrograms(machine: opened).people)
        #expect(plan.findings.isEmpty)
        guard case .rules(let rules) = plan.files.first(where: { $0.file.path == path })?.file.content else {
            Issue.record("there are no rules")
            return
        }
        #expect(rules.users[1001]?.answers[key] == "no" && rules.users[1002]?.answers == [:])
        #expect(ProgramCatalog.programs(taking: Polkit.domain).map(\.name) == ["polkit"])
    }
}
