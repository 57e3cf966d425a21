import Foundation
import MDCare
import MDEngine
import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import MDTools
import Testing

@testable import MDPrograms

/// What programs said of their policy counts as long as policy and program are the same.
struct TestimonyTests {
    private static let browser = "usr/bin/chromium"
    let machine: TemporaryMachine

    init() throws {
        machine = try TemporaryMachine(.classroom)
        try machine.write(Self.browser, "#!/bin/sh\n")
        try force("\"A\": 1, \"B\": \"yes\"")
    }

    private func force(_ keys: String) throws {
        try machine.policy(
            "10-a.json", "{ \"Identifier\": \"a\", \"Forced\": { \"org.chromium.Chromium\": { \(keys) } } }")
        _ = try programs.write()
    }

    private var programs: MachinePrograms { MachinePrograms(machine: PolicyMachine(root: machine.root).policy()) }

    /// The states of keys in Chromium, for a user.
    private func states(_ user: String = "bob", _ keys: [Key] = ["A", "B"]) throws -> [String] {
        let index = try programs.enforcements()
        return keys.flatMap { key in
            index.enforcements(domain: "org.chromium.Chromium", key: key, of: user).map {
                $0.reason.isEmpty ? $0.state.rawValue : "\($0.state.rawValue): \($0.reason)"
            }
        }
    }

    /// Records what Chromium says of each policy that is written for it.
    private func testify(
        _ words: [Key: TestimonyRecord.Word] = ["A": .confirmed, "B": .denied("Expected boolean value")]
    )
        throws
    {
        var record = TestimonyRecord()
        for part in try programs.preview().plan.parts where part.isWritten {
            let version = try #require(part.program.version(in: machine.root))
            let places = words.map { (TestimonyRecord.Place(domain: "org.chromium.Chromium", key: $0.key), $0.value) }
            record.set(
                TestimonyRecord.Answers(
                    version: version, time: Clock.now(), words: Dictionary(uniqueKeysWithValues: places)),
                for: TestimonyRecord.Question(part.program, part.policy))
        }
        try record.save(root: machine.root)
    }

    @Test func `a key is confirmed or denied by the program, in its words`() throws {
        #expect(try states() == ["written", "written"])
        try testify()
        #expect(try states() == ["confirmed", "denied: Expected boolean value"])
        let findings = try programs.preview().findings
        #expect(findings.map(\.kind) == [.denied])
        #expect(findings.map(\.message) == ["Chromium does not obey this: Expected boolean value"])
        // What the program does not speak of stays open.
        try testify(["A": .confirmed])
        #expect(try states() == ["confirmed", "written"])
    }

    @Test func `another policy, and the same one again, is what was asked about or not`() throws {
        try testify()
        try force("\"A\": 1, \"B\": true")
        #expect(try states() == ["written", "written"])
        // A boolean and a number that are equal as values are not the same question.
        try force("\"A\": true, \"B\": \"yes\"")
        #expect(try states() == ["written", "written"])
        try force("\"B\": \"yes\",\n\n \"A\": 1")
        #expect(try states() == ["confirmed", "denied: Expected boolean value"])
    }

    @Test func `another version of the program was not asked`() throws {
        try machine.write("usr/lib/chromium/chromium", "156")
        try testify()
        #expect(try states().first == "confirmed")
        try machine.write("usr/lib/chromium/chromium", "157!")
        #expect(try states() == ["written", "written"])
    }

