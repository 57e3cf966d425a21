import Foundation
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDTestSupport
import Testing

/// What lint says of the names of time zones that no zone has.
struct LintZoneTests {
    /// A zone of this machine, to be had under other names.
    private static let zone = FileManager.default.contents(atPath: "/usr/share/zoneinfo/Europe/Zurich")
    /// What a skipped test says.
    private static let missing: Comment = "this machine has no /usr/share/zoneinfo"

    /// A machine with two zones, a list of them and of one that is not installed, and a policy file.
    private func machine(_ policy: String) throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        let bytes = Array(try #require(LintZoneTests.zone))
        for name in ["Europe/Zurich", "Europe/Berlin", "CET", "GMT+0"] {
            try machine.write("/usr/share/zoneinfo/\(name)", bytes)
        }
        try machine.write(
            "/usr/share/zoneinfo/tzdata.zi",
            "Z Europe/Zurich 0 - X\nL Europe/Zurich Europe/Berlin\nZ Pacific/Auckland 0 - X\n"
                + "Z CET 1 - X\nZ GMT+0 0 - X\n")
        try machine.write("/etc/managed-defaults/policies.d/10-a.json", policy)
        return machine
    }

    /// The findings about zones: line, column and the words after the reason.
    private func words(_ findings: [Diagnostic]) -> [String] {
        findings.filter { $0.code == LintCode.unknownZone.rawValue }.map { finding in
            let parts = finding.message.components(separatedBy: "; its window counts as open")
            return "\(finding.position)\(parts.count == 2 ? parts[1] : " \(finding.message)")"
        }
    }

    /// A policy whose schedule has one window of a zone.
    private func policy(_ zone: String, _ fields: String = "") -> String {
        #"{ "Identifier": "a.b", "Target": { "Schedule": [ { "TimeZone": "\#(zone)"\#(fields) } ] }, "Sealed": ["d"] }"#
    }

    /// A name, and the zone that is suggested for it.
    static let names: [(String, String?)] = [
        ("Europe/Zurch", "Europe/Zurich"), ("europe/zurich", "Europe/Zurich"), ("Eruope/Berln", "Europe/Berlin"),
        ("Zurich", "Europe/Zurich"), ("BERLIN", "Europe/Berlin"), ("Mars/Olympus", nil),
        ("Pacific/Aukland", nil), ("Auckland", nil), ("Europe", nil),
        // An abbreviation, and a number, are near to others that mean something else.
        ("CEST", nil), ("Cet1", nil), ("CETT+0", nil), ("Europe/Zurich2", nil),
    ]

    @Test(.enabled(if: zone != nil, missing), arguments: names)
    func `a misspelt zone has the nearest one that is installed beside it`(_ name: String, _ zone: String?) throws {
        let machine = try machine(policy(name))
        let suggestion = zone.map { "; \($0) is probably meant" } ?? ""
        #expect(words(Lint.run(root: machine.root)) == ["1:50\(suggestion)"])
    }

    @Test(.enabled(if: zone != nil, missing), arguments: ["GMT+25", "gmt-0100", "Etc/GMT+13", "UTC+24"])
    func `of a distance from UTC that no zone has the range is said`(_ name: String) throws {
        let range = "; zones of this kind are Etc/GMT-14, which is ahead of UTC, to Etc/GMT+12"
        let machine = try machine(policy(name))
        #expect(words(Lint.run(root: machine.root)) == ["1:50\(range)"])
    }

    @Test(.enabled(if: zone != nil, missing)) func `without a list that can be trusted nothing is suggested`() throws {
        let machine = try machine(policy("Europe/Zurch"))
        try machine.setMode("/usr/share/zoneinfo/tzdata.zi", 0o666)
        #expect(words(Lint.run(root: machine.root)) == ["1:50"])
        try machine.remove("/usr/share/zoneinfo/tzdata.zi")
        #expect(words(Lint.run(root: machine.root)) == ["1:50"])
    }

    @Test(.enabled(if: zone != nil, missing)) func `a calendar of another file has its suggestion too`() throws {
        let machine = try machine(
            #"{ "Identifier": "a.b", "Target": { "Schedule": ["week"] }, "Sealed": ["d"] }"#)
        try machine.write(
            "/etc/managed-defaults/policies.d/20-b.json",
            #"{ "Identifier": "a.c", "Calendars": { "week": [ { "TimeZone": "Europe/Belrin" } ] } }"#)
        let words = words(Lint.run(root: machine.root))
        #expect(
            words == ["1:49; Europe/Berlin is probably meant", "1:49; Europe/Berlin is probably meant"])
    }

    @Test(.enabled(if: zone != nil, missing)) func `another mistake of the window does not hide its zone`() throws {
        let machine = try machine(policy("Europe/Zurch", #", "Days": ["Mo"]"#))
        let findings = Lint.run(root: machine.root)
        let zone = try #require(findings.first { $0.code == LintCode.unknownZone.rawValue })
        #expect(zone.message.hasSuffix("; Europe/Zurich is probably meant"))
        // Nothing of the file is in force, so that its window does not count.
        #expect(!zone.message.contains("counts as open"))
        #expect(findings.contains { $0.code == LintCode.invalidValue.rawValue })
        // For files without a machine, the zones are those of this one.
        let path = machine.directory.path + "/etc/managed-defaults/policies.d/10-a.json"
        #expect(words(Lint.run(files: [path])).count == 1)
        try machine.write("/etc/managed-defaults/policies.d/10-a.json", policy("Europe/Zurich", #", "Days": ["Mo"]"#))
        #expect(words(Lint.run(root: machine.root)) == [])
    }
}
