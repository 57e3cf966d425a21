import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// The field `Temporary` of a policy file.
struct TemporaryFieldTests {
    /// Reads a policy file with some fields.
    private func parse(
        _ fields: String, path: String = "/run/managed-defaults/policies.d/x.json"
    ) -> (file: PolicyFile?, diagnostics: [Diagnostic]) {
        PolicyFile.parse(bytes: Array("{ \"Identifier\": \"a.b\", \(fields) }".utf8), path: path)
    }

    @Test func `says what made the file, and ends it`() throws {
        let digest = SHA256.hash([1])
        let exam = """
            "Target": { "Users": ["bob"], "NotAfter": "2030-01-01T00:00:00Z" }, "Temporary": { "Kind": "exam",
              "Set": "math", "Until": "2029-12-31T00:00:00.5Z", "By": "root", "Reason": "why", "Digest": "\(digest.hex)" }
            """
        let file = try #require(parse(exam).file)
        let temporary = try #require(file.temporary)
        let end = Timestamp(rfc3339: "2029-12-31T00:00:00.5Z")
        #expect(temporary.kind == .exam && temporary.set == "math" && temporary.until == end)
        #expect(temporary.by == "root" && temporary.reason == "why" && temporary.digest == digest)
        #expect(temporary.position.description == "1:92")
        #expect(file.target?.notAfter == end && file.target?.include.users?.map(\.name) == ["bob"])
        #expect(!file.isGrant && file.examSet == "math")
        let earlier = try #require(parse(exam.replacingOccurrences(of: "2029-12", with: "2031-12")).file)
        #expect(earlier.target?.notAfter == Timestamp(rfc3339: "2030-01-01T00:00:00Z"))
        let plain = try #require(parse(#""Temporary": { "Kind": "grant", "Until": "2029-12-31T00:00:00Z" }"#).file)
        #expect(plain.isGrant && plain.examSet == nil)
        #expect(plain.target?.notAfter == Timestamp(rfc3339: "2029-12-31T00:00:00Z"))
    }

    @Test(arguments: [
        "00-grant-0123456789abcdef.json", "00-exam-math.a.until-20200101T000000Z.json", "00-exam-a-b.json",
    ])
    func `a name says nothing`(_ name: String) throws {
        let file = try #require(
            parse(#""Sealed": ["a.b"]"#, path: "/run/managed-defaults/policies.d/\(name)").file)
        #expect(file.temporary == nil && !file.isGrant && file.examSet == nil && !file.enforced && file.target == nil)
    }

    @Test(arguments: [
        (#""Temporary": []"#, "wrong-type", "1:37", "Temporary must be a dictionary"),
        (#""Temporary": {}"#, "missing-field", "1:24", "Temporary has no Kind"),
        (#""Temporary": {"Kind": "Exam"}"#, "invalid-value", "1:46", "must be \"exam\" or \"grant\", not \"Exam\""),
        (#""Temporary": {"Kind": 1}"#, "wrong-type", "1:46", "Temporary.Kind must be a string"),
        (#""Temporary": {"Kind": "exam"}"#, "missing-field", "1:24", "Temporary has no Set"),
        (#""Temporary": {"Kind": "exam", "Set": ""}"#, "invalid-value", "1:61", "Temporary.Set is empty"),
        (
            #""Temporary": {"Kind": "grant", "Until": "soon"}"#, "invalid-value", "1:64",
            "Temporary.Until must be a time"
        ),
        (#""Temporary": {"Kind": "grant", "Digest": "00"}"#, "invalid-value", "1:65", "must be a SHA-256"),
        (#""Temporary": {"Kind": "grant", "Untill": 1}"#, "unknown-field", "1:55", "Until is probably meant"),
    ]) func `a mistake is an error with its place`(
        _ fields: String, _ code: String, _ place: String, _ words: String
    ) throws {
        let read = parse(fields)
        #expect(read.file == nil)
        let finding = try #require(read.diagnostics.first)
        #expect(read.diagnostics.count == 1 && finding.severity == .error && finding.code == code)
        #expect(finding.position.description == place && finding.message.contains(words), "\(finding)")
    }

    @Test func `lint names a file that is out of place, not Enforced or without an end`() throws {
        let machine = try TemporaryMachine()
        /// Writes a file.
        func write(_ path: String, _ fields: String) throws {
            try machine.write(path, "{ \"Identifier\": \"a.b\", \(fields) \"Sealed\": [\"d.e\"] }")
        }
        let until = #""Until": "2099-01-01T00:00:00Z""#
        try write(
            "/run/managed-defaults/policies.d/1.json", #""Enforced": true, "Temporary": {"Kind": "grant", \#(until)},"#)
        try write("/run/managed-defaults/policies.d/2.json", "")
        #expect(!Lint.run(root: machine.root).contains { $0.code == LintCode.temporary.rawValue })
        try write("/run/managed-defaults/policies.d/3.json", #""Enforced": true, "Temporary": {"Kind": "grant"},"#)
        try write("/run/managed-defaults/policies.d/4.json", #""Temporary": {"Kind": "grant", \#(until)},"#)
        try write(
            "/etc/managed-defaults/policies.d/5.json", #""Enforced": true, "Temporary": {"Kind": "grant", \#(until)},"#)
        let places = ["/etc", "/run"].map { "\(machine.directory.path)\($0)/managed-defaults/policies.d" }
        for found in [Lint.run(root: machine.root), Lint.run(files: places)] {
            let named = found.filter { $0.code == LintCode.temporary.rawValue }
            #expect(named.allSatisfy { $0.severity == .warning && $0.position.line == 1 && $0.position.column > 20 })
            #expect(named.map { ($0.file as NSString).lastPathComponent } == ["5.json", "3.json", "4.json"])
            for (finding, words) in zip(named, ["belongs into /run/", "has no Until", "is Enforced, or other files"]) {
                #expect(finding.message.contains(words), "\(finding)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `a grant counts as ended while the clock is behind, from the compiled table too`(
        _ isBehind: Bool
    ) throws {
        let machine = try TemporaryMachine()
        for (kind, domain) in [(#""grant""#, "org.granted"), (#""exam", "Set": "math""#, "org.exam")] {
            try machine.write(
                "/run/managed-defaults/policies.d/\(domain).json",
                """
                { "Identifier": "\(domain)", "Enforced": true, "Forced": { "\(domain)": { "K": 1 } },
                  "Temporary": { "Kind": \(kind), "Until": "2099-01-01T00:00:00Z" } }
                """)
        }
        var subject = try machine.subject("alice", host: "pc")
        subject.moment = Moment(time: Clock.now(), isClockBehind: isBehind, zones: subject.moment.zones)
        let set = machine.load()
        let wanted: Set<Key> = isBehind ? ["org.exam"] : ["org.exam", "org.granted"]
        #expect(Set(set.resolve(for: subject).forced.keys) == wanted)
        let bytes = try #require(
            CompiledTable.compile(set, host: subject.host.full, tags: subject.tags, surroundings: [], sources: []))
        let table = try #require(try CompiledTable(checking: TablePages(bytes), root: nil))
        let resolved = try table.resolve(for: subject, in: ["org.exam", "org.granted"])
        #expect(Set(resolved.forced.filter { !$0.value.isEmpty }.keys) == wanted)
    }
}
