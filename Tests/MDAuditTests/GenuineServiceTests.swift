import Foundation
import MDPlatform
import MDTestSupport
import Testing

@testable import MDAuditClient

/// Which process at the service's path is the machine's audit service.
struct GenuineServiceTests {
    @Test(.enabled(if: geteuid() == 0, "needs root"))
    func `a service that is not the machine's own does not count`() throws {
        let machine = try TemporaryFolder()
        try machine.makeDirectory("run/mdefaultsd")
        let root = try Root(directory: machine.path)
        /// The status of the folder with an owner and a mode.
        func folder(owner: UInt32, mode: mode_t = 0o755) throws -> FileStatus {
            #expect(chown(machine("run/mdefaultsd"), owner, owner) == 0 && chmod(machine("run/mdefaultsd"), mode) == 0)
            return try root.status(RunFolder.serviceFolder, followingLinks: false)
        }
        /// Whether a user who listens there is the service.
        func isGenuine(_ user: UInt32, _ folder: FileStatus, _ isForeign: Bool, _ device: UInt64? = nil) -> Bool {
            GenuineService.isGenuine(user: user, folder: folder, isForeign: isForeign, device: device)
        }
        let own = try folder(owner: 321)
        #expect(isGenuine(321, own, false) && isGenuine(0, own, false))
        #expect(!isGenuine(1_000, own, false))
        let open = try folder(owner: 321, mode: 0o777)
        #expect(!isGenuine(321, open, false))
        let outside = try folder(owner: 65_534)
        let device = outside.device
        #expect(isGenuine(65_534, outside, true, device))
        // A friend's, in another folder; the user's own; one while nothing is known.
        #expect(!isGenuine(65_534, outside, true, device &+ 1))
        #expect(!isGenuine(0, outside, true, device) && !isGenuine(1_000, outside, true, device))
        #expect(!isGenuine(65_534, outside, true, nil))
        let mine = try folder(owner: 1_000)
        #expect(!isGenuine(65_534, mine, true, device))
    }

    @Test func `the device of the machine's run is known in the boot in which it was written`() throws {
        let machine = try TemporaryFolder()
        for folder in ["run", "var/lib/managed-defaults"] { try machine.makeDirectory(folder) }
        let boot = "proc/sys/kernel/random/boot_id"
        try machine.write(boot, "11111111-2222-3333-4444-555555555555\n")
        let root = try Root(directory: machine.path)
        #expect(RunFolder.recordedDevice(root: root) == nil)
        try RunFolder.recordDevice(root: root)
        #expect(RunFolder.recordedDevice(root: root) == (try root.status("/run", followingLinks: true).device))
        try machine.write(boot, "11111111-2222-3333-4444-666666666666\n")
        #expect(RunFolder.recordedDevice(root: root) == nil)
        try RunFolder.recordDevice(root: root)
        #expect(RunFolder.recordedDevice(root: root) != nil)
        #expect(chmod(machine("var/lib/managed-defaults/run.device"), 0o666) == 0)
        #expect(RunFolder.recordedDevice(root: root) == nil)
    }
}
