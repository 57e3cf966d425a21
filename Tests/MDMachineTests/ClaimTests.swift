import MDAuditLog
import MDAuditRecord
import MDCare
import MDPlatform
import MDReport
import MDTestSupport
import Testing

/// Records that have only the word of a user are listed apart from what is known to have changed.
struct ClaimTests {
    private static func record(_ kind: RecordKind, _ source: RecordSource?, _ uid: UInt32?, _ note: String)
        -> AuditRecord
    {
        var record = AuditRecord(kind: kind, src: source, note: note)
        record.uid = uid
        record.time = TemporaryMachine.time
        record.policy = PolicyReference(
            id: "edu.example.a", file: "/etc/managed-defaults/policies.d/10-a.json", line: 1)
        return record
    }

    @Test func `what only a user says of policy is a claim, and root's own record is a change`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", EvaluationTests.policy)
        let owner = lab.root.owner
        let lie = "policy was not in force from 08:00 to 11:00"
        var beginning = ClaimTests.record(.policy, .spool, 1002, "added")
        beginning.policy?.sha256 = SHA256.hash(Array(EvaluationTests.policy.utf8))
        _ = try AuditLog(root: lab.root).append([
            ClaimTests.record(.damaged, .client, 1002, lie), ClaimTests.record(.damaged, .claim, 1002, lie),
            ClaimTests.record(.damaged, .spool, 1002, lie), ClaimTests.record(.grant, .spool, 1002, "exam ended"),
            ClaimTests.record(.damaged, .client, owner, "root saw it"),
            ClaimTests.record(.damaged, nil, nil, "a line could not be read"),
            ClaimTests.record(.grant, .client, 1002, "granted by root"), beginning,
        ])
        let report = try lab.report()
        #expect(
            report.history.changes.map { "\($0.kind.rawValue) \($0.record.seq)" } == [
                "suspicious 5", "suspicious 6", "granted 7",
            ])
        #expect(report.history.claims.map(\.seq) == [1, 2, 3, 4, 8])
        #expect(report.users.flatMap(\.keys).allSatisfy { $0.since == nil })
        let text = TextReport.render(report)
        let parts = text.split(separator: "Claims: 5 that only users' own programs make")
        #expect(parts.count == 2 && !parts[0].contains("not in force from") && parts[1].contains("record 3: \(lie)"))
        let json = String(decoding: JSONReport.render(report), as: UTF8.self)
        let halves = json.split(separator: "\"claims\": [")
        #expect(halves.count == 2 && !halves[0].contains(lie) && halves[1].contains(lie))
        (beginning.src, beginning.uid) = (.client, owner)
        _ = try AuditLog(root: lab.root).append([beginning])
        #expect(try lab.report().users.flatMap(\.keys).allSatisfy { $0.since != nil })
    }
}
