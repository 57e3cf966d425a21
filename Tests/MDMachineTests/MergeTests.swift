import Foundation
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDReport
import MDTestSupport
import Testing

struct MergeTests {
    /// The report of a machine in JSON, as the command writes it.
    private func report(
        _ host: String, room: String? = nil, day: Int = 20, covered: Bool = true, policy: String = MergeTests.policy
    ) throws -> [UInt8] {
        let lab = try TemporaryMachine()
        try lab.write("/etc/hostname", "\(host)\n")
        try lab.write("/etc/machine-id", String(SHA256.hash(Array(host.utf8)).hex.prefix(32)) + "\n")
        if let room { try lab.write("/etc/managed-defaults/tags", "lab \(room)\n") }
        try lab.policy("10-a.json", policy)
        try lab.opened(covered ? ["org.example.Browser"] : [], by: [1001, 1002])
        let time = try #require(Timestamp(rfc3339: "2026-11-\(day)T08:00:00Z"))
        return JSONReport.render(
            ComplianceReport(of: try lab.machine(), ReportRequest(time: time, version: "0.1.0"))) + [0x0a]
    }

    static let policy = """
        {"Identifier": "edu.example.a", "Forced": {"org.example.Browser": {"HomePage": "https://a.example", "Zoom": 2}},
         "Metadata": {"org.example.Browser": {"Zoom": {"Title": "Zoom", "Controls": ["CIS 9.3"]}}}}
        """

    /// Merges files; each is a report, or a fault of its name.
    private func merge(
        _ files: [(String, [UInt8])], since: String? = nil, expected: [MergedReport.ExpectedHost]? = nil
    ) -> MergedReport {
        var merged = MergedReport(
            MergedReport.Request(
                since: since.flatMap { Timestamp(rfc3339: $0) }, expected: expected,
                time: Timestamp(rfc3339: "2026-11-20T12:00:00Z"), version: "0.1.0"))
        for (name, bytes) in files {
            do throws(ReportFault) {
                merged.add(try MachineReport(reading: bytes), file: name)
            } catch {
                merged.add(error, file: name)
            }
        }
        merged.finish()
        return merged
    }

    /// Six machines in two rooms: one without programs, one with another policy, one that has not reported, one whose
    /// report is cut, and one for which no report exists.
    private func school() throws -> MergedReport {
        let other = Self.policy.replacingOccurrences(of: "a.example\"", with: "b.example\"")
        let cut = Array(try report("room2-pc03", room: "room2").prefix(2_000))
        return merge(
            [
                ("a/room1-pc01.json", try report("room1-pc01", room: "room1", day: 19, covered: false)),
                ("b/room1-pc01.json", try report("room1-pc01", room: "room1")),
                ("b/room1-pc02.json", try report("room1-pc02", room: "room1", covered: false)),
                ("b/room1-pc03.json", try report("room1-pc03", room: "room1")),
                ("b/room2-pc01.json", try report("room2-pc01", room: "room2", policy: other)),
                ("b/room2-pc02.json", try report("room2-pc02", room: "room2", day: 18)),
                ("b/room2-pc03.json", cut), ("b/room2-pc04.json", try report("room2-pc04", room: "room2")),
                ("b/room2-pc05.json", try report("room2-pc05", room: "room2")),
            ], since: "2026-11-19T00:00:00Z",
            expected: ["room1-pc01", "room1-pc02", "room1-pc03", "room2-pc01", "room2-pc02", "room2-pc09"].map {
                MergedReport.ExpectedHost(host: Key($0), room: String($0.prefix(5)))
            })
    }

    @Test func `rooms, rules and controls come with the worst first`() throws {
        let merged = try school()
        #expect(merged.files == 9 && merged.refusedCount == 1)
        #expect(merged.rooms.map(\.name) == ["room2", "room1"])
        #expect(merged.rooms.map(\.machines) == [5, 3] && merged.rooms.map(\.silent) == [2, 0])
        #expect(merged.rooms.map(\.compliant) == [3, 2])
        #expect(merged.controlMeasures.map(\.words) == ["CIS 9.3"])
        #expect(merged.controlMeasures.map(\.holdsOn) == [5] && merged.controlMeasures.map(\.machines) == [6])
        #expect(merged.ruleMeasures.map(\.words) == ["org.example.Browser HomePage", "org.example.Browser Zoom"])
        #expect(merged.worst.map(\.report.host) == ["room1-pc02"])
        #expect(merged.count(.compliant) == 5 && merged.count == 8 && !merged.isCompliant)
    }

