import Foundation
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

/// `audit list` and `audit verify` over a log of four records.
struct AuditTests {
    @Test(arguments: [
        ("", [1, 2, 3, 4]),
        ("--user bob", [1, 3]),
        ("--user 1001", [2]),
        ("--domain org.example.Chat", [2]),
        ("--domain org.example.Chat.plist", [2]),
        ("--key HomePage --limit 1", [3]),
        ("--kind policy", [4]),
        ("--host=room1-pc04", [3]),
        ("--since 2026-11-20T09:30:00Z", [2, 3, 4]),
        ("--since 2026-11-20T09:30:01Z", [3, 4]),
        ("--until 2026-11-20T09:29:59Z", [1]),
        ("--since 2026-11-20T10:30:00+01:00 --until 2026-11-21T08:00:00Z --limit 5", [2, 3]),
        ("--limit 2", [3, 4]),
        ("--user nobody", []),
    ])
    func `narrows and keeps the newest last`(_ words: String, _ numbers: [Int]) throws {
        let lab = try Lab()
        try lab.recordAttempts()
        let result = try lab.managed(["audit", "list", "--json"] + words.split(separator: " ").map(String.init))
        #expect(result.code == 0)
        #expect(try result.objects.compactMap { $0["seq"] as? Int } == numbers)
        let text = try lab.managed(["audit", "list"] + words.split(separator: " ").map(String.init)).output
        #expect(text.split(separator: "\n").count == numbers.count)
    }

