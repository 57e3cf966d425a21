import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// Zones answer as their files and rules say, and what is no zone is refused.
struct ZoneTests {
    /// Whether this machine has zones.
    static let hasZones = FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Zurich")
    /// What a skipped test says.
    static let missing: Comment = "this machine has no /usr/share/zoneinfo"

    /// A moment.
    private static func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    /// A rule, a moment, and the offset in minutes then; then the next change.
    static let rules: [(rule: String, time: String, minutes: Int, next: String?)] = [
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T00:59:59Z", 60, "2026-03-29T01:00:00Z"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T01:00:00Z", 120, "2026-10-25T01:00:00Z"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T01:00:00Z", 60, "2027-03-28T01:00:00Z"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-12-31T23:30:00Z", 60, "2027-03-28T01:00:00Z"),
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-01-01T00:00:00Z", 660, "2026-04-04T15:00:00Z"),
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-04-04T15:00:00Z", 630, "2026-10-03T15:30:00Z"),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-01T00:00:00Z", 0, "2026-03-29T01:00:00Z"),
        ("EET-2EEST,M3.4.4/50,M10.4.4/50", "2026-03-28T00:00:00Z", 180, "2026-10-23T23:00:00Z"),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z", -120, "2026-03-29T01:00:00Z"),
        ("XXX3EDT4,0/0,J365/23", "2026-06-01T00:00:00Z", -240, nil),
        ("XXX3EDT4,0/0,J365/23", "2026-01-01T03:00:00Z", -240, nil),
        ("EST5", "2026-06-01T00:00:00Z", -300, nil),
        ("AAA0BBB,J60/0,J61/0", "2028-03-01T00:30:00Z", 60, "2028-03-01T23:00:00Z"),
        ("AAA0BBB,59/0,60/0", "2028-02-29T00:30:00Z", 60, "2028-02-29T23:00:00Z"),
        ("<-03>3", "2026-06-01T00:00:00Z", -180, nil),
        ("UTC0", "9999-12-31T23:59:59Z", 0, nil),
    ]

    @Test(arguments: rules) func `a rule tells the offset and the next change`(
        _ row: (rule: String, time: String, minutes: Int, next: String?)
    ) throws {
        let rule = try #require(ZoneRule(row.rule.utf8))
        let zone = Zone(name: nil, transitions: [], following: [], types: [rule.standard], rule: rule)
        let time = try ZoneTests.time(row.time)
        #expect(zone.local(at: time).offset == row.minutes * 60)
        #expect(zone.nextTransition(after: time) == (try row.next.map(ZoneTests.time)))
    }

    @Test(arguments: [
        "", "C-1", "CET", "CET-", "CET-25", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.1.0,M10.5.0",
        "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1 ",
        "CET-1CEST,J0,J60", "CET-1CEST,366,60", "<CET-1", "<+1>-1", "CET-1CEST,M3.5.0,M10.5.0/3x", ":Europe/Zurich",
        "CET-1:60", "CET-1:", "C3T-1",
    ]) func `a mistake in a rule is refused`(_ text: String) {
        #expect(ZoneRule(text.utf8) == nil)
    }

    @Test(arguments: [
        "", "/", "/etc/localtime", "../Europe/Zurich", "Europe/../Zurich", "Europe//Zurich", "Europe/", "Europe/Zürich",
        "Europe/Zurich\0", ".", "zone.tab", String(repeating: "a", count: 256),
    ]) func `what is no name of a zone is refused`(_ name: String) throws {
        #expect(!ZoneDatabase.isName(name))
        let folder = try TemporaryFolder()
        let zones = ZoneDatabase(root: try folder.root())
        #expect(throws: ZoneError.invalidName(name)) { try zones.zone(named: name) }
    }

    @Test func `a folder has its own zones, and no link leads out of theirs`() throws {
        let folder = try TemporaryFolder()
        try folder.write("usr/share/zoneinfo/Test/Own", ZoneTests.file(rule: "OWN-5"))
        try folder.write("etc/elsewhere", ZoneTests.file(rule: "ELS-6"))
        try folder.link("usr/share/zoneinfo/Alias", to: "Test/Own")
        try folder.link("usr/share/zoneinfo/Out", to: "../../../etc/elsewhere")
        try folder.write("usr/share/zoneinfo/Damaged", Array("TZif".utf8))
        let zones = ZoneDatabase(root: try folder.root())
        #expect(try zones.zone(named: "Test/Own").local(at: Clock.now()).offset == 5 * 3_600)
        #expect(try zones.zone(named: "Alias").local(at: Clock.now()).offset == 5 * 3_600)
        #expect(throws: ZoneError.self) { try zones.zone(named: "Europe/Zurich") }
        #expect(throws: ZoneError.outside(path: folder("usr/share/zoneinfo/Out"))) { try zones.zone(named: "Out") }
        let problem = ZoneFileError(offset: 0, reason: "there is no TZif header")
        #expect(throws: ZoneError.damaged(path: folder("usr/share/zoneinfo/Damaged"), problem: problem)) {
            try zones.zone(named: "Damaged")
        }
    }

    @Test func `the names of zones are those of the first list that can be trusted`() throws {
        let folder = try TemporaryFolder()
        let zones = ZoneDatabase(root: try folder.root())
        try folder.write("usr/share/zoneinfo/Test/Own", ZoneTests.file(rule: "OWN-5"))
        #expect(zones.names == [], "files without a list")
        try folder.write("usr/share/zoneinfo/zone.tab", Array("AA\t+0000+00000\tOld/One\n".utf8))
        #expect(zones.names == ["Old/One"])
        let table = "# Z no\nAA,BB\t+4723+00832\tTest/Own\tnotes\nAA\t+4723\n\nAA\t+0000+00000\tOld/Two\r"
        try folder.write("usr/share/zoneinfo/zone1970.tab", Array(table.utf8))
        #expect(zones.names == ["Test/Own"])
        let source = """
            # version 2025b
            R d 1916 o - Jun 14 23s 1 S
            Z Test/Own 0:12 - LMT 1891 Mar 16
            0:9:21 - PMT 1911 Mar 11
            Z
            Z Alone
            Zone Test/Long 0 - X
            Z ../etc/passwd 0 - X
            L Test/Own Alias
            L Test/Own
            L Test/Own Two words
            Z Last 0 - X
            """
        try folder.write("usr/share/zoneinfo/tzdata.zi", Array(source.utf8) + [0x0a, 0xff, 0x5a])
        #expect(zones.names == ["Test/Own", "Alias", "Last"])
        try #require(chmod(folder("usr/share/zoneinfo/tzdata.zi"), 0o646) == 0)
        #expect(zones.names == ["Test/Own"], "what others can write is no list")
        try folder.write("usr/share/zoneinfo/zone1970.tab", [UInt8](repeating: 0x0a, count: 1 << 20 + 1))
        #expect(zones.names == ["Old/One"], "nor is what is too long")
        let many = (0...10_000).map { "L Test/Own N\($0)\n" }.joined()
        try folder.write("usr/share/zoneinfo/tzdata.zi", Array(many.utf8))
        try #require(chmod(folder("usr/share/zoneinfo/tzdata.zi"), 0o644) == 0)
        #expect(zones.names.count == 10_000 && zones.names.last == "N9999")
    }

    @Test func `what others can write is no zone`() throws {
        let folder = try TemporaryFolder()
        try folder.write("usr/share/zoneinfo/Own", ZoneTests.file(rule: "OWN-5"))
        try #require(chmod(folder("usr/share/zoneinfo/Own"), 0o666) == 0)
        try folder.write("etc/localtime", ZoneTests.file(rule: "OWN-5"))
        try #require(chmod(folder("etc/localtime"), 0o646) == 0)
        let zones = ZoneDatabase(root: try folder.root())
        for name in ["Own", nil] {
            #expect { try zones.zone(named: name) } throws: { error in
                if case .unreadable(.untrusted) = error as? ZoneError { true } else { false }
            }
        }
    }

    @Test func `the machine's own zone is where its link leads`() throws {
        let folder = try TemporaryFolder()
        #expect(try ZoneDatabase(root: try folder.root()).zone(named: nil).name == "UTC")
        try folder.write("usr/share/zoneinfo/Test/Own", ZoneTests.file(rule: "OWN-5"))
        try folder.link("etc/localtime", to: "/usr/share/zoneinfo/Test/Own")
        let zone = try ZoneDatabase(root: try folder.root()).zone(named: nil)
        #expect(zone.name == "Test/Own")
        #expect(zone.local(at: Clock.now()).abbreviation == "OWN")
        let told = try ZoneDatabase(root: try folder.root(), localZone: "Test/Own").zone(named: nil)
        #expect(told.name == "Test/Own")
        try FileManager.default.removeItem(atPath: folder("etc/localtime"))
        try folder.link("etc/localtime", to: "/usr/share/zoneinfo/Test/Gone")
        #expect(throws: ZoneError.self) { try ZoneDatabase(root: try folder.root()).zone(named: nil) }
    }

    @Test(.enabled(if: hasZones, missing)) func `a folder without zones has those of this machine`() throws {
        let folder = try TemporaryFolder()
        try folder.link("etc/localtime", to: "/usr/share/zoneinfo/Europe/Zurich")
        let zones = ZoneDatabase(root: try folder.root())
        let time = try ZoneTests.time("2026-07-01T12:00:00Z")
        for name in [nil, "Europe/Zurich"] {
            let local = try zones.zone(named: name).local(at: time)
            #expect(local.date == "2026-07-01" && local.timeOfDay == "14:00" && local.abbreviation == "CEST")
            #expect(local.weekday == 2)
        }
    }

    @Test(.enabled(if: hasZones, missing)) func `files that count leap seconds tell the same times`() throws {
        let zones = ZoneDatabase(root: .system)
        guard let right = try? zones.zone(named: "right/Europe/Zurich") else {
            print("skipped: this machine has no zone files that count leap seconds")
            return
        }
        let plain = try zones.zone(named: "Europe/Zurich")
        var time = try ZoneTests.time("1960-01-01T00:00:00Z")
        // Such files end without a rule.
        let end = try ZoneTests.time("2025-01-01T00:00:00Z")
        while time < end {
            #expect(right.local(at: time) == plain.local(at: time))
            let next = right.nextTransition(after: time)
            #expect(next == plain.nextTransition(after: time))
            guard let next else { break }
            time = next
        }
    }

    /// A file of version 2 without transitions.
    static func file(rule: String) -> [UInt8] {
        let header = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
        let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
        let block: [UInt8] = [0, 0, 0, 0, 0, 0] + Array("LMT".utf8) + [0]
        return header + counts + block + header + counts + block + Array("\n\(rule)\n".utf8)
    }
}

extension TemporaryFolder {
    /// Writes a file with mode 0644, with the directories above it.
    func write(_ name: String, _ bytes: [UInt8]) throws {
        let parent = (self(name) as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: self(name)))
        try #require(chmod(self(name), 0o644) == 0)
    }
}
