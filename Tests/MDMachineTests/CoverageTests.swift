import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDCare
import MDPlatform
import MDPrograms
import MDPropertyList
import MDReport
import MDTestSupport
import Testing

/// Tests what is said of programs that enforce a key, or of none.
struct CoverageTests {
    private static let path = "/run/mdefaultsd/opened"

    /// A machine on which one key is forced on alice and bob.
    private func lab(_ domain: String = "org.example.Browser") throws -> TemporaryMachine {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", #"{ "Identifier": "a.b", "Forced": { "\#(domain)": { "K": 1 } } }"#)
        return lab
    }

    @Test func `a key is observed for the users whose programs asked since the boot`() throws {
        let lab = try lab()
        try lab.opened(["org.example.Browser"], by: [1001])
        let report = try lab.report()
        #expect(report.users.map { $0.keys.first?.coverage } == [.asked(["/usr/bin/browser"]), KeyCoverage.none])
        #expect(report.verdict == .notCovered && !report.isCompliant && report.isInForceAsWritten)
        #expect(report.summary.reasons[.observed] == 1 && report.summary.reasons[.notCovered] == 1)
        #expect(report.uncoveredDomains.map(\.users) == [1])
        #expect(report.summary.requirements.words == "1 of 2 (50.0 %)")
        let text = TextReport.render(report, isSummary: true)
        #expect(text.contains("NOT ALL COVERED") && text.contains("org.example.Browser  1 key of 1 user"))
        #expect(!text.contains("Policy files, in the order"))
    }

    @Test func `every program has the global domain`() throws {
        let lab = try lab("NSGlobalDomain")
        try lab.opened(["org.example.Other"], by: [1001, 1002])
        #expect(try lab.report().verdict == .compliant)
    }

    @Test(arguments: [
        "", "boot folder", "boot other\n{\"uid\":1001,\"exe\":\"/a\",\"domain\":\"org.example.Browser\"}\n",
        "boot folder\n{\"uid\":1001,\"exe\":\"/a\",\"domain\":\"org.example.Browser\"}",
        "boot folder\n{\"uid\":-1,\"domain\":\"org.example.Browser\"}\n[]\n\n{\"uid\":99999999999,\"domain\":\"d\"}\n",
    ])
    func `another boot, a torn line and lines that are none cover nothing`(_ text: String) throws {
        let lab = try lab()
        try lab.write(Self.path, text)
        let report = try lab.report()
        #expect(report.summary.reasons[.observed] == 0 && report.summary.reasons[.notCovered] == 2)
    }

    @Test func `what cannot be read is unknown and said, and not compliant`() throws {
        let lab = try lab()
        try lab.remove(Self.path)
        try FileManager.default.createDirectory(atPath: lab.path + Self.path, withIntermediateDirectories: true)
        let report = try lab.report()
        #expect(report.summary.requirements.unknown == 2 && report.summary.requirements.notMet == 0)
        #expect(report.verdict == .notLookedAt)
        #expect(report.limits.contains { $0.contains("Which programs opened") })
    }

