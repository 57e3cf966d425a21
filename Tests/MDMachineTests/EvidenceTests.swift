import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDCare
import MDPlatform
import MDPropertyList
import MDReport
import MDTestSupport
import Testing

struct EvidenceTests {
    private func lab() throws -> TemporaryMachine {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", EvaluationTests.policy)
        try lab.apply()
        return lab
    }

    @Test func `text, page and JSON end in a digest that any change breaks`() throws {
        let report = try lab().report()
        let forms = [
            Array(TextReport.render(report).utf8), Array(TextReport.render(report, isSummary: true).utf8),
            HTMLReport.render(report), JSONReport.render(report), JSONReport.render(report) + [0x0a],
        ]
        for bytes in forms {
            guard case .fits = ReportSeal.check(bytes) else {
                Issue.record("it does not fit")
                continue
            }
            var changed = bytes
            changed[40] ^= 1
            guard case .differs = ReportSeal.check(changed) else {
                Issue.record("a change is not seen")
                continue
            }
            #expect(ReportSeal.check(bytes.dropLast(70)) == .missing)
        }
        #expect(
            ReportSeal.check(CSVDocument.pieces(ResultTable(report)).bytes) == .missing
                && ReportSeal.check([]) == .missing)
    }

    /// A key of ssh-keygen's, and the list that names its owner.
    private func key(in folder: String, of name: String) throws -> (key: String, signers: [UInt8]) {
        let path = "\(folder)/\(name)"
        let run = try SpawnedProgram.run("/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path])
        #expect(run.code == 0)
        let publicKey = try String(contentsOfFile: path + ".pub", encoding: .utf8).split(separator: " ").prefix(2)
        return (path, Array("\(name) \(publicKey.joined(separator: " "))\n".utf8))
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/ssh-keygen"), "needs ssh-keygen"))
    func `a signature says who made a report, and that the log continues it`() throws {
        let lab = try lab()
        let bytes = JSONReport.render(try lab.report())
        let folder = Scratch.lockedFolder()
        let (ann, eve) = (try key(in: folder, of: "ann"), try key(in: folder, of: "eve"))
        let signature = try ReportSignature.sign(bytes, key: ann.key)
        func verify(_ bytes: [UInt8], _ signature: [UInt8]?, _ signers: [UInt8]?) -> ReportVerification {
            ReportVerification(bytes, signature: signature, signers: signers, root: lab.root)
        }
        let good = verify(bytes, signature, ann.signers)
        #expect(good.isGood && good.signature == .good(signer: "ann"))
        guard case .extends = good.log else {
            Issue.record("\(good.log)")
            return
        }
        #expect(!verify(bytes, signature, eve.signers).isGood)
        #expect(verify(bytes, nil, ann.signers).signature == .unsigned && !verify(bytes, nil, ann.signers).isGood)
        #expect(verify(bytes, signature, nil).signature == .noSigners)
        var changed = String(decoding: bytes, as: UTF8.self)
        changed = changed.replacingOccurrences(of: "\"attempts\": 0", with: "\"attempts\": 1")
        let refused = verify(Array(changed.utf8), signature, ann.signers)
        #expect(!refused.isGood && refused.sentences.contains { $0.hasPrefix("CHANGED") })
        #expect(throws: ReportFault.self) { try ReportSignature.sign(bytes, key: folder + "/nothing") }
    }

    @Test func `a log that was cut after the report contradicts it`() throws {
        let lab = try lab()
        let bytes = JSONReport.render(try lab.report())
        try FileManager.default.removeItem(atPath: lab.path + "/var/log/managed-defaults")
        #expect(ReportVerification(bytes, signature: nil, signers: nil, root: lab.root).log == .elsewhere)
        let other = try self.lab()
        #expect(ReportVerification(bytes, signature: nil, signers: nil, root: other.root).log == .elsewhere)
        let whole = JSONReport.render(try other.report())
        let file = other.path + "/var/log/managed-defaults/current.jsonl"
        let line = try String(contentsOfFile: file, encoding: .utf8)
        try line.replacingOccurrences(of: "\"new\"", with: "\"old\"").write(
            toFile: file, atomically: true, encoding: .utf8)
        guard case .differs = ReportVerification(whole, signature: nil, signers: nil, root: other.root).log else {
            Issue.record("the change is not seen")
            return
        }
    }

    @Test func `a baseline says what changed since`() throws {
        let lab = try lab()
        let before = JSONReport.render(try lab.report())
        var same = try lab.report()
        try same.compare(with: before, JSONReport.render(same), isOtherMachine: false)
        #expect(same.baseline?.differences.isEmpty == true)
        try lab.policy(
            "10-a.json",
            EvaluationTests.policy.replacingOccurrences(of: "\"Zoom\": 2", with: "\"Zoom\": 3, \"New\": true")
                .replacingOccurrences(of: "\"Language\": \"de\"", with: ""))
        try lab.opened(["org.example.Browser"], by: [1001])
        var report = try lab.report()
        try report.compare(with: before, JSONReport.render(report), isOtherMachine: false)
        let baseline = try #require(report.baseline)
        let counts = ReportBaseline.Difference.Kind.allCases.map { "\($0.rawValue): \(baseline.count($0))" }
        #expect(
            counts == [
                "not met any more: 2", "newly required: 2", "not required any more: 2", "another value: 2",
                "met now: 0",
            ])
        #expect(TextReport.render(report).contains("2 keys not met any more"))
        #expect(String(decoding: HTMLReport.render(report), as: UTF8.self).contains("Keys that are not as they were"))
        #expect(String(decoding: JSONReport.render(report), as: UTF8.self).contains("\"differences\""))
        #expect(throws: ReportFault.self) {
            try report.compare(with: Array(before.dropLast(9)), JSONReport.render(report), isOtherMachine: false)
        }
    }
}
