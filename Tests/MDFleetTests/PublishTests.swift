import Foundation
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
            log.output.contains("snapshot 1.1 of fleet school published, signed by Lab office (publisher): new term"))
    }

    @Test func `what changes is said by what each host reports`() throws {
        let school = try FleetSchool()
        let folder = try Self.folder(["10-site.json": FleetSchool.policy("one")])
        #expect(try Self.publish(school, folder).code == 0)
        #expect(try school.run().isInstalled)
        // The facts are older than the second snapshot, which the status names.
        let facts = try school.host.mdefaults(["policy", "facts"])
        #expect(facts.output.contains("\"Fleet\": true"), "\(facts)")
        try school.centre.write("\(CentreFolder.path)/facts/pc.json", facts.output)
        try folder.write("10-site.json", FleetSchool.policy("two"))
        #expect(try Self.publish(school, folder).code == 0)
        for (name, serial) in [("room1-pc03", 2), ("room1-pc04", 1)] {
            let host = try #require(FleetHost(name))
            var status = HostStatus(host: host, time: school.now, machine: "m", version: "1")
            (status.epoch, status.serial) = (1, serial)
            try school.centre.write(CentreFolder.status(host), status.bytes)
        }
        try folder.write("10-site.json", FleetSchool.policy("three"))
        let result = try Self.publish(school, folder, ["--dry-run"])
        #expect(result.code == 0, "\(result)")
        #expect(result.output.contains("By the last status room1-pc03 has snapshot 1.2.\n"), "\(result)")
        #expect(
            result.output.contains("- forced = \"two\"") && result.output.contains("+ forced = \"three\""), "\(result)")
        #expect(result.output.contains("It is unknown what changes on room1-pc04: no facts are here"), "\(result)")
        #expect(result.output.hasSuffix("nothing was published\n"), "\(result)")
        #expect(try SnapshotPublisher(root: school.centre.root).next.serial == 3)
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
