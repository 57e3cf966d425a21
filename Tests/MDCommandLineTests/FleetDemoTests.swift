import Foundation
import MDTestSupport
import Testing

/// The school that `fleet demo` makes, and what its pages say of it.
struct FleetDemoTests {
    @Test(
        .timeLimit(.minutes(5)),
        .enabled(
            if: ["openssl", "ssh-keygen"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") },
            "openssl or ssh-keygen is not installed"))
    func `the demo has machines that were set back, silent, behind and copied, which the pages name`() throws {
        let folder = try TemporaryFolder(named: "fleet")
        let school = folder.path + "/school"
        let process = MDefaultsProcess(folder: folder.path)
        let made = try process.run(["fleet", "demo", school])
        #expect(made.code == 0, "\(made.error)")
        #expect(try process.run(["fleet", "demo", school]).code == 4)

        let page = try process.run(["--root", school, "fleet", "page", "-o", folder.path + "/pages"])
        #expect(page.code == 0)
        #expect(page.output.contains("26 of 30 hosts are in order; 2 have an alarm, 1 is silent, 1 needs mending."))
        let all = String(decoding: try folder.read("pages/administrator.html"), as: UTF8.self)
        for words in [
            "pc07 was set back to an earlier state", "silent since ", "A copy of pc23 speaks as pc23",
            "room1: 13 of 15 in order", "room2: 13 of 15 in order", "snapshot 1.2 of ", "1.2, of 2 hours ago",
            "says that it refused 20-term.json: the administrator of this machine", "1.1, older than the published one",
        ] {
            #expect(all.contains(words), "\(words)")
        }
        let short = String(decoding: try folder.read("pages/headmaster.html"), as: UTF8.self)
        #expect(short.contains("26 of 30 computers are in order; 2 have an alarm, 1 is silent, 1 needs mending."))
        #expect(short.firstMatch(of: /pc[0-9]|anna|ben\b|browser/.ignoresCase()) == nil)

        // The mirrors are folders of logs, and what a machine sends after the demo is taken.
        let mirror = "\(school)/var/lib/managed-defaults-fleet/hosts/pc01"
        #expect(try process.run(["--root", mirror, "audit", "verify"]).code == 0)
        #expect(try process.run(["--root", "\(school)/machines/pc12", "fleet", "run"]).code == 0)
        #expect(try process.run(["--root", school, "fleet", "collect"]).code == 0)
        let status = try process.run(["--root", school, "fleet", "status"])
        #expect(status.code == 1)
        #expect(
            status.output.contains("27 of 30 hosts are in order; 2 have an alarm, 1 needs mending."), "\(status.output)"
        )
        // What was published can be changed and published again, with what it changes on each machine.
        let again = try process.run(["--root", school, "fleet", "publish", "\(school)/policies", "--dry-run"])
        #expect(again.code == 0 && again.output.hasPrefix("No file differs.\nBy the last status "), "\(again)")
        #expect(again.output.contains("pc19 has snapshot 1.1.") && !again.output.contains("unknown"), "\(again)")
    }
}
