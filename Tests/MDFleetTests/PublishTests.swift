import Foundation
import MDEngine
import MDFleet
import MDPlatform
import MDTestSupport
import Testing

/// `fleet publish`: what it shows, what it refuses, and what hosts then have.
@Suite(SystemTools.needed("ssh-keygen")) struct PublishTests {
    /// Writes a folder of policy beside a centre.
    private static func folder(_ files: [String: String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder(named: "policies")
        for (name, text) in files { try folder.write(name, text) }
        return folder
    }

    /// Runs it with the publisher's key.
    private static func publish(
        _ school: FleetSchool, _ folder: TemporaryFolder, _ more: [String] = ["--yes"]
    ) throws -> SpawnedProgram.Result {
        try school.centre.mdefaults(
            ["fleet", "publish", folder.path, "--key", school.path("publisher")] + more)
    }

    @Test func `a folder becomes the next snapshot, which hosts install, and the next one without a file removes it`()
        throws
    {
        let school = try FleetSchool()
        let folder = try Self.folder([
            "10-site.json": FleetSchool.policy("one"),
            "20-more.json": #"{ "Identifier": "m", "Forced": { "o": { "A": 1 } } }"#,
        ])
        let commit = String(repeating: "4", count: 40)
        try folder.write(".git/HEAD", commit + "\n")
        let first = try Self.publish(school, folder, ["--yes", "--reason", "new term"])
        #expect(first.code == 0, "\(first)")
        #expect(first.output.hasPrefix("Files: 10-site.json added, 20-more.json added.\n"), "\(first)")
        #expect(
            first.output.contains("snapshot 1.1 published, signed by Lab office (publisher); stale from "), "\(first)")
        #expect(try school.run().isInstalled)
        #expect(try school.page() == "one")
        try folder.remove("20-more.json")
        let second = try Self.publish(school, folder)
        #expect(second.code == 0 && second.output.hasPrefix("Files: 20-more.json removed.\n"), "\(second)")
        #expect(try school.run().number == SnapshotNumber(epoch: 1, serial: 2))
        #expect(school.host.names(TemporaryMachine.policyDirectory) == ["10-site.json"])
        let log = try school.centre.mdefaults(["audit", "list", "--kind", "policy"])
        #expect(
            log.output.contains(
                "snapshot 1.1 of fleet school published, signed by Lab office (publisher): new term, git commit \(commit)"
            ),
            "\(log)")
    }

    @Test func `what changes is said by what each host sent`() throws {
        let school = try FleetSchool()
        for name in ["in", "ack", "hosts/room1-pc04"] {
            try school.centre.root.createDirectory("\(CentreFolder.path)/\(name)", mode: 0o755)
        }
        let folder = try Self.folder(["10-site.json": FleetSchool.policy("one")])
        /// Lets the host look and send, and the centre take that.
        func send() throws {
            let way = try FolderTransport(school.centre.path + CentreFolder.path)
            let root = school.host.root
            var run = HostRun(root, school.configuration, over: way, now: school.now, version: "1") {
                PolicyMachine(root: root).policy()
            }
            _ = try run.run()
            #expect(try Collector.run(school.centre.root, now: school.now).alarms == [])
        }
        #expect(try Self.publish(school, folder).code == 0)
        try send()
        try folder.write("10-site.json", FleetSchool.policy("two"))
        let result = try Self.publish(school, folder, ["--dry-run"])
        #expect(result.code == 0, "\(result)")
        #expect(result.output.contains("By the last status room1-pc03 has snapshot 1.1.\n"), "\(result)")
        #expect(
            result.output.contains("- forced = \"one\"") && result.output.contains("+ forced = \"two\""), "\(result)")
        #expect(
            result.output.contains("It is unknown what changes on room1-pc04: no status has arrived."),
            "\(result)")
        #expect(result.output.contains("Nothing arrived lately of room1-pc04,"), "\(result)")
        let diff = try school.centre.mdefaults(["policy", "diff", folder.path, "--hosts"])
        #expect(diff.code == 1 && diff.output.contains("- forced = \"one\""), "\(diff)")
        // Its administrator changes policy, and the facts are older than that.
        try school.host.write("\(TemporaryMachine.policyDirectory)/20-own.json", #"{ "Identifier": "own" }"#)
        school.now = Timestamp(microseconds: school.now.microseconds + 60_000_000)
        try send()
        let older = try Self.publish(school, folder, ["--dry-run"])
        #expect(older.output.contains("room1-pc03: policy has changed there since the last facts"), "\(older)")
        // With the next report it is known, and so is a name that the host will refuse.
        school.now = Timestamp(microseconds: school.now.microseconds + 3_600_000_000)
        try send()
        try folder.write("20-own.json", #"{ "Identifier": "m", "Forced": { "o": { "A": 1 } } }"#)
        let own = try Self.publish(school, folder, ["--dry-run"])
        #expect(own.error.contains("room1-pc03 will refuse the snapshot"), "\(own)")
        #expect(own.output.hasSuffix("nothing was published\n"), "\(own)")
        let none = try school.host.mdefaults(["policy", "diff", folder.path, "--hosts"])
        #expect(none.code == 4 && none.error.contains("no centre of a fleet"), "\(none)")
    }

    @Test func `errors, a key that may not publish, and nobody to ask, publish nothing`() throws {
        let school = try FleetSchool()
        let folder = try Self.folder(["10-site.json": "{ \"Identifier\": \"x\",\n  \"Forced\": { \"org.x\": [] } }"])
        let broken = try Self.publish(school, folder)
        #expect(broken.code == 1 && broken.error.contains("10-site.json:2:"), "\(broken)")
        try folder.write("10-site.json", FleetSchool.policy("one"))
        let other = try Self.publish(school, folder, ["--yes", "--key", school.path("other")])
        #expect(other.code == 2, "\(other)")
        let wrong = try school.centre.mdefaults(
            ["fleet", "publish", folder.path, "--yes", "--key", school.path("other")])
        #expect(wrong.code == 4 && wrong.error.contains("may not publish"), "\(wrong)")
        #expect(try Self.publish(school, folder, []).code == 2)
        #expect(!school.centre.exists(CentreFolder.snapshot))
        let none = try school.host.mdefaults(["fleet", "publish", folder.path, "--yes"])
        #expect(none.code == 4 && none.error.contains("fleet init makes a centre"), "\(none)")
    }
}
