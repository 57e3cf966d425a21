import MDPlatform
import MDTestSupport
import Testing

@testable import MDCare

/// What `doctor --hardening` says of the ways around policy.
struct HardeningTests {
    /// The states of a way in a folder with these files.
    private func states(_ name: String, _ files: [String: String]) throws -> [HardeningWay.State] {
        let folder = try TemporaryFolder()
        for (path, text) in files { try folder.write(path, text) }
        return Hardening(of: try Root(directory: folder.path)).ways().filter { $0.name == name }.map(\.state)
    }

    @Test(
        arguments: [
            ([:], .unknown),
            (["user/max_user_namespaces": "63000\n"], .possible),
            (["user/max_user_namespaces": "0\n"], .closed),
            (["user/max_user_namespaces": "63000\n", "kernel/unprivileged_userns_clone": "0\n"], .closed),
            (["user/max_user_namespaces": "63000\n", "kernel/unprivileged_userns_clone": "1\n"], .possible),
            (["kernel/unprivileged_userns_clone": "1\n"], .unknown),
            (["user/max_user_namespaces": "63000\n", "kernel/apparmor_restrict_unprivileged_userns": "1\n"], .unknown),
            (["user/max_user_namespaces": "x\n"], .unknown),
        ] as [([String: String], HardeningWay.State)])
    func `User namespaces are closed only if the kernel says so`(_ files: [String: String], _ state: HardeningWay.State)
        throws
    {
        let seen = Dictionary(uniqueKeysWithValues: files.map { ("proc/sys/\($0)", $1) })
        #expect(try states("user-namespaces", seen) == [state])
    }

    @Test func `What a kernel lacks is possible, and what cannot be seen is unknown`() throws {
        for name in ["programs-in-memory", "debuggers"] {
            #expect(try states(name, [:]) == [.unknown])
            #expect(try states(name, ["proc/sys/kernel/ostype": "Linux\n"]) == [.possible])
        }
        #expect(try states("programs-in-memory", ["proc/sys/vm/memfd_noexec": "1\n"]) == [.possible])
        #expect(try states("programs-in-memory", ["proc/sys/vm/memfd_noexec": "2\n"]) == [.closed])
        #expect(try states("debuggers", ["proc/sys/kernel/yama/ptrace_scope": "1\n"]) == [.possible])
        #expect(try states("debuggers", ["proc/sys/kernel/yama/ptrace_scope": "2\n"]) == [.closed])
        #expect(try states("fuse", [:]) == [.closed])
        #expect(try states("fuse", ["etc/fuse.conf": "#user_allow_other\n"]) == [.closed])
        #expect(try states("fuse", ["etc/fuse.conf": "mount_max = 5\nuser_allow_other\n"]) == [.possible])
    }

    @Test(arguments: ["setuid-sandboxes", "terminals", "environment-gsettings", "flatpak"])
    func `No program is missing where no programs can be seen`(_ name: String) throws {
        #expect(try states(name, [:]) == [.unknown])
        #expect(try states(name, ["usr/bin/true": ""]) == [.closed])
    }

    @Test func `A place is where its last mount lies, and nothing is closed that was not looked at`() throws {
        let root = "21 1 8:1 / / rw,relatime - ext4 /dev/vda rw\n"
        let homes = "22 21 8:2 / /home rw,noexec - ext4 /dev/vdb rw\n"
        let files = ["etc/passwd": "eva:x:1001:1001::/home/eva:/bin/sh\n", "home/eva/.x": "", "tmp/.x": ""]
        /// The states of the home, of `/tmp` and of the sessions' folders.
        func found(_ mounts: String) throws -> [HardeningWay.State] {
            try states("executable-places", files.merging(["proc/self/mountinfo": mounts]) { $1 })
        }
        #expect(try states("executable-places", files) == [.unknown])
        #expect(try found(root) == [.possible, .possible, .unknown])
        #expect(try found(root + homes) == [.closed, .possible, .unknown])
        #expect(
            try found(root + homes + "23 22 8:3 / /home rw - ext4 /dev/vdc rw\n") == [.possible, .possible, .unknown])
        #expect(try found(root + "23 21 0:5 / /home rw - autofs auto rw\n") == [.unknown, .possible, .unknown])
        #expect(
            try found(
                root
                    + "24 21 0:6 / /tmp rw,nosuid,noexec shared:5 - tmpfs t rw\n25 21 0:7 / /run/user/1001 rw - tmpfs t rw\n"
            )
                == [.possible, .closed, .possible])
        #expect(try found(root + "24 21 0:6 / /tmpfiles rw,noexec - tmpfs t rw\n") == [.possible, .possible, .unknown])
    }
}
