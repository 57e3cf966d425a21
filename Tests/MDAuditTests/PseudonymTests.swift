import Foundation
import MDAuditReading
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDAuditLog
@testable import MDAuditRecord

/// Tests that records have no names where the administrator wants that.
struct PseudonymTests {
    /// A machine with some people.
    private func machine(_ file: String? = #"{ "Pseudonyms": true } // as the works council wants"#) throws
        -> TemporaryMachine
    {
        let machine = try TemporaryMachine()
        try machine.write(
            "etc/passwd",
            """
            root:x:0:0::/root:/bin/sh
            alice:x:1001:1001:Alice Keller:/home/alice:/bin/sh
            anna-lena:x:1002:1002::/srv/homes/al:/bin/sh
            backup:x:34:34::/var/backups:/bin/false

            """)
        if let file { try machine.write("etc/managed-defaults/audit.json", file) }
        return machine
    }

    /// Everything that a record can say of a person.
    private func record() -> AuditRecord {
        var record = TemporaryMachine.record()
        (record.uid, record.user, record.auid, record.session) = (1001, "alice", 1002, 7)
        record.unit = "user@1001.service"
        record.exe = "/home/alice/bin/game"
        record.note =
            "stored in /home/alice/.config/a.plist; also /srv/homes/al/x, /home/zoe/y; alice, anna-lena and uid 1001."
        record.tried = .full(.string("https://alice.example"))
        record.forced = .full(.string("https://start.example?who=alice"))
        return record
    }

    /// Stores records and reads them back.
    private func stored(_ machine: TemporaryMachine, _ records: AuditRecord...) throws -> [AuditRecord] {
        _ = try AuditLog(root: machine.root).append(records)
        return Array(try AuditLog(root: machine.root).records().records.suffix(records.count))
    }

    @Test func `nothing of a person is in a line, and equal people are equal`() throws {
        let machine = try machine()
        var other = record()
        (other.uid, other.user, other.auid) = (1002, "anna-lena", nil)
        let records = try stored(machine, record(), other)
        let text = String(decoding: try machine.readLog("current.jsonl"), as: UTF8.self)
        for word in ["alice", "anna", "1001", "1002", "homes", "zoe", "user@", "https"] {
            #expect(!text.contains(word), "\(word)")
        }
        let key = try #require(PseudonymKey(reading: machine.root))
        let (alice, anna) = (key.pseudonym(.person, "1001"), key.pseudonym(.person, "1002"))
        #expect(alice != anna)
        #expect(records.map(\.user) == [alice, anna])
        #expect(records.allSatisfy { $0.uid == nil && $0.auid == nil && $0.session == nil })
        #expect(records[0].exe == "~\(alice)/bin/game")
        let zoe = key.pseudonym(.name, "zoe")
        #expect(
            records[0].note
                == "stored in ~\(alice)/.config/a.plist; also ~\(anna)/x, ~\(zoe)/y; \(alice), \(anna) and uid \(alice)."
        )
        #expect(records[0].unit == key.pseudonym(.unit, "user@1001.service"))
        #expect(records[0].tried == .sensitive(hmac: nil) && records[0].forced == .sensitive(hmac: nil))
        #expect(records[0].extra.first?.json.contains(#""login":"\#(anna)""#) == true)
        #expect(records[0].key == "K" && records[0].host == "h")
        #expect(AuditVerifier.verify(root: machine.root).status == .intact)
    }

    @Test func `root, services and numbers of policy keep their names`() throws {
        let machine = try machine()
        var root = TemporaryMachine.record(.policy)
        (root.uid, root.user, root.forced) = (0, "root", .full(.integer(5)))
        root.note = "backup by root in /var/backups/x; ratio 1001"
        var service = TemporaryMachine.record()
        service.user = "backup"
        let records = try stored(machine, root, service)
        #expect(records[0].uid == 0 && records[0].user == "root" && records[0].note == root.note)
        #expect(records[0].forced == .full(.integer(5)))
        #expect(records[1].user == "backup")
    }

    @Test(arguments: [nil, "{\"Pseudonyms\": false}"])
    func `without the mode records are as they were`(_ file: String?) throws {
        let machine = try machine(file)
        let stored = try #require(try stored(machine, record()).first)
        #expect(stored.uid == 1001 && stored.note == record().note && stored.tried == record().tried)
        #expect(PseudonymKey(reading: machine.root) == nil)
        #expect(PrivacyMode(of: machine.root) == .open)
    }

    @Test(arguments: [
        "", "nonsense", "[]", "{}", #"{"Pseudonyms": 1}"#, #"{"pseudonyms": true}"#, #"{"Pseudonyms":false,"More":1}"#,
        #"{"Pseudonyms":false,"Pseudonyms":false}"#,
    ])
    func `a file that cannot be used counts as the mode`(_ file: String) throws {
        let machine = try machine(file)
        guard case .unknown(let reason, _) = PrivacyMode(of: machine.root) else {
            Issue.record("\(PrivacyMode(of: machine.root))")
            return
        }
        #expect(!reason.isEmpty)
        #expect(try stored(machine, record()).first?.user?.hasPrefix("p-") == true)
    }

