import MDCare
import MDEngine
import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPrograms

/// What policy becomes for everybody, for some users, and what is said of the rest.
struct ProgramsPlanTests {
    let machine: TemporaryMachine

    init() throws {
        machine = try TemporaryMachine(.classroom)
    }

    private var programs: MachinePrograms { MachinePrograms(machine: PolicyMachine(root: machine.root).policy()) }

    /// A policy file for Chromium.
    private func policy(_ name: String, target: String = "", _ fields: String) throws {
        let target = target.isEmpty ? "" : "\"Target\": \(target), "
        try machine.policy("\(name).json", "{ \"Identifier\": \"p.\(name)\", \(target)\(fields) }")
    }

    private func forced(_ keys: String) -> String { "\"Forced\": { \"org.chromium.Chromium\": { \(keys) } }" }

    /// The members of a file as everybody's program gets it.
    private func members(_ plan: ProgramsPlan, _ name: String = "managed") throws -> [Key: Value] {
        let path = "/etc/chromium/policies/\(name)/zz-managed-defaults.json"
        guard case .bytes(let bytes)? = plan.files.first(where: { $0.file.path == path })?.file.content else {
            return [:]
        }
        return try PlainJSON.object(bytes)
    }

    @Test func `everybody gets what holds for every user alike`() throws {
        try policy("10", forced("\"A\": 1, \"B\": 1, \"C\": 1"))
        try policy("20", target: "{ \"Users\": [\"alice\"] }", forced("\"A\": 2"))
        try policy("30", target: "{ \"Groups\": [\"teachers\"] }", forced("\"B\": 2"))
        try policy("40", target: "{ \"Except\": { \"Groups\": [\"teachers\"] } }", forced("\"C\": 2, \"D\": 2"))
        try policy("50", target: "{ \"Hosts\": [\"room1-*\"] }", forced("\"E\": 3"))
        try policy("60", target: "{ \"Hosts\": [\"room2-*\"] }", forced("\"F\": 3"))
        let plan = programs.plan(for: programs.people)
        let expected: [Key: Value] = ["A": .integer(1), "B": .integer(1), "C": .integer(1), "E": .integer(3)]
        #expect(try members(plan) == expected)
        let missing = plan.parts.flatMap(\.missing)
        #expect(
            Set(missing.map { "\($0.key.string) \($0.origin.policy)" }) == ["A p.20", "B p.30", "C p.40", "D p.40"])
        #expect(plan.findings.isEmpty)
    }

    @Test func `what programs lack for some users before sessions get it is one finding with its remedy`() throws {
        try policy("10", forced("\"A\": 1"))
        try policy("20", target: "{ \"Users\": [\"alice\"] }", forced("\"A\": 2, \"B\": 2"))
        try policy(
            "30", target: "{ \"Groups\": [\"teachers\"] }",
            "\"Forced\": { \"org.mozilla.firefox\": { \"DisableTelemetry\": true }, \"com.vivaldi.Vivaldi\": { \"A\": 1 } }"
        )
        try machine.write("usr/bin/chromium", "")
        try machine.write("usr/lib/firefox/firefox", "")
        let finding = try #require(try programs.preview().findings.first)
        #expect(try programs.preview().findings.count == 1)
        #expect(
            finding.message == "policy for groups or single users does not reach Chromium and Firefox before mdefaults"
                + " programs enable: 3 keys of 2 users")
        #expect(finding.kind == .notEnforced && finding.remedy == "mdefaults programs enable")
        #expect(finding.origin?.policy == "p.20" && finding.key == nil)
        try LoginInstances.setEnabled(true, in: machine.root)
        _ = try programs.write()
        #expect(try programs.preview().findings.isEmpty)
    }

    /// A browser ignores `true` where it expects 1: users who have one do not share a file with users who have the other.
    @Test func `a boolean and the number one are different entries`() throws {
        func policy(_ level: ProgramEntry.Level) -> ProgramPolicy {
            let origin = Origin(policy: "p", file: "/etc/p.json", position: Position(line: 1, column: 1, offset: 0))
            return ProgramPolicy([
                ProgramEntry(domain: "d", key: "k", level: level, origin: origin, digest: SHA256.hash([]))
            ])
        }
        let pairs: [(ProgramEntry.Level, ProgramEntry.Level)] = [
            (.forced(.boolean(true)), .forced(.integer(1))), (.forced(.integer(1)), .forced(.real(1))),
            (.recommended(.array([.boolean(false)])), .recommended(.array([.integer(0)]))),
            (.constraint(Constraint(minimum: .integer(1))), .constraint(Constraint(minimum: .real(1)))),
            (.constraint(Constraint(oneOf: [.integer(1)])), .constraint(Constraint(oneOf: [.boolean(true)]))),
            (.absent, .sealed), (.forced(.integer(1)), .recommended(.integer(1))),
        ]
        for (one, other) in pairs {
            #expect(policy(one).isSame(as: policy(one)))
            #expect(!policy(one).isSame(as: policy(other)))
        }
    }

    @Test func `a waiver for some users lifts nothing for everybody`() throws {
        let waiver =
            "\"Waivers\": [{ \"Users\": [\"bob\"], \"Domain\": \"org.chromium.Chromium\", \"Key\": \"A\","
            + " \"Reason\": \"r\", \"ApprovedBy\": \"a\" }]"
        try policy("10", forced("\"A\": 1") + ", " + waiver)
        let plan = programs.plan(for: programs.people)
        #expect(try members(plan) == ["A": .integer(1)])
        #expect(plan.parts.last?.missing.map(\.key) == ["A"])
        #expect(plan.parts.last?.audiences.map(\.user?.name) == ["bob"])
    }

    @Test func `a value with the user's name is for nobody together`() throws {
        try policy("10", forced("\"A\": \"${user}\", \"B\": \"${host}\""))
        let plan = programs.plan(for: [])
        #expect(try members(plan) == ["B": .string("room1-pc03")])
        #expect(plan.findings.map(\.key) == ["A"])
    }

    @Test func `what Chromium cannot say is a finding`() throws {
        try policy(
            "10",
            "\"Forced\": { \"org.chromium.Chromium\": { \"Data\": {\"$data\": \"AAAA\"} } },"
                + "\"Recommended\": { \"org.chromium.Chromium\": { \"Rec\": [1.5, {\"x\": true}] } },"
                + "\"Absent\": { \"org.chromium.Chromium\": [\"Gone\"] },"
                + "\"SetOnce\": { \"org.chromium.Chromium\": { \"Once\": 1 } },"
                + "\"Sealed\": [\"com.google.Chrome\"],"
                + "\"Constraints\": { \"org.chromium.Chromium\": { \"Limit\": { \"Maximum\": 5 } } }")
        let plan = programs.plan(for: [])
        #expect(
            Set(plan.findings.map { "\($0.program) \($0.key?.string ?? "")" }) == [
                "chromium Data", "chromium Gone", "chromium Once", "chrome ", "chromium Limit",
            ])
        #expect(plan.findings.allSatisfy { $0.kind == .unsupported && $0.origin?.file.hasSuffix("10.json") == true })
        let recommended: [Key: Value] = ["Rec": .array([.real(1.5), .dictionary(["x": .boolean(true)])])]
        #expect(try members(plan, "recommended") == recommended)
        #expect(try members(plan) == [:])
    }

    @Test func `extensions lie below their id`() throws {
        try policy("10", "\"Forced\": { \"com.google.Chrome.extensions.abcd\": { \"K\": \"v\" } }")
        let plan = programs.plan(for: [])
        let file = try #require(plan.files.first)
        #expect(file.file.path == "/etc/opt/chrome/policies/managed/zz-managed-defaults.json")
        let inner: Value = .dictionary(["extensions": .dictionary(["abcd": .dictionary(["K": .string("v")])])])
        #expect(file.file.content == .bytes(try #require(PlainJSON.encode(.dictionary(["3rdparty": inner])))))
    }

    @Test func `Firefox locks what is forced and not what is recommended`() throws {
        try policy(
            "10",
            "\"Forced\": { \"org.mozilla.firefox\": { \"EnterprisePoliciesEnabled\": true, \"Homepage__URL\": \"u\","
                + "\"Preferences\": { \"a.b\": 1, \"c.d\": { \"Value\": 2, \"Status\": \"default\" } },"
                + "\"DisablePrivateBrowsing\": true } },"
                + "\"Recommended\": { \"org.mozilla.firefox\": { \"Cookies\": { \"Behavior\": \"reject\" },"
                + "\"DisableTelemetry\": true } }")
        let plan = programs.plan(for: [])
        let file = try #require(plan.files.first { $0.program == "firefox" })
        let policies: [Key: Value] = [
            "Homepage": .dictionary(["URL": .string("u"), "Locked": .boolean(true)]),
            "Preferences": .dictionary([
                "a.b": .dictionary(["Value": .integer(1), "Status": .string("locked")]),
                "c.d": .dictionary(["Value": .integer(2), "Status": .string("default")]),
            ]),
            "DisablePrivateBrowsing": .boolean(true),
            "Cookies": .dictionary(["Behavior": .string("reject"), "Locked": .boolean(false)]),
        ]
        #expect(file.file.content == .members(path: ["policies"], policies))
        #expect(plan.findings.map(\.key) == ["Preferences", "DisableTelemetry"])
    }

    @Test func `foreign files that decide are named`() throws {
        try policy("10", forced("\"A\": 1"))
        let folder = "etc/chromium/policies/managed"
        try machine.write("\(folder)/10-school.json", "{\"A\": 2}")
        try machine.write("\(folder)/zzz.json", "{\"A\": 3, \"B\": 1}")
        try machine.write("\(folder)/broken.json", "{")
        try machine.write("\(folder)/open.json", "{}", mode: 0o666)
        try machine.setMode("\(folder)/open.json", 0o666)
        try machine.link("\(folder)/link.json", to: "10-school.json")
        let result = try programs.preview()
        let rivals = result.findings.filter { $0.kind == .rival }
        #expect(
            rivals.compactMap { $0.path?.split(separator: "/").last }.sorted() == [
                "broken.json", "link.json", "open.json", "zzz.json",
            ])
    }
}