    @Test func `a program that is not installed, or only in a sandbox, obeys nothing`() throws {
        try testify()
        try machine.remove(Self.browser)
        let missing = "not installed: it is not installed here in the places where packages put it"
        #expect(try states() == [missing, missing])
        // Nothing is said of keys that no user has.
        try machine.policy(
            "20-a.json", #"{ "Identifier": "b", "Absent": { "org.chromium.Chromium": ["Proxy"] } }"#)
        _ = try programs.write()
        #expect(try programs.preview().findings.isEmpty)
        try machine.policy("30-a.json", #"{ "Identifier": "c", "Absent": { "com.vivaldi.Vivaldi": ["Proxy"] } }"#)
        try machine.makeDirectory("var/lib/flatpak/app/com.vivaldi.Vivaldi")
        let boxed = "it is here as a Flatpak or snap only, which is not known to read what is written"
        let found = try programs.enforcements().enforcements(domain: "com.vivaldi.Vivaldi", key: "Proxy", of: "bob")
        #expect(found.map(\.state) == [.notEnforced] && found.map(\.reason) == [boxed])
        #expect(try programs.preview().findings.map(\.program) == ["vivaldi"])
    }

    @Test func `a question that failed is not asked again at once, and leaves the key open`() throws {
        let chromium = try #require(ProgramCatalog.program(named: "chromium"))
        func asked() throws -> [String] {
            try programs.inquiries(about: nil, changed: true).asked.map(\.program.name)
        }
        #expect(try asked() == ["chromium"])
        let inquiry = try #require(try programs.inquiries(about: nil, changed: true).asked.first)
        try programs.record([(inquiry, .failed("it does not answer in time"))])
        #expect(try asked() == [] && states() == ["written", "written"])
        var record = try TestimonyRecord(root: machine.root)
        let question = TestimonyRecord.Question(chromium, inquiry.policy)
        let version = try #require(chromium.version(in: machine.root))
        #expect(record.failure(of: question, version: version) != nil)
        // After some hours, and when the program is another one.
        let early = Timestamp(microseconds: Clock.now().microseconds - 7 * 3_600 * 1_000_000)
        record.set(TestimonyRecord.Answers(version: version, time: early, isFailure: true), for: question)
        try record.save(root: machine.root)
        #expect(try asked() == ["chromium"])
        try programs.record([(inquiry, .failed("it does not answer in time"))])
        try machine.write("usr/lib/chromium/chromium", "157")
        #expect(try asked() == ["chromium"])
        try testify()
        #expect(try asked() == [] && states().first == "confirmed")
    }

    @Test func `a file that was changed since is not in force, whatever the program said`() throws {
        try testify()
        try machine.write("etc/chromium/policies/managed/zz-managed-defaults.json", "{}")
        #expect(try states().allSatisfy { $0.hasPrefix("not written: ") })
        _ = try programs.write()
        #expect(try states().first == "confirmed")
    }

    @Test func `without instances a user has what everybody has, and it is said for whom`() throws {
        try machine.policy(
            "20-alice.json",
            #"{ "Identifier": "b", "Target": { "Users": ["alice"] }, "Forced": { "org.chromium.Chromium": { "C": 3 } } }"#
        )
        _ = try programs.write()
        try testify(["A": .confirmed, "B": .confirmed, "C": .confirmed])
        let before = try states("alice", ["A", "C"])
        #expect(before.first == "confirmed" && before.last?.hasPrefix("not enforced: ") == true)
        func readers(_ key: Key) throws -> [MachinePrograms.Enforcement.Readers?] {
            try programs.enforcements().enforcements(domain: "org.chromium.Chromium", key: key, of: "alice").map(
                \.readers)
        }
        #expect(try readers("A") == [.everybody])
        try LoginInstances.setEnabled(true, in: machine.root)
        _ = try programs.write()
        #expect(try readers("A") == [.sessions] && readers("C") == [.sessions])
        #expect(try states("alice", ["A", "C"]) == ["written", "written"], "another file was asked about")
        try testify(["A": .confirmed, "C": .confirmed])
        #expect(try states("alice", ["A", "C"]) == ["confirmed", "confirmed"])
    }

    // MARK: The record

    @Test(arguments: [0o646, 0o662]) func `a record that others can write is not taken`(_ mode: mode_t) throws {
        try testify()
        try machine.setMode("var/lib/managed-defaults/testimony", mode)
        #expect(try states() == ["written", "written"])
        #expect(try programs.preview().recordFault?.contains("testimony") == true)
    }

    @Test func `a link into a folder of others is not taken`() throws {
        try testify()
        let path = "var/lib/managed-defaults/testimony"
        try machine.makeDirectory("home/bob/x")
        try machine.setMode("home/bob/x", 0o777)
        try FileManager.default.moveItem(atPath: machine(path), toPath: machine("home/bob/x/testimony"))
        try FileManager.default.createSymbolicLink(
            atPath: machine(path), withDestinationPath: "../../../home/bob/x/testimony")
        #expect(try states() == ["written", "written"])
        #expect(try programs.preview().recordFault != nil)
    }

    @Test func `the record reads back, and nothing else reads`() throws {
        var record = TestimonyRecord()
        let policy = ProgramPolicy([])
        let places = [("d", ""), ("d e", "k\n"), ("ü", "-")].map {
            TestimonyRecord.Place(domain: Key($0.0), key: Key($0.1))
        }
        let words: [TestimonyRecord.Word] = [.confirmed, .denied("a b\n%ü"), .denied("-")]
        record.set(
            TestimonyRecord.Answers(
                version: SHA256.hash([1]), time: Timestamp(microseconds: -1),
                words: Dictionary(uniqueKeysWithValues: zip(places, words))),
            for: TestimonyRecord.Question(VisualStudioCode(), policy))
        record.set(
            TestimonyRecord.Answers(version: SHA256.hash([2]), time: Timestamp(microseconds: 5), isFailure: true),
            for: TestimonyRecord.Question(KDE(), policy))
        let bytes = record.encoded
        #expect(try TestimonyRecord(bytes) == record)
        var random = SplitMix(state: 36)
        for _ in 0..<2_000 {
            var damaged = bytes
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            if damaged != bytes { #expect(throws: StoredFileError.self) { try TestimonyRecord(damaged) } }
            // With a good checksum too, nothing but a record is taken.
            var lines = ChecksummedLines(header: "managed-defaults testimony 2")
            for line in bytes.dropLast(72).split(separator: 0x0a).dropFirst() {
                var fields = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
                switch Int.random(in: 0..<4, using: &random) {
                case 0: fields.removeLast()
                case 1: fields.append("x")
                case 2: fields[Int.random(in: fields.indices, using: &random)] = "%"
                default: break
                }
                lines.add(fields)
            }
            if let taken = try? TestimonyRecord(lines.sealed) {
                #expect(taken == record || taken.encoded == lines.sealed)
            }
        }
    }

    @Test func `words are bounded and one line, and a sensitive key has none`() throws {
        let origin = Origin(policy: "p", file: "/p.json", position: Position(line: 1, column: 1, offset: 0))
        func answer(_ key: Key, _ result: WitnessAnswer.Result, _ note: String) -> WitnessAnswer {
            WitnessAnswer(
                ProgramEntry(
                    domain: "d", key: key, level: .forced(.string("s3cret")), origin: origin, digest: SHA256.hash([])),
                result, value: .string("s3cret"), note: note)
        }
        var testimony = Testimony()
        testimony.answers = [
            answer("long", .error, String(repeating: "ü", count: 1_000)), answer("lines", .differs, "one.\ntwo"),
            answer("secret", .error, "s3cret is wrong"), answer("none", .differs, ""), answer("open", .unknown, "?"),
            answer("good", .enforced, "s3cret"), answer("default", .isDefault, ""),
        ]
        let answers = TestimonyRecord.Answers(
            testimony, version: SHA256.hash([]), time: Timestamp(microseconds: 0)
        ) { $0.key == "secret" }
        func word(_ key: Key) -> TestimonyRecord.Word? { answers.words[TestimonyRecord.Place(domain: "d", key: key)] }
        #expect(word("long") == .denied(String(repeating: "ü", count: 150)))
        #expect(word("lines") == .denied("one") && word("none") == .denied("it has another value"))
        #expect(word("secret") == .denied("what it says is not shown") && word("open") == nil)
        #expect(word("good") == .confirmed && word("default") == .confirmed)
        var record = TestimonyRecord()
        record.set(answers, for: TestimonyRecord.Question(VisualStudioCode(), ProgramPolicy([])))
        #expect(!String(decoding: record.encoded, as: UTF8.self).contains("s3cret"))
    }

    // MARK: The child's answer

    @Test func `testimony comes back from the child, and anything else is refused`() throws {
        let origin = Origin(policy: "p", file: "/p.json", position: Position(line: 1, column: 1, offset: 0))
        let policy = ProgramPolicy(
            ["A", "B"].map { (key: Key) in
                ProgramEntry(domain: "d", key: key, level: .absent, origin: origin, digest: SHA256.hash([]))
            })
        var testimony = Testimony()
        testimony.answers = [
            WitnessAnswer(policy.entries[1], .differs, value: .array([.real(1), .date(0.5)]), note: "n")
        ]
        testimony.foreign = [("F", .dictionary(["$date": .string("x")]))]
        testimony.remarks = ["r"]
        let bytes = testimony.encoded(about: policy)
        let read = try #require(Testimony(bytes, about: policy))
        #expect(read.answers.map(\.entry.key) == ["B"] && read.answers.map(\.value) == testimony.answers.map(\.value))
        #expect(read.foreign.map(\.value) == testimony.foreign.map(\.value) && read.remarks == ["r"])
        let text = String(decoding: bytes, as: UTF8.self)
        for (part, other) in [
            ("\"entry\":1", "\"entry\":2"), ("\"entry\":1", "\"entry\":-1"), ("differs", "obeys"), ("[\"r\"]", "[1]"),
            ("\"answers\":[", "\"answers\":[{\"entry\":1,\"result\":\"enforced\",\"note\":\"\"},"), ("{", ""),
        ] {
            #expect(
                Testimony(Array(text.replacingOccurrences(of: part, with: other).utf8), about: policy) == nil,
                "\(other)")
        }
        #expect(Testimony(bytes, about: ProgramPolicy([])) == nil)
    }
}