    @Test func `space and age of the log are as the file says`() {
        let day: Int64 = 86_400_000_000
        /// The limits of a file.
        func limits(_ text: String) -> LogLimits? {
            let settings = AuditSettings(reading: Array(text.utf8))
            return settings.problem == nil ? LogLimits(settings) : nil
        }
        let some = limits(#"{ "MaximumMegabytes": 100, "MinimumDays": 7, "MaximumDays": 365 } // a school year"#)
        #expect(some?.bytes == 100 << 20 && some?.youngest == 7 * day && some?.oldest == 365 * day)
        // What has to be deleted at some age may be deleted then.
        let short = limits(#"{ "MaximumDays": 14, "Pseudonyms": true }"#)
        #expect(short?.youngest == 14 * day && short?.oldest == 14 * day && short?.bytes == LogLimits().bytes)
        for text in [
            #"{ "MaximumMegabytes": 15 }"#, #"{ "MaximumMegabytes": 1048577 }"#, #"{ "MinimumDays": 0 }"#,
            #"{ "MinimumDays": 30, "MaximumDays": 29 }"#, #"{ "MaximumDays": 36501 }"#, #"{ "MaximumDays": "9" }"#,
            #"{ "MaximumDays": 1.5 }"#, #"{ "MaximumDays": true }"#, #"{ "MaximumDays": 99999999999999999999 }"#,
            #"{ "maximumDays": 9 }"#, #"{ "MaximumDays": 9, "MaximumDays": 9 }"#, "{}",
        ] {
            let settings = AuditSettings(reading: Array(text.utf8))
            #expect(settings.problem != nil && settings.isPseudonymous && LogLimits(settings) == LogLimits(), "\(text)")
        }
    }

    @Test func `a file that others can write counts as the mode`() throws {
        let machine = try machine(#"{"Pseudonyms": false}"#)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o666], ofItemAtPath: machine.path + PrivacyMode.path)
        #expect(PrivacyMode(of: machine.root).isPseudonymous)
        #expect(try stored(machine, record()).first?.uid == nil)
    }

    @Test func `a change of the file or of the key counts from the next record on`() throws {
        let machine = try machine(nil)
        #expect(try stored(machine, record()).first?.user == "alice")
        try machine.write("etc/managed-defaults/audit.json", #"{"Pseudonyms": true}"#)
        let first = try stored(machine, record()).first?.user
        #expect(try stored(machine, record()).first?.user == first)
        try FileManager.default.removeItem(atPath: machine.path + PseudonymKey.path)
        let second = try #require(try stored(machine, record()).first?.user)
        #expect(second.hasPrefix("p-") && second != first)
    }

    @Test func `without a key people are left out`() throws {
        let machine = try machine()
        // A file in the place of the folder: the key can neither be read nor made.
        try machine.write("var/lib/mdefaultsd", "")
        let stored = try #require(try stored(machine, record()).first)
        #expect(stored.user == "unnamed" && stored.uid == nil)
        #expect(stored.exe == "~unnamed/bin/game")
    }

    @Test func `a key that others can read is none`() throws {
        let machine = try machine()
        _ = try stored(machine, record())
        #expect(PseudonymKey(reading: machine.root) != nil)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640], ofItemAtPath: machine.path + PseudonymKey.path)
        #expect(PseudonymKey(reading: machine.root) == nil)
        #expect(try stored(machine, record()).first?.user == "unnamed")
    }

    @Test(arguments: [
        ("alice", "<alice>"), ("by alice.", "by <alice>."), ("malice", "malice"), ("alice2", "alice2"),
        ("x-alice-y", "x-<alice>-y"), ("/home/alice.", "~<alice>."), ("/home/alice2/x", "~<alice2>/x"),
        ("a/home/alice", "a/home/<alice>"), ("/home/", "/home/"), ("/home", "/home"), ("uid 1001", "uid <alice>"),
        ("1001", "1001"), ("uid 99999999999", "uid 99999999999"), ("é alice ü", "é <alice> ü"), ("", ""),
        ("anna-lena", "<anna-lena>"), ("anna", "anna"), ("anna-lena-2", "<anna-lena>-2"), ("-.@", "-.@"),
        ("/srv/homes/al/x", "~<anna-lena>/x"), ("alice@anna-lena", "<alice>@<anna-lena>"),
    ])
    func `names and homes are found in texts`(_ text: String, _ expected: String) throws {
        let machine = try machine()
        let people = PeopleInText(AccountDatabase(root: machine.root).accounts)
        let names: [UInt32: String] = [1001: "alice", 1002: "anna-lena"]
        let result = people.replacing(in: text) { found in
            switch found {
            case .uid(let uid): names[uid].map { "<\($0)>" }
            case .name(let name): "<\(name)>"
            }
        }
        #expect(result == expected)
    }

    @Test func `a pseudonym has its kind`() throws {
        let key = try #require(PseudonymKey(Array(0..<32)))
        for kind in PseudonymKind.allCases {
            #expect(PseudonymKind(of: key.pseudonym(kind, "x")) == kind)
        }
        #expect(Set(PseudonymKind.allCases.map { key.pseudonym($0, "x").dropFirst(2) }).count == 4)
        for text in ["", "p-", "p-0123456789abcde", "q-0123456789abcdef", "p-0123456789abcdeF", "alice"] {
            #expect(PseudonymKind(of: text) == nil)
        }
    }
}
