import Foundation
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDFleet
import MDPlatform
import MDTestSupport
import Testing

/// What a host sends, and what it believes.
@Suite struct HostRunTests {
    private static let minute: Int64 = 60_000_000

    /// Limits of a log with eight records a segment.
    private static func limits(deleting: Bool = false) -> LogLimits {
        var limits = LogLimits()
        limits.segment = 8
        if deleting { (limits.youngest, limits.oldest) = (0, 0) }
        return limits
    }

    @Test func `records arrive byte for byte, and go on from what the centre has`() throws {
        let school = try TestSchool()
        try school.append(3)
        try school.turn()
        let first = try school.collect()
        #expect(try first.lines == school.lines())
        #expect(first.first == 1 && first.checkpoint.signatures.count == 1)
        #expect(try school.turn().problems == [])
        #expect(try school.file(.batch) == nil && school.status().waiting == 0)
        try school.append(2)
        try school.turn()
        #expect(try school.status().waiting == 2 && school.status().waitingSince != nil)
        let second = try school.collect()
        let all = try school.lines()
        #expect(second.first == 4 && second.last == 5 && second.lines == Array(all.suffix(2)))
    }

    @Test func `a batch that waits is not sent again, and one that is gone is`() throws {
        let school = try TestSchool()
        try school.append(1)
        try school.turn()
        try school.append(1)
        try school.turn()
        #expect(try school.batch().last == 1)
        try school.drop(.batch)
        school.now = Timestamp(microseconds: school.now.microseconds + 5 * HostRunTests.minute)
        try school.turn()
        #expect(try school.batch().last == 2)
    }

    @Test func `the lines of segments and of the current file are one run`() throws {
        let school = try TestSchool()
        try school.append(20, HostRunTests.limits())
        try school.turn()
        #expect(try school.collect().lines == school.lines())
        try school.append(9, HostRunTests.limits())
        try school.turn()
        #expect(try school.collect().first == 21 && school.trees.values.first?.size == 29)
    }

    @Test func `what retention deleted goes as roots, from the beginning of its segment`() throws {
        let school = try TestSchool()
        try school.append(4, HostRunTests.limits())
        try school.turn()
        try school.collect()
        try school.append(17, HostRunTests.limits(deleting: true))
        try school.turn()
        let batch = try school.collect()
        #expect(batch.first == 1 && batch.last == 21 && batch.lines.count == 5)
        #expect(batch.parts.count == 3)
    }

    @Test func `a log that is packed larger than a batch may be goes in parts`() throws {
        let school = try TestSchool()
        var random = SplitMix(state: 1)
        try school.append(640) {
            (0..<512).map { _ in String(UInt32.random(in: .min ... .max, using: &random), radix: 36) }.joined()
        }
        try school.turn()
        let first = try school.collect()
        #expect(first.first == 1 && (1..<640).contains(first.last))
        try school.turn()
        #expect(try school.collect().last == 640)
    }

    @Test(arguments: [0, 3, 5])
    func `a machine that was set back begins another log once, and announces it`(grown: Int) throws {
        let school = try TestSchool()
        try school.append(2)
        try school.turn()
        try school.collect()
        let copy = try school.save()
        try school.append(3)
        try school.turn()
        let old = try school.collect()
        try school.setBack(to: copy)
        try school.append(grown)
        let outcome = try school.turn()
        #expect(outcome.problems.count == 1 && outcome.problems.first?.contains("set back") == true)
        let batch = try school.batch()
        let announced = LogAnnouncement(line: batch.lines.first ?? [])
        #expect(announced == LogAnnouncement(.setBack, of: old.log, last: 2 + grown))
        #expect(batch.first == 1 && batch.log != old.log)
        try school.collect()
        #expect(try school.turn().problems == [])
        // A second time in one boot is not believed to be an accident.
        let size = try school.checkpoint().size
        try school.acknowledge(Acknowledgement(log: batch.log, size: size + 9, .held(batch.checkpoint.root)))
        let again = try school.turn()
        #expect(again.problems.first?.contains("already begun since the boot") == true)
        #expect(try school.file(.batch) == nil)
    }

