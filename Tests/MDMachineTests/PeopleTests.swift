import Foundation
import MDCare
import MDEngine
import MDPlatform
import MDReport
import MDTestSupport
import Testing

struct PeopleTests {
    /// A record of logins of 384 bytes, or of 400.
    private static func login(_ name: String, kind: UInt8 = 7, size: Int = 384) -> Data {
        var bytes = [UInt8](repeating: 0, count: size)
        bytes[0] = kind
        for (index, byte) in name.utf8.prefix(32).enumerated() { bytes[44 + index] = byte }
        return Data(bytes)
    }

    private func lab() throws -> TemporaryMachine {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", EvaluationTests.policy)
        return lab
    }

    private func write(_ data: Data, to path: String, of lab: TemporaryMachine) throws {
        try FileManager.default.createDirectory(
            atPath: lab.path + "/var/log", withIntermediateDirectories: true)
        try data.write(to: URL(fileURLWithPath: lab.path + path))
    }

    @Test(arguments: [384, 400])
    func `who logged in and has no account any more is named`(_ size: Int) throws {
        let lab = try lab()
        let records = [("alice", 7), ("carol", 7), ("LOGIN", 6), ("", 2), ("carol", 7)].map {
            Self.login($0.0, kind: UInt8($0.1), size: size)
        }
        try write(records.reduce(Data(), +), to: "/var/log/wtmp", of: lab)
        let report = try lab.report()
        #expect(report.people.gone == ["carol, of a login"] && report.limits == [])
        #expect(report.findings.map(\.code).contains("unknown-user"))
        #expect(report.users.count == 2 && TextReport.render(report).contains("Users     2: 2 of the account files\n"))
    }

    /// What is no file of login records: torn, of another kind, with a name that no account can have.
    static let damaged: [Data] = [
        login("alice").dropLast(), login("alice", kind: 77), login("a:b"), login("a\u{1b}[2J"), login(""),
        Data([0x7f, 0x45]), login("alice") + Data(repeating: 0xff, count: 384),
    ]

    @Test(arguments: damaged.indices)
    func `a damaged file of login records is named, and says nothing`(_ index: Int) throws {
        let lab = try lab()
        try write(Self.damaged[index], to: "/var/log/wtmp", of: lab)
        let report = try lab.report()
        #expect(report.limits.count == 1 && report.limits[0].contains("it is no file of login records"))
        #expect(report.people.gone == [] && report.users.count == 2)
    }

    @Test func `ids of last logins, homes and records are looked for`() throws {
        let lab = try lab()
        var last = Data(repeating: 0, count: 292 * 2_001)
        for uid in [0, 1001, 2000] { last[292 * uid] = 1 }
        try write(last, to: "/var/log/lastlog", of: lab)
        // What alice hands out in namespaces is hers.
        try lab.write("/etc/subuid", "alice:200000:65536\n")
        try lab.opened(["org.example.Browser"], by: [1001, 1002, 3000, 200_007])
        #expect(
            try lab.report().people.gone == ["uid 2000, of a login", "uid 3000, of a record"])
        try write(last.dropLast(), to: "/var/log/lastlog", of: lab)
        #expect(try lab.report().limits.contains { $0.contains("it is no file of last logins") })
    }

    @Test func `a list names users, and who is none is said`() throws {
        let lab = try lab()
        let request = ReportRequest(time: TemporaryMachine.time, users: ["alice", "zoe"], version: "0.1.0")
        let report = ComplianceReport(of: try lab.machine(), request)
        #expect(report.limits == ["zoe, of the list of --users, is no user of this machine."])
    }

    @Test func `random bytes are no login records`() throws {
        let lab = try lab()
        for count in [0, 1, 383, 384, 768, 1_200] {
            let bytes = Data((0..<count).map { _ in UInt8.random(in: 0...255) })
            try write(bytes, to: "/var/log/wtmp", of: lab)
            #expect(try lab.report().users.count == 2)
        }
    }

    @Test func `keys by user, room, key and control`() throws {
        let lab = try TemporaryMachine()
        try lab.write("/etc/managed-defaults/tags", "lab room1\n")
        try lab.policy("10-a.json", MergeTests.policy)
        try lab.opened(["org.example.Browser"], by: [1001])
        let report = try lab.report()
        let groups = ReportGrouping.allCases.map { String(decoding: CSVDocument.render(report, by: $0), as: UTF8.self) }
        #expect(groups[0].contains("alice,,2,2,2,0,0,0,0,0,met\r\nbob,,2,2,0,2,0,0,0,0,not met\r\n"))
        #expect(groups[1].contains("room1,,2,4,2,2,0,0,0,0,not met\r\n"))
        #expect(groups[2].contains("org.example.Browser Zoom,Zoom,1,2,1,1,0,0,0,0,not met\r\n"))
        #expect(groups[3].contains("CIS 9.3,,1,2,1,1,0,0,0,0,not met\r\n"))
        let text = TextReport.render(report, by: .control)
        #expect(text.contains("  CIS 9.3: 1 of 2 (50.0 %) met, 1 not met"))
    }
}
