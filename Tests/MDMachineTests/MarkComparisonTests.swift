import Foundation
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import MDTestTimes
import Testing

@testable import MDCare
@testable import MDReport

/// Tests the comparison of marks with those that root found before.
@Suite(.timed)
struct MarkComparisonTests {
    /// The user's state folder.
    private static let state = "/home/alice/.local/state/managed-defaults"
    /// A mark of what the policy sets once.
    private static let mark = SetOnceMark(
        domain: "org.example.Editor", key: "FontSize", policy: "edu.example.a", occasion: "version 1")

    /// A machine with something that is set once.
    private func lab() throws -> TemporaryMachine {
        let lab = try TemporaryMachine()
        try lab.policy(
            "10-a.json",
            #"{"Identifier":"edu.example.a","Version":1,"SetOnce":{"org.example.Editor":{"FontSize":14,"Theme":"dark"}}}"#
        )
        try lab.write("/home/bob/.profile", "")
        return lab
    }

    /// Writes the marks of alice.
    private func write(_ marks: [SetOnceMark], in lab: TemporaryMachine) throws {
        let file = SetOnceFile(root: try Root(directory: lab.path), home: "", spare: Self.state)
        try file.update { _ in marks }
    }

    /// The marks in the register.
    private func register(_ lab: TemporaryMachine) throws -> [SetOnceMark] {
        try SetOnceRegister(root: try Root(directory: lab.path)).marks.values.flatMap { $0.map(\.mark) }
    }

    /// The codes of a report's findings about marks, with the user.
    private func findings(_ lab: TemporaryMachine, _ look: MarkComparison? = nil) throws -> [String] {
        let report = ComplianceReport(
            of: try lab.machine(), ReportRequest(time: TemporaryMachine.time, version: "0.1.0"), look)
        return report.findings.filter { $0.code.hasPrefix("set-once-mark") }.map { "\($0.user ?? "") \($0.code)" }
    }

    @Test func `marks that a user made up are counted, and few are named`() throws {
        let lab = try lab()
        let lines = (0..<20_000).map { number in
            #"{"policy":"a.b","occasion":"version 1","domain":"d","key":"f\#(number)","word":"w"}"# + "\n"
        }
        let own = #"{"policy":"edu.example.a","occasion":"version 1","domain":"org.example.Editor","key":"FontSize"}"#
        try lab.write(Self.state + "/set-once.jsonl", own + "\n" + own + "\n" + lines.joined())
        let report = ComplianceReport(
            of: try lab.machine(), ReportRequest(time: TemporaryMachine.time, version: "0.1.0"))
        let found = report.findings.filter { $0.code == "set-once-unrecorded" }.map(\.message)
        #expect(found.count == 11)
        #expect(found.last?.hasPrefix("19991 more marks of what was set once have no record in the log") == true)
        // The marks of entries in policy are inspected, however many others there are.
        let account = try #require(try lab.machine().accounts.account(named: "alice"))
        let reading = HomeAccess.read(UserSession(machine: try lab.machine(), account: account))
        #expect(reading.marks.count == 4_097 && reading.marks.contains(Self.mark) && reading.furtherMarks == 15_904)
        let arrived = try #require(HomeInspection(decoding: reading.encoded()))
        #expect(arrived.marks == reading.marks && arrived.furtherMarks == reading.furtherMarks)
    }

    /// The records about removed or changed marks in the log.
    private func recorded(_ lab: TemporaryMachine) throws -> [AuditRecord] {
        try AuditLog(root: Root(directory: lab.path)).records().records.filter { $0.lostMark != nil }
    }

    @Test func `whoever removes mark and spool is named, with domain, key and policy`() throws {
        let lab = try lab()
        try write([Self.mark], in: lab)
        let first = MarkComparison(of: try lab.machine(), isRecording: true)
        #expect(first.lost.isEmpty && first.limits.isEmpty)
        #expect(try register(lab) == [Self.mark])
        let status = try Root(directory: lab.path).status(SetOnceRegister.path, followingLinks: false)
        #expect(status.mode == 0o600)
        #expect(try findings(lab) == [])
        try FileManager.default.removeItem(atPath: lab.path + "/home/alice/.local/state/managed-defaults")
        let second = MarkComparison(of: try lab.machine(), isRecording: true)
        #expect(second.recorded.count == 1)
        let record = try #require(try recorded(lab).first)
        #expect((record.user, record.domain, record.key) == ("alice", "org.example.Editor", "FontSize"))
        #expect((record.policy?.id, record.uid, record.src) == ("edu.example.a", 1001, .scan))
        #expect(record.lostMark?.mark == Self.mark)
        #expect(record.setOnceMark == nil)
        #expect(try findings(lab, second) == ["alice set-once-mark-gone"])
        // It is said once in the log, and by every report of the time.
        #expect(MarkComparison(of: try lab.machine(), isRecording: true).lost.isEmpty)
        #expect(try recorded(lab).count == 1)
        #expect(try findings(lab) == ["alice set-once-mark-gone"])
        #expect(try register(lab) == [])
    }