    @Test func `what is missing or odd is a finding, and the rest is reported`() throws {
        let merged = try school()
        #expect(
            merged.findings.map { "\($0.severity) \($0.code)" } == [
                "error report-not-used", "error no-report", "error old-report", "warning other-policy",
                "note not-expected", "note not-expected", "note clock-given",
            ])
        #expect(merged.findings[0].message.contains("the report ends too early (line"))
        #expect(merged.otherPolicy.map(\.report.host) == ["room2-pc01"])
        #expect(merged.trend.map(\.day) == ["2026-11-18", "2026-11-19", "2026-11-20"])
        #expect(merged.trend.map(\.compliant) == [1, 0, 5] && merged.trend.map(\.machines) == [1, 1, 6])
    }

    @Test func `a merged report in every format`() throws {
        let merged = try school()
        let text = MergedText.render(merged)
        try Golden.expect(Golden.withoutDigests(text), equals: "merged.txt")
        for line in text.split(separator: "\n") where line.count > 80 { Issue.record("too wide: \(line)") }
        let table = ResultTable(merged)
        let formats: [(String, [UInt8])] = [
            ("merged.json", MergedJSON.render(merged)), ("merged.csv", CSVDocument.pieces(table).bytes),
            ("merged.html", MergedHTML.render(merged)), ("merged.junit.xml", JUnitDocument.pieces(table).bytes),
            ("merged.prom", PrometheusDocument.render(table)), ("merged.xccdf.xml", XCCDFDocument.pieces(table).bytes),
            ("merged.oscal.json", OSCALDocument.render(table)), ("merged.ocsf.jsonl", OCSFDocument.pieces(table).bytes),
        ]
        for (name, bytes) in formats {
            try Golden.expect(Golden.withoutDigests(String(decoding: bytes, as: UTF8.self)), equals: name)
        }
        for (name, bytes) in formats where name == "merged.json" || name == "merged.html" {
            guard case .fits = ReportSeal.check(bytes) else {
                Issue.record("the digest of \(name) does not fit")
                continue
            }
        }
    }

    @Test func `what only senders say is said to be so`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", Self.policy)
        let records = [(RecordKind.override, RecordSource.spool, 3), (.override, .client, 2), (.drop, .client, 4)].map {
            kind, source, count in
            var record = AuditRecord(kind: kind, src: source)
            record.count = count
            return record
        }
        try AuditLog(root: lab.root).append(records)
        var merged = MergedReport(MergedReport.Request(version: "0.1.0"))
        merged.add(try MachineReport(reading: JSONReport.render(try lab.report())), file: "a.json")
        merged.finish()
        #expect(merged.attempts == 1 && merged.claimed == 4 && merged.dropped == 0 && merged.claimedDropped == 4)
        let text = MergedText.render(merged)
        #expect(text.contains("\n  4 more only by the word of senders: by the counts"), "\(text)")
        #expect(text.contains("\n  4 more were not stored, only by the word of senders\n"), "\(text)")
    }

    @Test func `events and lines are made machine by machine`() throws {
        let merged = try school()
        let events = Array(OCSFDocument.pieces(ResultTable(merged)))
        #expect(events.count == 1 + merged.machines.count + merged.missing.count && events.count > 3)
        #expect(events.allSatisfy { $0.first == UInt8(ascii: "{") && $0.last == 0x0a })
        #expect(Array(CSVDocument.pieces(ResultTable(merged))).count == events.count + 1)
    }

    @Test func `copies of a disk and machines of one name are said`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", Self.policy)
        var files: [(String, [UInt8])] = []
        for (host, id) in [("pc1", "a"), ("pc2", "a"), ("pc1", "b")] {
            try lab.write("/etc/hostname", host + "\n")
            try lab.write("/etc/machine-id", String(repeating: id, count: 32) + "\n")
            files.append(("\(host)\(id)", JSONReport.render(try lab.report())))
        }
        let merged = merge(files)
        #expect(merged.machines.count == 3)
        #expect(merged.findings.map(\.code) == ["same-name", "same-id", "clock-given"])
    }

    /// A change of a report, and what is said of it.
    static let damages: [(String, String, String)] = [
        ("\"schema\": 1", "\"schema\": 2", "it is a report of version 2"),
        ("\"kind\": \"machine\"", "\"kind\": \"merged\"", "it is no report of one machine"),
        ("\"hosts\": 1", "\"hosts\": 5", "changed after it was made"),
        ("\"notMet\": 0", "\"notMet\": 1", "what is met, not met, unknown and waived is not what is required"),
        ("\"result\": \"met\"", "\"result\": \"not met\"", "what it says of its rules is not"),
        ("\"rule\": \"clock\"", "\"rule\": \"weather\"", "no rule about a machine"),
        ("\"machineRules\": [", "\"rulesOfMachines\": [", "its member machineRules is missing"),
        ("\"result\": \"compliant\"", "\"result\": \"fine\"", "no result of a report"),
        ("\"users\": 2", "\"users\": -2", "a whole number from 0"),
        ("\"met\": 4", "\"met\": 9", "what is met, not met, unknown and waived is not what is required"),
        ("\"host\": \"pc7\"", "\"host\": \"pc7\",\n  \"host\": \"pc8\"", "stands twice"),
        ("\"rules\": [", "\"rules\": [[", "an object is missing here"),
        ("\"host\": \"pc7\"", "\"host\": \"\\ud800\"", "not valid UTF-8"),
        ("\"log\": {", "\"blog\": {", "its member log is missing"),
    ]

    @Test(arguments: damages)
    func `a damaged report says what is wrong with it`(_ from: String, _ to: String, _ words: String) throws {
        let text = String(decoding: try report("pc7"), as: UTF8.self)
        let range = try #require(text.range(of: from), "\(from) is in a report")
        let changed = text.replacingCharacters(in: range, with: to)
        let error = #expect(throws: ReportFault.self) { try MachineReport(reading: Array(changed.utf8)) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test func `a report that is cut or changed at any byte is refused`() throws {
        let whole = try report("pc7")
        #expect(try MachineReport(reading: whole).host == "pc7")
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let place = Int.random(in: 0..<whole.count - 2, using: &random)
            #expect(throws: ReportFault.self, "cut at \(place)") {
                try MachineReport(reading: Array(whole.prefix(place)))
            }
            var changed = whole
            changed[place] ^= UInt8.random(in: 1...255, using: &random)
            #expect(throws: ReportFault.self, "changed at \(place)") { try MachineReport(reading: changed) }
        }
        // Each byte of the digest and behind it, in the other case of letters too.
        for place in whole.count - 70..<whole.count - 1 {
            var changed = whole
            changed[place] ^= 0x20
            #expect(throws: ReportFault.self, "changed at \(place)") { try MachineReport(reading: changed) }
        }
        let deep = Array("{\"schema\": 1, \"kind\": \"machine\", \"x\": \(String(repeating: "[", count: 100_000))".utf8)
        #expect(throws: ReportFault.self) { try MachineReport(reading: deep) }
    }

    @Test func `the order of the files changes nothing but the digest of the inputs`() throws {
        let files = [
            ("1", try report("pc1", room: "room1")), ("2", try report("pc2", room: "room1", covered: false)),
            ("3", try report("pc1", room: "room1", day: 19)),
        ]
        let (one, other) = (merge(files), merge(files.reversed()))
        #expect(one.machines.map(\.file) == other.machines.map(\.file))
        #expect(one.rooms.map(\.requirements) == other.rooms.map(\.requirements))
        #expect(one.machines.map(\.report.generated.rfc3339.count) == [27, 27])
        #expect(one.machines[0].report.generated == Timestamp(rfc3339: "2026-11-20T08:00:00Z"))
    }
}
