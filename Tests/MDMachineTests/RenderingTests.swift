import Foundation
import MDEngine
import MDPlatform
import MDPropertyList
import MDReport
import MDTestSupport
import Testing

struct RenderingTests {
    @Test func `the lab's report for people`() throws {
        let lab = try TemporaryMachine(copying: "Examples/lab")
        let text = TextReport.render(try lab.report(title: "Room 1, autumn term"))
        try Golden.expect(
            Golden.unsealed(text.replacingOccurrences(of: lab.path, with: TemporaryMachine.placeholder)),
            equals: "lab.txt")
        for line in text.split(separator: "\n") where line.count > 80 {
            #expect(line.contains("\"") || line.contains("/"), "only a value or a path is longer than 80 columns")
        }
    }

    @Test func `the lab's numbers for monitoring`() throws {
        let lab = try TemporaryMachine(copying: "Examples/lab")
        let text = String(decoding: PrometheusDocument.render(ResultTable(try lab.report())), as: UTF8.self)
        try Golden.expect(text, equals: "lab.prom")
        #expect(MetricsText.escape("a\\b\"c\nd") == "a\\\\b\\\"c\\nd")
    }

    @Test func `the lab's report for programs`() throws {
        let lab = try TemporaryMachine(copying: "Examples/lab")
        let bytes = JSONReport.render(try lab.report())
        let text = String(decoding: bytes, as: UTF8.self) + "\n"
        try Golden.expect(
            Golden.unsealed(text.replacingOccurrences(of: lab.path, with: TemporaryMachine.placeholder)),
            equals: "lab.json")
        let parsed = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        let counts = try #require(parsed["requirements"] as? [String: Int])
        #expect(counts["required"] == (parsed["keys"] as? [Any])?.count)
        #expect(counts["required"] == (counts["met"] ?? 0) + (counts["notMet"] ?? 0) + 1 && counts["waived"] == 1)
        let log = try #require(parsed["log"] as? [String: Any])
        #expect(log["verified"] is Bool && log["records"] is Int && log["dropped"] is Int)
        #expect((parsed["waivers"] as? [Any])?.count == 2)
        #expect(parsed["attempts"] is [Any] && parsed["findings"] is [Any])
    }

    /// A format and its golden file.
    static let formats: [(name: String, render: @Sendable (ComplianceReport) -> [UInt8])] = [
        ("lab.csv", { CSVDocument.pieces(ResultTable($0)).bytes }), ("lab.html", { HTMLReport.render($0) }),
        ("lab.junit.xml", { JUnitDocument.pieces(ResultTable($0)).bytes }),
        ("lab.xccdf.xml", { XCCDFDocument.pieces(ResultTable($0)).bytes }),
        ("lab.oscal.json", { OSCALDocument.render(ResultTable($0)) }),
        ("lab.ocsf.jsonl", { OCSFDocument.pieces(ResultTable($0)).bytes }),
    ]

    @Test(arguments: formats.map(\.name))
    func `the lab's report in the formats of others`(_ name: String) throws {
        let lab = try TemporaryMachine(copying: "Examples/lab")
        let format = try #require(Self.formats.first { $0.name == name })
        let text = String(decoding: format.render(try lab.report()), as: UTF8.self)
        try Golden.expect(
            Golden.unsealed(text.replacingOccurrences(of: lab.path, with: TemporaryMachine.placeholder)), equals: name)
    }

    @Test func `the same inputs and the same time make the same bytes, and others do not`() throws {
        let lab = try TemporaryMachine(copying: "Examples/lab")
        let (first, second) = (JSONReport.render(try lab.report()), JSONReport.render(try lab.report()))
        #expect(first == second)
        let before = try lab.report().evidence.id
        try lab.write("/home/alice/.config/org.example.Chat.plist", "{ Enabled = 1; }")
        let after = try lab.report()
        #expect(after.evidence.id != before)
        #expect(try lab.report(title: "x").evidence.id != after.evidence.id)
        #expect(JSONReport.render(after) != first)
    }

    @Test func `a report changes nothing`() throws {
        let lab = try TemporaryMachine(copying: "Examples/lab")
        let before = try lab.content()
        #expect(try lab.report().verdict == .notCovered)
        #expect(try lab.content() == before)
    }

    @Test func `the time of a report grows with the number of keys, not with its square`() throws {
        let (few, many) = (try Self.work(keys: 300), try Self.work(keys: 2_400))
        // Eight times as much in a straight line, 64 times in a square.
        #expect(many < few * 24)
    }

    /// The processor time of this thread for a report with a number of forced keys.
    private static func work(keys count: Int) throws -> Double {
        let lab = try TemporaryMachine(copying: "Examples/lab")
        let keys = (0..<count).map { "\"Key\($0)\": \($0)" }.joined(separator: ", ")
        try lab.policy(
            "90-big.json", "{\"Identifier\": \"edu.example.big\", \"Forced\": {\"org.example.Big\": {\(keys)}}}")
        let start = processorTime()
        let text = TextReport.render(try lab.report())
        #expect(text.contains("Everybody: \(count + 9) forced keys, the same for all 8 users"))
        #expect(text.contains("Key\(count - 1)"))
        return processorTime() - start
    }

    /// The processor time of this thread, in seconds.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test func `text from outside is escaped`() throws {
        let lab = try TemporaryMachine()
        try lab.write("/etc/passwd", "ali\u{202e}ce:x:1001:1001:A\u{202e}B:/home/alice:/bin/sh\n")
        try lab.policy(
            "10-a\u{202e}.json",
            #"{"Identifier": "edu.example.a", "Description": "x\u001b[31m", "Forced": {"org.\u202eexample": {"K\u200by": "\u001b]0;x\u0007\u009b"}}}"#
        )
        try lab.policy("20\u{1b}[31m.json", "{\"Ident\u{202e}\": 1")
        try lab.write("/home/alice/.config/org.\u{202e}example.plist", "{ \"K\u{200b}y\" = \"\\U001b[1m\u{2028}\"; }")
        try lab.write("/home/alice/.config/org.b\u{202e}.plist", "{ \"")
        let report = try lab.report(title: "T\u{1b}[5m\u{202e}")
        #expect(report.summary.hidden == 1, "\(report.findings)")
        let text = TextReport.render(report).unicodeScalars.filter { scalar in
            scalar != "\n" && [.control, .format, .lineSeparator].contains(scalar.properties.generalCategory)
        }
        #expect(text.isEmpty, "\(text.map { String($0.value, radix: 16) })")
        // JSON contains invisible characters, and escapes those that act on a terminal.
        let json = String(decoding: JSONReport.render(report), as: UTF8.self).unicodeScalars.filter { scalar in
            scalar != "\n" && (scalar.properties.generalCategory == .control || scalar == "\u{202e}")
        }
        #expect(json.isEmpty, "\(json.map { String($0.value, radix: 16) })")
    }

    @Test func `users with the same entries share a table`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", #"{"Identifier": "a.b", "Forced": {"org.example.A": {"K": "${user}", "L": true}}}"#)
        let text = TextReport.render(try lab.report())
        #expect(text.contains("alice, bob: 2 forced keys each\n"))
        #expect(text.contains("        alice  \"alice\"\n        bob    \"bob\"\n"))
        #expect(text.components(separatedBy: "    L  ").count == 2)
    }
}