    @Test func `who has no entry any more is forgotten, unless the list cannot be read`() throws {
        let lab = try lab()
        try write([Self.mark], in: lab)
        _ = MarkComparison(of: try lab.machine(), isRecording: true)
        try lab.write("/etc/passwd", "bob:x:1002:1002::/home/bob:/bin/sh\nnonsense\n")
        _ = MarkComparison(of: try lab.machine(), isRecording: true)
        #expect(try register(lab) == [Self.mark])
        try lab.write("/etc/passwd", "bob:x:1002:1002::/home/bob:/bin/sh\n")
        #expect(MarkComparison(of: try lab.machine(), isRecording: true).lost.isEmpty)
        #expect(try register(lab) == [])
    }

    @Test func `a mark that another occasion replaced is changed`() throws {
        let lab = try lab()
        try write([Self.mark], in: lab)
        _ = MarkComparison(of: try lab.machine(), isRecording: true)
        try write(
            [
                SetOnceMark(
                    domain: Self.mark.domain, key: Self.mark.key, policy: Self.mark.policy, occasion: "version 0")
            ],
            in: lab)
        let look = MarkComparison(of: try lab.machine(), isRecording: true)
        #expect(look.recorded.map { $0.lostMark?.isChanged } == [true])
        #expect(try findings(lab, look) == ["alice set-once-mark-changed"])
    }

    @Test func `a mark that was made anew is changed, once, and so is one beside which the old one stands`() throws {
        let lab = try lab()
        /// The mark with a word.
        func mark(_ word: String?) -> SetOnceMark {
            SetOnceMark(
                domain: Self.mark.domain, key: Self.mark.key, policy: Self.mark.policy, occasion: Self.mark.occasion,
                word: word.map { Key($0) })
        }
        var count = 0
        for (marks, isChanged) in [
            ([nil], false), ([nil], false), (["a"], true), (["a"], false), (["b"], true), (["b", "a"], true),
            (["b", "a"], false), ([nil], true), ([nil], false),
        ] as [([String?], Bool)] {
            try write(marks.map(mark), in: lab)
            let look = MarkComparison(of: try lab.machine(), isRecording: true)
            #expect(look.recorded.map { $0.lostMark?.isChanged } == (isChanged ? [true] : []), "\(marks)")
            #expect(try register(lab) == [Self.mark])
            count += isChanged ? 1 : 0
            #expect(try recorded(lab).count == count)
        }
        #expect(try findings(lab) == Array(repeating: "alice set-once-mark-changed", count: count))
    }

    @Test func `a register without digests tells nothing of words, and has them from then on`() throws {
        let lab = try lab()
        let root = try Root(directory: lab.path)
        var lines = ChecksummedLines(header: "managed-defaults set-once register 1")
        lines.add("user", "1001", ".alice")
        lines.add("mark", ".org.example.Editor", ".FontSize", ".edu.example.a", ".version%201")
        try root.createDirectory("/var/lib/managed-defaults", mode: 0o755)
        try root.replace(SetOnceRegister.path, with: lines.sealed, mode: 0o600)
        try write([Self.mark], in: lab)
        let look = MarkComparison(of: try lab.machine(), isRecording: true)
        #expect(look.lost.isEmpty && look.limits.isEmpty)
        let seen = try SetOnceRegister(root: root).marks.values.flatMap(\.self)
        #expect(seen.map(\.mark) == [Self.mark] && seen.first?.words == SHA256.hash([]))
    }

