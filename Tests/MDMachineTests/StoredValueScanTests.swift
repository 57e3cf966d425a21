import Foundation
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDCare

/// Tests that values beneath forced ones are found and recorded once.
struct StoredValueScanTests {
    /// A machine with policy.
    private func lab(_ members: String = #""Forced":{"org.x":{"k":"all","n":1}}"#) throws -> TemporaryMachine {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", #"{"Identifier":"edu.example.a",\#(members)}"#)
        return lab
    }

    /// Stores values in a user's domain, as a program that does not ask the library.
    private func store(_ lab: TemporaryMachine, _ user: String, _ content: String, domain: String = "org.x") throws {
        let open = #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>"#
        try lab.write("/home/\(user)/.config/\(domain).plist", open + content + "</dict></plist>")
    }

    /// The records of the log.
    private func log(_ lab: TemporaryMachine) throws -> [AuditRecord] {
        try AuditLog(root: lab.root).records().records
    }

    @Test func `a hidden value is recorded once as long as it stays, and anew if it comes back`() throws {
        let lab = try lab()
        #expect(StoredValueScan.scan(homesOf: try lab.machine()).findings.isEmpty)
        #expect(try log(lab).isEmpty)
        try store(lab, "bob", "<key>k</key><string>own</string><key>n</key><integer>1</integer>")
        let first = StoredValueScan.scan(homesOf: try lab.machine())
        #expect(first.findings.map(\.isNew) == [true] && first.problems == [] && first.failure == nil)
        #expect(first.users == 2)
        let record = try #require(try log(lab).last)
        #expect(record.kind == .override && record.src == .scan && record.outcome == .hidden && record.via == .file)
        #expect(record.uid == 1002 && record.user == "bob" && record.domain == "org.x" && record.key == "k")
        #expect(record.tried == .full(.string("own")) && record.forced == .full(.string("all")))
        #expect(record.note?.hasPrefix("stored in /home/bob/.config/org.x.plist") == true)
        #expect(record.policy?.id == "edu.example.a" && record.pid == nil)
        for _ in 0..<2 {
            #expect(StoredValueScan.scan(homesOf: try lab.machine()).findings.map(\.isNew) == [false])
            #expect(try log(lab).count == 1)
        }
        try store(lab, "bob", "<key>k</key><string>other</string>")
        #expect(StoredValueScan.scan(homesOf: try lab.machine()).findings.map(\.isNew) == [true])
        try store(lab, "bob", "<key>k</key><string>own</string>")
        #expect(StoredValueScan.scan(homesOf: try lab.machine()).findings.map(\.isNew) == [true])
        #expect(try log(lab).map(\.tried) == ["own", "other", "own"].map { .full(.string($0)) })
        // A number is one value, however often it changes its type.
        try store(lab, "bob", "<key>n</key><real>1</real>")
        #expect(StoredValueScan.scan(homesOf: try lab.machine()).findings.isEmpty)
        #expect(AuditVerifier.verify(root: lab.root).status == .intact)
    }