    @Test func `counts attempts by person, key and hour, and says how the log is`() throws {
        let lab = try Lab()
        try lab.recordAttempts()
        let result = try lab.managed("audit", "count", "--json")
        let answer = try result.object
        #expect(answer["attempts"] as? Int == 3 && result.code == 0, "\(result)")
        #expect((answer["log"] as? [String: Any])?["status"] as? String == "intact")
        let users = try #require(answer["user"] as? [[String: Any]])
        #expect(users.first?["name"] as? String == "bob" && users.first?["attempts"] as? Int == 2)
        #expect((answer["hour"] as? [Int])?.reduce(0, +) == 3)
        #expect(
            try lab.managed("audit", "count", "--since", "2026-11-20T09:30:01Z").output.contains("1 override attempt."))
    }

    @Test func `a domain whose name ends in .plist is meant exactly where the log has it`() throws {
        let lab = try Lab()
        try lab.recordAttempts()
        let records = try lab.managed("audit", "list", "--json", "--key", "Enabled")
        #expect(try records.objects.count == 1)
        var record = AuditRecord(kind: .override, src: .client)
        (record.boot, record.mono, record.host) = ("boot", 5, "room1-pc03")
        record.time = Timestamp(rfc3339: "2026-11-21T10:00:00Z")
        (record.domain, record.key) = ("org.example.Chat.plist", "Enabled")
        try AuditLog(root: Root(directory: lab.path)).append([record])
        for (domain, number) in [("org.example.Chat", 2), ("org.example.Chat.plist", 5)] {
            let result = try lab.managed("audit", "list", "--json", "--domain", domain)
            #expect(try result.objects.compactMap { $0["seq"] as? Int } == [number])
        }
    }

    @Test func `a record without a name is of who had its uid then, by the register of people`() throws {
        let lab = try Lab()
        try lab.recordAttempts()
        /// A time.
        func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: "2026-\(text)T10:00:00Z")) }
        let rows = [
            PeopleRegister.Row(
                uid: 20_008, name: "pupil3", home: "/home/pupil3", from: try time("11-01"), until: try time("11-20")),
            PeopleRegister.Row(uid: 20_008, name: "mia", home: "/home/mia", from: try time("11-20")),
        ]
        let path = lab.path + "/var/lib/managed-defaults"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(PeopleRegister.encode(rows)).write(to: URL(fileURLWithPath: path + "/people"))
        for day in ["10-01", "11-10", "11-21"] {
            var record = AuditRecord(kind: .override, src: .client)
            (record.boot, record.mono, record.host, record.uid) = ("boot", 5, "room1-pc03", 20_008)
            (record.domain, record.key, record.outcome, record.via) = ("org.example.P", "K", .refused, .set)
            record.time = try time(day)
            try AuditLog(root: Root(directory: lab.path)).append([record])
        }
        for (user, numbers) in [("pupil3", [6]), ("mia", [7]), ("20008", [5, 6, 7]), ("leo", [])] {
            let result = try lab.managed("audit", "list", "--json", "--user", user)
            #expect(try result.objects.compactMap { $0["seq"] as? Int } == numbers)
        }
        let text = try lab.managed("audit", "list", "--user", "20008").output
        for name in ["  uid 20008  override", "  pupil3  override", "  mia  override"] { #expect(text.contains(name)) }
        // What the log has stays what it is.
        let lines = try lab.managed("audit", "export", "--format", "jsonl", "--user", "mia").output
        #expect(lines.contains("20008") && !lines.contains("mia"))
        #expect(try lab.managed("audit", "export", "--format", "csv", "--user", "mia").output.contains("mia"))
        let report = try lab.managed("report", "--summary", "--exit-zero").output
        for name in ["mia", "pupil3", "uid 20008"] { #expect(report.contains(name), "\(report)") }
    }

    @Test func `what only senders say is said to be so`() throws {
        let lab = try Lab()
        try lab.recordAttempts()
        /// A record of a moment.
        func record(_ kind: RecordKind, _ source: RecordSource?, _ count: Int) -> AuditRecord {
            var record = AuditRecord(kind: kind, src: source)
            record.time = Timestamp(rfc3339: "2026-11-21T10:00:00Z")
            (record.uid, record.user, record.count) = (1002, "bob", count)
            if kind == .override {
                (record.domain, record.key, record.via) = ("org.example.Browser", "HomePage", .set)
                (record.tried, record.outcome) = (ValueSummary(.boolean(true)), .refused)
            }
            return record
        }
        try AuditLog(root: Root(directory: lab.path)).append([
            record(.override, .spool, 3), record(.drop, .client, 4), record(.drop, nil, 5),
        ])
        let list = try lab.managed("audit", "list").output
        #expect(list.components(separatedBy: " (from a spool)  org.example.Browser HomePage: ").count == 2, "\(list)")
        #expect(list.components(separatedBy: "from a spool").count == 2)
        let verify = try lab.managed("audit", "verify")
        let words = verify.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(verify.code == 12)
        #expect(words.contains("records: 7, 1 of them claimed by senders, who kept them in spools"), "\(words)")
        #expect(words.contains("9 records were not stored, 4 of them by the word of senders."), "\(words)")
        let json = try #require(try lab.managed("--json", "audit", "verify").json as? [String: Any])
        #expect(json["claimed"] as? Int == 1)
        for format in [["--summary"], ["--format", "html"]] {
            let report = try lab.managed(["report"] + format).output
            #expect(report.contains("5 more only by the word of senders"), "\(report)")
            #expect(report.contains("4 more were not stored, only by the word of senders"), "\(report)")
        }
        let whole = try #require(try lab.managed("--json", "report").json as? [String: Any])
        let summary = try #require(whole["summary"] as? [String: Any])
        let numbers = ["attempts", "claimed", "dropped", "claimedDropped"].map { summary[$0] as? Int }
        #expect(numbers == [3, 5, 5, 4])
    }

    @Test func `a log that does not exist is an empty list and a note`() throws {
        let lab = try Lab()
        for words in [["audit", "list"], ["audit", "list", "--json"]] {
            let result = try lab.managed(words)
            #expect(result.code == 0)
            #expect(result.output == (words.count == 3 ? "[]\n" : ""))
            #expect(result.error.contains("There is no audit log at lab/var/log/managed-defaults/current.jsonl"))
        }
        #expect(!FileManager.default.fileExists(atPath: lab.path + "/var"))
    }

    @Test func `what is no log cannot be read`() throws {
        let lab = try Lab()
        try FileManager.default.createDirectory(atPath: lab.log, withIntermediateDirectories: true)
        let result = try lab.managed("audit", "list")
        #expect(result.code == 4)
        #expect(result.error.contains("The audit log could not be read"))
    }

    @Test(.enabled(if: UserIdentityTests.isRoot, "needs root"))
    func `who may not read the log is told who may`() throws {
        let lab = try Lab()
        try lab.recordAttempts()
        chmod(lab.folder, 0o755)
        chmod(lab.path + "/var/log/managed-defaults", 0o750)
        for words in [["list"], ["tail"], ["export", "--format", "csv"], ["verify"]] {
            let command =
                ["--reuid", "2002", "--regid", "2002", "--clear-groups", MDefaultsProcess.path, "--root", lab.path]
            let result = try SpawnedProgram.run("/usr/bin/setpriv", command + ["audit"] + words, folder: lab.folder)
            if words == ["verify"] {
                #expect(result.code == 13, "\(result)")
            } else {
                let sentence = "mdefaults: The audit log is read by root and by members of the group of its folder"
                #expect(result.code == 4 && result.output == "" && result.error.hasPrefix(sentence), "\(result)")
            }
        }
    }

    @Test func `a line that is no record is named and the rest is listed`() throws {
        let lab = try Lab()
        try lab.recordAttempts()
        let text = try String(contentsOfFile: lab.log, encoding: .utf8)
        try ("nonsense\n" + text).write(toFile: lab.log, atomically: false, encoding: .utf8)
        let result = try lab.managed("audit", "list")
        #expect(result.code == 5)
        #expect(result.output.split(separator: "\n").count == 4)
        #expect(result.error.contains("current.jsonl:1: this line is no record: "))
    }

    /// What is done to the lines of the log, and what comes of it.
    enum Damage: String, CaseIterable {
        case none, changed, removed, swapped, truncated, emptied, gone, uncommitted

        /// The exit code and the status of `audit verify`.
        var expected: (code: Int32, status: String) {
            switch self {
            case .none: (0, "intact")
            case .changed, .removed, .swapped: (10, "altered")
            case .truncated, .emptied, .gone: (11, "truncated")
            case .uncommitted: (13, "unchecked")
            }
        }

        /// Does it.
        func happen(to lab: Lab) throws {
            var lines = try String(contentsOfFile: lab.log, encoding: .utf8).components(separatedBy: "\n")
            switch self {
            case .none: return
            case .changed: lines[1] = lines[1].replacingOccurrences(of: "alice", with: "aline")
            case .removed: lines.remove(at: 1)
            case .swapped: lines.swapAt(0, 2)
            case .truncated: lines.remove(at: 3)
            case .emptied: lines = [""]
            case .gone: return try FileManager.default.removeItem(atPath: lab.log)
            case .uncommitted:
                return try FileManager.default.removeItem(atPath: lab.path + "/var/log/managed-defaults/checkpoint")
            }
            try lines.joined(separator: "\n").write(toFile: lab.log, atomically: false, encoding: .utf8)
        }
    }

    @Test(arguments: Damage.allCases)
    func `verify finds damage, by default and by path`(_ damage: Damage) throws {
        let lab = try Lab()
        try lab.recordAttempts()
        try damage.happen(to: lab)
        for words in [[], ["lab/var/log/managed-defaults/current.jsonl"], [lab.log]] {
            let json = try lab.managed(["audit", "verify", "--json"] + words)
            #expect(json.code == damage.expected.code)
            let answer = try json.object
            #expect(answer["status"] as? String == damage.expected.status)
            #expect(answer["records"] is Int)
            #expect((answer["detail"] as? String)?.hasSuffix(".") == true)
            #expect((answer["firstBad"] != nil) == [10, 11].contains(json.code))
            let text = try lab.managed(["audit", "verify"] + words)
            #expect(text.code == damage.expected.code)
            #expect(text.output.hasPrefix("status: "))
            #expect(text.output.contains("first bad record: ") == [10, 11].contains(text.code))
        }
    }

    @Test func `verify changes nothing, so that a second look finds the same`() throws {
        let lab = try Lab()
        try lab.recordAttempts()
        try Damage.truncated.happen(to: lab)
        let folder = lab.path + "/var/log/managed-defaults"
        let before = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        let first = try lab.managed("audit", "verify")
        _ = try lab.managed("audit", "list")
        #expect(try lab.managed("audit", "verify").output == first.output)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == before)
    }
}