    @Test func `records of this boot come with the log that is begun after a set-back`() throws {
        let school = try TestSchool()
        let boot = "0a0a0a0a-0a0a-0a0a-0a0a-0a0a0a0a0a0a"
        try school.append(2)
        try school.append(3, boot: boot) { "new" }
        try school.machine.write("proc/sys/kernel/random/boot_id", boot + "\n")
        let log = try school.checkpoint()
        try school.acknowledge(Acknowledgement(log: log.logID, size: 9, .held(log.root)))
        try school.turn()
        let lines = try school.collect().lines
        #expect(lines.count == 4)
        for line in lines.dropFirst() { #expect(try AuditRecord(line: line[...]).note == "new") }
        #expect(try lines.map { try AuditRecord(line: $0[...]).seq } == [1, 2, 3, 4])
        #expect(AuditVerifier.verify(root: school.machine.root).status == .gaps)
    }

    @Test(arguments: [0, 2])
    func `a machine that resets at each boot begins a log at each, without a problem`(image: Int) throws {
        let school = try TestSchool()
        school.configuration.resetsAtBoot = true
        try school.append(image)
        let copy = try school.save()
        try school.append(1)
        #expect(try school.turn().problems == [])
        let first = try school.collect()
        #expect(LogAnnouncement(line: first.lines[0])?.succession == .resetAtBoot)
        try school.append(1)
        try school.turn()
        #expect(try school.collect().log == first.log)
        // The next boot: the disk is that of the image, and knows nothing of the log that the centre has.
        try school.setBack(to: copy)
        try school.machine.write("proc/sys/kernel/random/boot_id", "0b0a0a0a-0a0a-0a0a-0a0a-0a0a0a0a0a0a\n")
        #expect(try school.turn().problems == [])
        let second = try school.collect()
        #expect(second.first == 1 && second.log != first.log)
        #expect(LogAnnouncement(line: second.lines[0]) == LogAnnouncement(.resetAtBoot, of: first.log, last: 0))
    }

    @Test func `a copy of an enrolled machine sends only that it is one`() throws {
        let school = try TestSchool()
        school.configuration.machine = FleetMachine(of: school.machine.root).text
        try school.append(2)
        try school.turn()
        try school.collect()
        try school.machine.write("etc/machine-id", String(repeating: "b", count: 32) + "\n")
        try school.append(2)
        let outcome = try school.turn()
        #expect(outcome.problems.count == 1)
        #expect(try school.status().copyOf == school.host && school.file(.batch) == nil)
        // Enrolled itself, it sends its own log from the first record on, which says whose log was there.
        school.configuration.machine = FleetMachine(of: school.machine.root).text
        try school.turn()
        let batch = try school.collect()
        #expect(LogAnnouncement(line: batch.lines[0])?.succession == .copied && batch.first == 1)
        #expect(try school.status().copyOf == nil)
    }

    @Test func `a refusal keeps everything, is said, and is asked about each hour`() throws {
        let school = try TestSchool()
        try school.append(2)
        try school.turn()
        let log = try school.batch().log
        try school.drop(.batch)
        try school.acknowledge(Acknowledgement(log: log, size: 1, .refused(.altered)))
        for minutes: Int64 in [1, 30] {
            school.now = Timestamp(microseconds: school.now.microseconds + minutes * HostRunTests.minute)
            #expect(try school.turn().problems.count == 1)
            #expect(try school.file(.batch) == nil && school.status().refused == .altered)
        }
        school.now = Timestamp(microseconds: school.now.microseconds + 30 * HostRunTests.minute)
        try school.turn()
        #expect(try school.batch().first == 2)
    }

    @Test func `a status goes each five minutes and at a change, a report each hour if it says something new`() throws {
        let school = try TestSchool()
        /// What a turn sends after some minutes.
        func sent(after minutes: Int64) throws -> [String] {
            school.now = Timestamp(microseconds: school.now.microseconds + minutes * HostRunTests.minute)
            return try school.turn().done
        }
        #expect(try sent(after: 0) == ["Sent the report.", "Sent the status."])
        #expect(try sent(after: 4) == [])
        #expect(try sent(after: 1) == ["Sent the status."])
        try school.machine.write("etc/managed-defaults/tags", "room7\n")
        #expect(try sent(after: 1) == ["Sent the status."])
        #expect(try school.status().room == "room7")
        #expect(try sent(after: 60) == ["Sent the report.", "Sent the status."])
        #expect(try sent(after: 61) == ["Sent the status."])
    }

    @Test func `what the centre says is not believed if it is no acknowledgement`() throws {
        let school = try TestSchool()
        try school.append(1)
        try school.centre.write("ack/pc01", "all of it\n")
        #expect(try school.turn().problems.first?.contains("is no acknowledgement") == true)
        #expect(try school.file(.batch) == nil && school.file(.status) != nil)
    }

    @Test func `a log that is not what its checkpoint says is not sent`() throws {
        let school = try TestSchool()
        try school.append(3)
        let path = "var/log/managed-defaults/current.jsonl"
        try school.machine.write(path, try school.machine.text(path).replacingOccurrences(of: "\"b\"", with: "\"c\""))
        #expect(try school.turn().problems.first?.contains("not those that the checkpoint covers") == true)
        #expect(try school.file(.batch) == nil)
    }

    @Test(SystemTools.needed("openssl")) func `the newest checkpoint is signed with the key of the machine`() throws {
        let school = try TestSchool()
        let made = try Subprocess.run(
            "/usr/bin/openssl", ["genpkey", "-algorithm", "ed25519"], timeoutMilliseconds: 10_000, limit: 4_096)
        try school.machine.root.createDirectory("/etc/managed-defaults", mode: 0o755)
        try school.machine.root.replace(CheckpointSigner.path, with: made.output, mode: 0o600)
        try school.append(1)
        try school.turn()
        let signer = try #require(try CheckpointSigner(of: school.machine.root))
        let verifier = try #require(CheckpointVerifier(publicKeyPEM: signer.publicKeyPEM))
        let checkpoint = try school.batch().checkpoint
        #expect(try verifier.verifies(checkpoint) == true && checkpoint.signatures.count == 2)
    }

    @Test func `the command says what it did, and doctor what became of it`() throws {
        let school = try TestSchool()
        /// Exit code and messages of a verb.
        func run(_ words: String...) throws -> (Int32, String) {
            let result = try school.machine.mdefaults(words)
            return (result.code, result.output + result.error)
        }
        #expect(try run("fleet", "run").0 == 1)
        try school.machine.write("etc/managed-defaults/fleet.json", "{\"Fleet\": \"school\",\n \"Host\": \"PC 1\"}\n")
        let broken = try run("fleet", "run")
        #expect(broken.0 == 5 && broken.1.contains("fleet.json: 2:10: Host: this is no name of a host"))
        try school.machine.write(
            "etc/managed-defaults/fleet.json", String(decoding: school.configuration.bytes, as: UTF8.self))
        #expect(try run("doctor", "-v").1.contains("has sent nothing to its centre"))
        try school.append(1)
        let good = try run("fleet", "run")
        #expect(good.0 == 0 && good.1.contains("Sent records 1 to 1 of the log"))
        #expect(try run("doctor", "-v").1.contains("answers, and lacks 1 record."))
        try FileManager.default.removeItem(atPath: school.centre.path)
        let away = try run("fleet", "run")
        #expect(away.0 == 4 && away.1.contains(school.centre.path))
        #expect(try run("doctor", "-v").1.contains(school.centre.path))
    }
}
