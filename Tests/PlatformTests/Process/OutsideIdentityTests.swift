import Foundation
import Testing

@testable import Platform

/// Who a process in a user namespace is outside of it.
struct OutsideIdentityTests {
    /// What stands before the options in the line of a mount.
    private static let start = "63 45 0:39 / / rw,nosuid,nodev,noexec,relatime - tmpfs managed-defaults"

    @Test(
        arguments: [
            ("rw,size=4k,nr_inodes=2,mode=700,uid=1001,gid=100", 1001, 100), ("rw,uid=1001", 1001, 0),
            ("rw,gid=4294967294,uid=4294967294,inode64", 4_294_967_294, 4_294_967_294),
        ] as [(String, UInt32, UInt32)])
    func `reads the owner of a mount`(_ options: String, _ uid: UInt32, _ gid: UInt32) {
        let line = "\(OutsideIdentityTests.start) \(options)\n"
        #expect(OutsideIdentity(mountLine: Array(line.utf8)) == OutsideIdentity(uid: uid, gid: gid))
        let shared = line.replacingOccurrences(of: "relatime -", with: "relatime shared:7 master:1 -")
        #expect(OutsideIdentity(mountLine: Array(shared.utf8)) == OutsideIdentity(uid: uid, gid: gid))
        // As far as the pipe gave it.
        for count in 0..<line.utf8.count { #expect(OutsideIdentity(mountLine: Array(line.utf8.prefix(count))) == nil) }
    }

    @Test(arguments: [
        "\(start) rw,size=4k", "\(start) rw,uid=0,gid=0", "\(start) rw,uid=4123456789,gid=100",
        "\(start) rw,uid=4294967296", "\(start) rw,uid=-1", "\(start) rw,uid=", "\(start) rw,uid=+5",
        "\(start) rw,uid=1,uid=2", "\(start) rw,uid=1,gid=x", "\(start) rw,uid=1,gid=1,gid=2",
        "\(start) rw,uid=1 more", "\(start) rw,uid=1\n\(start) rw,uid=2",
        "63 45 0:39 / / rw - tmpfs other rw,uid=1", "63 45 0:39 / / rw - ramfs managed-defaults rw,uid=1",
        "63 45 0:39 / /etc rw - tmpfs managed-defaults rw,uid=1",
        "63 45 0:39 /a / rw - tmpfs managed-defaults rw,uid=1",
        "", "- - -", "1 2 3 / / 6 -", "1 2 3 / / 6 - tmpfs managed-defaults",
    ])
    func `reads nothing out of any other line`(_ line: String) {
        #expect(OutsideIdentity(mountLine: Array("\(line)\n".utf8)) == nil)
    }
}