    @Test func `a value that a constraint does not allow is recorded once, with what becomes of it`() throws {
        let lab = try lab(#""Constraints":{"org.x":{"n":{"Maximum":50},"k":{"OneOf":["a"]}}}"#)
        try store(lab, "bob", "<key>n</key><integer>80</integer><key>k</key><string>b</string>")
        #expect(StoredValueScan.scan(homesOf: try lab.machine()).findings.map(\.isNew) == [true, true])
        #expect(StoredValueScan.scan(homesOf: try lab.machine()).findings.map(\.isNew) == [false, false])
        let records = try log(lab)
        #expect(records.map(\.key) == ["k", "n"] && records.map(\.outcome) == [.hidden, .clamped])
        #expect(records.last?.tried == .full(.integer(80)) && records.last?.forced == .full(.integer(50)))
        try store(lab, "bob", "<key>n</key><integer>40</integer><key>k</key><string>a</string>")
        #expect(StoredValueScan.scan(homesOf: try lab.machine()).findings.isEmpty)
    }

    /// A way in which a program that does not ask the library gets a value into a preference file.
    enum FileWay: CaseIterable {
        case edited, binary, openStep, replaced, linked, hardLinked, restored, perHost, foundation
        /// GNUstep's `defaults`, whose folder is the one of this machine.
        case gnustep

        /// The ways that this machine has.
        static let here = allCases.filter { $0 != .gnustep || FileManager.default.fileExists(atPath: "/etc/GNUstep") }
        /// GNUstep's program.
        static let gnustepDefaults = "/usr/bin/defaults"
    }

    @Test(arguments: FileWay.here) func `every way past the library is found`(_ way: FileWay) throws {
        let lab = try lab()
        let file = "/home/bob/.config/org.x.plist"
        let values: [String: Any] = ["k": "own", "free": 1]
        let xml = try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
        switch way {
        case .edited:
            try store(lab, "bob", "<key>free</key><integer>1</integer>")
            #expect(StoredValueScan.scan(homesOf: try lab.machine()).findings.isEmpty)
            try store(lab, "bob", "<key>free</key><integer>1</integer><key>k</key><string>own</string>")
        case .binary:
            let data = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
            try lab.write(file, [UInt8](data))
        case .openStep: try lab.write(file, "{ k = own; free = 1; }\n")
        case .replaced:
            try store(lab, "bob", "<key>free</key><integer>1</integer>")
            try lab.write("/home/bob/.config/new", [UInt8](xml))
            #expect(rename(lab("home/bob/.config/new"), lab("home/bob/.config/org.x.plist")) == 0)
        case .linked:
            try lab.write("/home/bob/elsewhere.plist", [UInt8](xml))
            try lab.link("home/bob/.config/org.x.plist", to: "../elsewhere.plist")
        case .hardLinked:
            try lab.write("/home/bob/elsewhere.plist", [UInt8](xml))
            try lab.makeDirectory("home/bob/.config")
            #expect(link(lab("home/bob/elsewhere.plist"), lab("home/bob/.config/org.x.plist")) == 0)
        case .restored:
            try lab.write(file, [UInt8](xml))
            var times = [timeval(tv_sec: 1_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000, tv_usec: 0)]
            #expect(utimes(lab("home/bob/.config/org.x.plist"), &times) == 0)
        // Foundation's host identifier is empty.
        case .perHost: try lab.write("/home/bob/.config/ByHost/org.x..plist", [UInt8](xml))
        case .foundation:
            try lab.makeDirectory("home/bob/.config")
            let written = try SpawnedProgram.run(
                BuiltProgram.path("store-test-program"), ["foundation", lab("home/bob"), "k", "own"],
                environment: ["XDG_CONFIG_HOME": lab("home/bob/.config")])
            try #require(written.code == 0, "\(written)")
        case .gnustep:
            try lab.makeDirectory("home/bob/.config")
            // It asks the user database for the home, so the way from there to the folder is spelt out.
            let folder = String(repeating: "../", count: 12) + lab("home/bob/.config")
            try lab.write("settings", "GNUSTEP_USER_DEFAULTS_DIR=\(folder)\nGNUSTEP_USER_DIR=\(folder)\n")
            let written = try SpawnedProgram.run(
                FileWay.gnustepDefaults, ["write", "org.x", "k", "own"],
                environment: ["GNUSTEP_CONFIG_FILE": lab("settings"), "LC_ALL": "C.UTF-8"])
            try #require(written.code == 0, "\(written)")
        }
        let scan = StoredValueScan.scan(homesOf: try lab.machine())
        #expect(scan.findings.map(\.isNew) == [true] && scan.problems == [], "\(scan.findings) \(scan.problems)")
        #expect(try log(lab).last?.tried == .full(.string("own")))
    }

    @Test func `a file that cannot be read is said, and makes nothing new`() throws {
        let lab = try lab()
        try store(lab, "bob", "<key>k</key><string>own</string>")
        #expect(StoredValueScan.scan(homesOf: try lab.machine()).findings.count == 1)
        try lab.write("/home/bob/.config/org.x.plist", "broken")
        let scan = StoredValueScan.scan(homesOf: try lab.machine())
        #expect(scan.findings.isEmpty && scan.problems.count == 1)
        #expect(scan.problems.first?.hasPrefix("What bob has stored is not known: ") == true)
        try store(lab, "bob", "<key>k</key><string>own</string>")
        #expect(StoredValueScan.scan(homesOf: try lab.machine()).findings.map(\.isNew) == [false])
        #expect(try log(lab).count == 1)
    }

    @Test func `one user is looked at alone, and the others stay known`() throws {
        let lab = try lab()
        for user in ["alice", "bob"] { try store(lab, user, "<key>k</key><string>own</string>") }
        let alice = try #require(try lab.machine().people.first { $0.name == "alice" })
        #expect(StoredValueScan.scan(homesOf: try lab.machine(), only: alice).findings.map(\.account.name) == ["alice"])
        #expect(StoredValueScan.scan(homesOf: try lab.machine()).findings.map(\.isNew) == [false, true])
        try lab.write("/home/alice/.config/org.x.plist", "")
        _ = StoredValueScan.scan(homesOf: try lab.machine(), only: alice)
        #expect(try log(lab).count == 2)
    }

    @Test func `a sealed domain and values of NSGlobalDomain are looked at`() throws {
        let lab = try lab(#""Forced":{"NSGlobalDomain":{"g":1}},"Sealed":["org.sealed"]"#)
        try store(lab, "bob", "<key>g</key><integer>2</integer>", domain: "org.y")
        try store(lab, "bob", "<key>any</key><true/>", domain: "org.sealed")
        let scan = StoredValueScan.scan(homesOf: try lab.machine())
        #expect(scan.findings.map { "\($0.value.domain) \($0.key)" } == ["org.sealed any", "org.y g"])
        #expect(
            try log(lab).map { "\($0.domain?.string ?? "") \($0.key?.string ?? "")" } == ["org.sealed any", "org.y g"])
        #expect(try log(lab).first?.forced == nil)
    }

    @Test func `the value of a sensitive key is nowhere`() throws {
        let lab = try lab(#""Forced":{"org.x":{"k":"all"}},"Metadata":{"org.x":{"k":{"Sensitive":true}}}"#)
        try store(lab, "bob", "<key>k</key><string>hunter2</string>")
        _ = StoredValueScan.scan(homesOf: try lab.machine())
        for (name, data) in try lab.content() where !name.hasSuffix("org.x.plist") {
            #expect(data.range(of: Data("hunter2".utf8)) == nil, "\(name)")
        }
        guard case .sensitive(.some)? = try log(lab).last?.tried else {
            Issue.record("\(try log(lab))")
            return
        }
    }

    @Test func `what is too much is counted`() throws {
        let lab = try lab(#""Sealed":["org.x"]"#)
        let keys = (0..<(StoredValueScan.userLimit + 5)).map { "<key>k\($0)</key><integer>\($0)</integer>" }
        try store(lab, "bob", keys.joined())
        var limits = PersonalShares.Limits()
        limits.rate = TokenRate(perSecond: 0, burst: 2_000)
        for _ in 0..<2 {
            let scan = StoredValueScan.scan(homesOf: try lab.machine(), limits: limits)
            #expect(scan.findings.count == StoredValueScan.userLimit)
            #expect(scan.problems.contains { $0.hasPrefix("5 more values that bob has stored") })
            let drops = try log(lab).filter { $0.kind == .drop }
            #expect(drops.map(\.count) == [5] && drops.first?.user == "bob")
            #expect(try log(lab).count == StoredValueScan.userLimit + 1)
        }
        try store(lab, "bob", keys.dropLast().joined())
        _ = StoredValueScan.scan(homesOf: try lab.machine(), limits: limits)
        #expect(try log(lab).filter { $0.kind == .drop }.map(\.count) == [5, 4])
    }

    @Test
    func `beyond what is stored of a user at once, values are counted, the first on each key is stored, others later`()
        throws
    {
        let names = (0..<6).map { "\"k\($0)\":\"forced\"" }.joined(separator: ",")
        let lab = try lab("\"Forced\":{\"org.x\":{\(names)}}")
        var limits = PersonalShares.Limits()
        (limits.rate, limits.firsts) = (TokenRate(perSecond: 0, burst: 2), 1)
        let keys = (0..<6).map { "<key>k\($0)</key><string>own</string>" }
        try store(lab, "bob", keys.joined())
        try store(lab, "alice", keys[0])
        let scan = StoredValueScan.scan(homesOf: try lab.machine(), limits: limits)
        #expect(scan.problems.contains { $0.hasPrefix("3 values that bob has stored were only counted") })
        // Two by tokens, one as the first on its key; another user's own are stored.
        let records = try log(lab)
        #expect(records.count { $0.kind == .override && $0.user == "bob" } == 3)
        #expect(records.count { $0.kind == .override && $0.user == "alice" } == 1)
        #expect(records.filter { $0.kind == .drop }.map(\.count) == [3])
        #expect(records.last { $0.kind == .drop }?.note?.hasPrefix("rate: ") == true)
        limits.rate = TokenRate(perSecond: 1_000_000, burst: 100)
        #expect(StoredValueScan.scan(homesOf: try lab.machine(), limits: limits).problems.isEmpty)
        #expect(try log(lab).count { $0.kind == .override && $0.user == "bob" } == 6)
    }

    @Test func `of the values that are known the oldest of the user with most go first`() throws {
        var register = ScanRegister()
        register.keep((0..<10).map { "b\($0)" }, of: 2)
        let each = ScanRegister.userLimit
        for uid in 100..<UInt32(100 + ScanRegister.valueLimit / each) {
            register.keep((0..<(each + 5)).map { "\(uid) \($0)" }, of: uid)
        }
        #expect(register.of(2).count == 10 && register.count <= ScanRegister.valueLimit)
        #expect(register.of(100).last == "100 \(each + 4)" && !register.of(100).contains("100 4"))
    }

    @Test func `a damaged register is said, and begins anew`() throws {
        let lab = try lab()
        try store(lab, "bob", "<key>k</key><string>own</string>")
        _ = StoredValueScan.scan(homesOf: try lab.machine())
        let register = lab.path + ScanRegister.path
        let content = try String(contentsOfFile: register, encoding: .utf8)
        #expect(!content.contains("own"))
        try content.replacingOccurrences(of: "1002", with: "1003")
            .write(toFile: register, atomically: false, encoding: .utf8)
        let scan = StoredValueScan.scan(homesOf: try lab.machine())
        #expect(scan.findings.map(\.isNew) == [true] && scan.problems.count == 1)
        #expect(try log(lab).count == 2)
        #expect(StoredValueScan.scan(homesOf: try lab.machine()).problems == [])
    }

    @Test func `nothing is noted as recorded if the log cannot be written`() throws {
        let lab = try lab()
        try store(lab, "bob", "<key>k</key><string>own</string>")
        try lab.write("/var/log", "a file in the place of a folder")
        #expect(StoredValueScan.scan(homesOf: try lab.machine()).failure?.contains("could not be recorded") == true)
        try FileManager.default.removeItem(atPath: lab.path + "/var/log")
        #expect(StoredValueScan.scan(homesOf: try lab.machine()).findings.map(\.isNew) == [true])
        #expect(try log(lab).count == 1)
    }
}