    @Test func `a first state is not met, whatever the program said`() throws {
        let lab = try TemporaryMachine()
        try lab.write("/usr/bin/firefox-esr", "")
        try lab.policy(
            "10-a.json", #"{ "Identifier": "a", "Forced": { "org.mozilla.firefox": { "SearchBar": "separate" } } }"#)
        try lab.apply()
        _ = try MachinePrograms(machine: try lab.machine()).write()
        let report = try lab.report()
        #expect(report.users.first?.keys.map(\.coverage) == [.firstState(["Firefox"])])
        #expect(report.summary.reasons[.firstState] == 2 && report.summary.requirements.notMet == 2)
        #expect(report.verdict == .notCompliant && report.findings.map(\.code).contains("program-first-state-only"))
    }

    @Test func `what another program has counts by its own word, and nowhere if the program is not there`() throws {
        let lab = try TemporaryMachine()
        try lab.policy(
            "10-a.json", #"{ "Identifier": "a", "Forced": { "org.chromium.Chromium": { "A": 1, "B": "yes" } } }"#)
        try lab.apply()
        let programs = MachinePrograms(machine: try lab.machine())
        _ = try programs.write()
        func coverage() throws -> [KeyCoverage] { try lab.report().users.first?.keys.map(\.coverage) ?? [] }
        #expect(try coverage() == [.notInstalled(["Chromium"]), .notInstalled(["Chromium"])])
        let without = try lab.report()
        #expect(without.summary.requirements.required == 0 && without.summary.requirements.notApplicable == 4)
        #expect(without.verdict == .nothing && !without.isCompliant)
        try lab.write("/usr/bin/chromium", "")
        let written = KeyCoverage.written(["Chromium (for everybody)"])
        #expect(try coverage() == [written, written] && lab.report().verdict == .notLookedAt)
        let part = try #require(try programs.preview().plan.parts.first)
        let version = try #require(part.program.version(in: lab.root))
        func say(_ words: [Key: TestimonyRecord.Word]) throws {
            var record = TestimonyRecord()
            let places = words.map { (TestimonyRecord.Place(domain: "org.chromium.Chromium", key: $0), $1) }
            record.set(
                TestimonyRecord.Answers(
                    version: version, time: TemporaryMachine.time, words: Dictionary(uniqueKeysWithValues: places)),
                for: TestimonyRecord.Question(part.program, part.policy))
            try record.save(root: lab.root)
        }
        try say(["A": .confirmed, "B": .denied("Expected boolean value")])
        #expect(try coverage() == [.confirmed(["Chromium"]), .denied(["Chromium: Expected boolean value"])])
        let denied = try lab.report()
        #expect(denied.verdict == .notCompliant && denied.summary.requirements.notMet == 2)
        #expect(denied.findings.contains { $0.message.hasSuffix("does not obey this: Expected boolean value") })
        try say(["A": .confirmed, "B": .confirmed])
        #expect(try lab.report().verdict == .compliant)
    }

    @Test func `where nothing enforces a key, the stored value decides`() throws {
        let lab = try lab()
        try lab.remove(Self.path)
        try lab.write("/home/alice/.config/org.example.Browser.plist", "{ K = 2; }")
        try lab.write("/home/bob/.config/org.example.Browser.plist", "{ K = 1; }")
        let sources = try lab.report().users.map { $0.keys.first?.source }
        #expect(sources == [.user, .match] || sources == [.user, .user], "an old-style text has strings only")
        try lab.opened(["org.example.Browser"], by: [1001, 1002])
        #expect(try lab.report().users.map { $0.keys.first?.source } == [.forced, .forced])
    }

    @Test func `a table has no formulas, and quotes what it must`() throws {
        let lab = try TemporaryMachine()
        try lab.policy(
            "10-a.json",
            #"{ "Identifier": "a.b", "Forced": { "org.example.A": { "=1+1": "say \"a,b\"", "@x": 1, "n": -3 } } }"#)
        let lines = String(decoding: CSVDocument.pieces(ResultTable(try lab.report())).bytes, as: UTF8.self)
            .components(separatedBy: "\r\n")
        #expect(lines.first == CSVDocument.columns.joined(separator: ","))
        #expect(lines.count == 14 && lines.last == "")
        #expect(lines[7].contains(#",org.example.A,'=1+1,,,"""say \""a,b\"""""#), "\(lines[7])")
        #expect(lines[8].contains(",'@x,,,1,"))
        #expect(lines[9].contains(",n,,,'-3,"))
    }

    @Test func `a page has what policy and users write as text only`() throws {
        let lab = try TemporaryMachine()
        try lab.policy(
            "10-a.json",
            #"{ "Identifier": "a.b", "Description": "<script>alert(1)</script>","#
                + #" "Forced": { "org.example.A": { "K\"><b>": "</td><img src=x onerror=y>&'" } } }"#)
        let page = String(decoding: HTMLReport.render(try lab.report(title: "<i>T</i>\u{1b}[1m")), as: UTF8.self)
        for text in ["<script>alert", "<b>", "<img", "<i>T", "\u{1b}"] { #expect(!page.contains(text)) }
        #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(page.contains("&lt;/td&gt;&lt;img src=x onerror=y&gt;&amp;&#39;"))
        for address in ["http://", "https://", "src=\"", "url("] { #expect(!page.contains(address)) }
        // Elements that are opened are closed.
        for tag in ["table", "tr", "details", "summary", "main", "div", "svg", "li", "td", "th"] {
            let opened = page.components(separatedBy: "<\(tag)>").count + page.components(separatedBy: "<\(tag) ").count
            #expect(opened - 1 == page.components(separatedBy: "</\(tag)>").count, "\(tag)")
        }
    }

    @Test func `a long table is in folded parts, which have every row once`() throws {
        let lab = try TemporaryMachine()
        let keys = (1...2_400).map { "\"Key\($0)\": \($0)" }.joined(separator: ", ")
        try lab.policy("10-a.json", "{\"Identifier\": \"a.b\", \"Forced\": {\"org.example.A\": {\(keys)}}}")
        let page = String(decoding: HTMLReport.render(try lab.report()), as: UTF8.self)
        let rows = page.components(separatedBy: "<td>Key").dropFirst().compactMap { Int($0.prefix { $0 != "<" }) }
        #expect(rows.sorted() == Array(1...2_400))
        #expect(page.components(separatedBy: "<div class=\"parts\" data-name=\"Forced keys").count == 2)
        let parts = ["1 to 1000", "1001 to 2000", "2001 to 2400"].map { "<details><summary>\($0) of 2400, from org." }
        for part in parts { #expect(page.components(separatedBy: part).count == 2, "\(part)") }
        let endings = page.components(separatedBy: "</tbody></table></div>\n</details>\n").count - 1
        #expect(endings == 3 && page.contains("</details>\n</div>\n</details>\n"))
    }
}