    @Test func `a new version is no loss, and the mark of the one before is still looked for`() throws {
        let lab = try lab()
        try write([Self.mark], in: lab)
        _ = MarkComparison(of: try lab.machine(), isRecording: true)
        try lab.policy(
            "10-a.json",
            #"{"Identifier":"edu.example.a","Version":2,"SetOnce":{"org.example.Editor":{"FontSize":14}}}"#)
        let next = SetOnceMark(
            domain: Self.mark.domain, key: Self.mark.key, policy: Self.mark.policy, occasion: "version 2")
        try write([Self.mark, next], in: lab)
        #expect(MarkComparison(of: try lab.machine(), isRecording: true).lost.isEmpty)
        #expect(try register(lab) == [Self.mark, next])
        try write([next], in: lab)
        #expect(MarkComparison(of: try lab.machine(), isRecording: true).lost.map { $0.lostMark?.mark } == [Self.mark])
    }

    @Test func `marks that policy gave no reason for are not kept`() throws {
        let lab = try lab()
        let foreign = (0..<100).map {
            SetOnceMark(domain: "org.example.Editor", key: Key("\($0)"), policy: "edu.example.a", occasion: "version 1")
        }
        try write(foreign + [Self.mark], in: lab)
        _ = MarkComparison(of: try lab.machine(), isRecording: true)
        #expect(try register(lab) == [Self.mark])
    }

    @Test(arguments: ["no home", "an empty home", "unreadable marks"])
    func `what cannot be looked at is not known, and is no loss`(_ reason: String) throws {
        let lab = try lab()
        try write([Self.mark], in: lab)
        _ = MarkComparison(of: try lab.machine(), isRecording: true)
        let manager = FileManager.default
        if reason == "unreadable marks" {
            try manager.removeItem(atPath: lab.path + Self.state + "/set-once.jsonl")
            try manager.createDirectory(
                atPath: lab.path + Self.state + "/set-once.jsonl", withIntermediateDirectories: true)
        } else {
            try manager.removeItem(atPath: lab.path + "/home/alice")
            if reason == "an empty home" {
                try manager.createDirectory(atPath: lab.path + "/home/alice", withIntermediateDirectories: true)
            }
        }
        let look = MarkComparison(of: try lab.machine(), isRecording: true)
        #expect(look.lost.isEmpty)
        #expect(look.limits.count == 1)
        #expect(look.limits.first?.contains("alice") == true)
        #expect(try register(lab) == [Self.mark])
    }

    @Test func `what the log cannot take comes again`() throws {
        let lab = try lab()
        try write([Self.mark], in: lab)
        _ = MarkComparison(of: try lab.machine(), isRecording: true)
        try write([], in: lab)
        // A file is in the place of the log's directory.
        try lab.write("/var/log", "")
        let look = MarkComparison(of: try lab.machine(), isRecording: true)
        #expect(look.recorded.isEmpty)
        #expect(look.unrecorded.count == 1)
        #expect(try findings(lab, look) == ["alice set-once-mark-gone"])
        #expect(try register(lab) == [Self.mark])
        try FileManager.default.removeItem(atPath: lab.path + "/var/log")
        #expect(MarkComparison(of: try lab.machine(), isRecording: true).recorded.count == 1)
    }

    @Test func `a register that is damaged or not trusted is said, and begins anew`() throws {
        for isDamaged in [true, false] {
            let lab = try lab()
            try write([Self.mark], in: lab)
            _ = MarkComparison(of: try lab.machine(), isRecording: true)
            if isDamaged {
                try lab.write(SetOnceRegister.path, "anything")
            } else {
                chmod(lab.path + SetOnceRegister.path, 0o666)
            }
            let look = MarkComparison(of: try lab.machine(), isRecording: true)
            #expect(look.lost.isEmpty)
            #expect(look.limits.count == 1)
            #expect(MarkComparison(of: try lab.machine(), isRecording: true).limits.isEmpty)
            #expect(try register(lab) == [Self.mark])
        }
    }

    @Test func `a question says which marks are gone, and writes nothing`() throws {
        let lab = try lab()
        try write([Self.mark], in: lab)
        _ = MarkComparison(of: try lab.machine(), isRecording: true)
        try write([], in: lab)
        let before = try lab.content()
        for _ in 1...2 {
            let look = MarkComparison(of: try lab.machine(), isRecording: false)
            #expect(look.lost.map { $0.lostMark?.mark } == [Self.mark] && look.recorded.isEmpty)
        }
        #expect(try lab.content() == before)
    }

    @Test func `where nothing is set once nothing is written`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", #"{"Identifier":"edu.example.a","Forced":{"org.example.Editor":{"FontSize":14}}}"#)
        let before = try lab.content()
        _ = MarkComparison(of: try lab.machine(), isRecording: true)
        #expect(try lab.content() == before)
    }
}
