import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPreferences

struct PreferencesRefusalTests {
    /// Expects that reading, writing and removing are refused within a second, and change nothing.
    private func expectRefusal(
        in home: TemporaryFolder, containing words: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let preferences = home.preferences()
        let before = try Root.system.status(home.config + "/org.x.plist", followingLinks: false)
        let start = ContinuousClock.now
        let operations: [() throws -> Void] = [
            { _ = try preferences.read("org.x", host: .anyHost) },
            { _ = try preferences.update("org.x", host: .anyHost, ["a": .integer(1)]) },
            { _ = try preferences.replace("org.x", host: .anyHost, with: [:]) },
            { _ = try preferences.remove("org.x", host: .anyHost) },
        ]
        for operation in operations {
            let error = #expect(throws: PreferencesError.self, sourceLocation: sourceLocation) { try operation() }
            guard case .refused(let path, let reason) = error else {
                Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
                continue
            }
            #expect(path == home.config + "/org.x.plist", sourceLocation: sourceLocation)
            #expect(reason.contains(words), sourceLocation: sourceLocation)
        }
        #expect(ContinuousClock.now - start < .seconds(1), sourceLocation: sourceLocation)
        let after = try Root.system.status(home.config + "/org.x.plist", followingLinks: false)
        #expect(before == after, sourceLocation: sourceLocation)
    }

    /// A home with an empty folder of preferences.
    private func makeHome() throws -> TemporaryFolder {
        let home = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: home.config, withIntermediateDirectories: true)
        return home
    }

    @Test func `a folder is refused`() throws {
        let home = try makeHome()
        try FileManager.default.createDirectory(
            atPath: home.config + "/org.x.plist", withIntermediateDirectories: false)
        try expectRefusal(in: home, containing: "is a directory")
    }

    @Test(.enabled(if: Tool.mknod.isAvailable, "mknod is not installed"))
    func `a fifo is refused and does not hang`() throws {
        let home = try makeHome()
        try #require(try Tool.mknod.run([home.config + "/org.x.plist", "p"]) == 0)
        try expectRefusal(in: home, containing: "is a fifo")
    }

    @Test(.enabled(if: Tool.mknod.isAvailable && CurrentProcess.euid == 0, "only root makes devices"))
    func `a device is refused`() throws {
        let home = try makeHome()
        // Some containers keep devices from root as well; then there is nothing that could be refused.
        guard try Tool.mknod.run([home.config + "/org.x.plist", "c", "1", "3"]) == 0 else {
            print("skipped: no device can be made here")
            return
        }
        try expectRefusal(in: home, containing: "is a character device")
    }

    @Test(.enabled(if: Tool.python3.isAvailable, "python3 is not installed"))
    func `a socket is refused`() throws {
        let home = try makeHome()
        let script = "import os, socket, sys; os.chdir(sys.argv[1]); socket.socket(socket.AF_UNIX).bind('org.x.plist')"
        try #require(try Tool.python3.run(["-c", script, home.config]) == 0)
        try expectRefusal(in: home, containing: "is a socket")
    }

    @Test(.enabled(if: CurrentProcess.euid == 0, "only root gives files away"))
    func `another owner's file is refused`() throws {
        let home = try makeHome()
        let path = try home.put("{ a = b; }", at: ".config/org.x.plist")
        try FileManager.default.setAttributes([.ownerAccountID: 54_321], ofItemAtPath: path)
        try expectRefusal(in: home, containing: "belongs to uid 54321")
    }

    @Test(arguments: ["/dev/null", "/dev/zero", "/etc/passwd", "../../outside.plist", "loop", "org.x.plist"])
    func `a link out of the home, and a link to itself, is refused`(target: String) throws {
        let home = try makeHome()
        try FileManager.default.createSymbolicLink(atPath: home.config + "/loop", withDestinationPath: "org.x.plist")
        try FileManager.default.createSymbolicLink(
            atPath: home.config + "/org.x.plist", withDestinationPath: target)
        try expectRefusal(in: home, containing: "link")
    }

    @Test(arguments: ["../dotfiles/x.plist", "HOME/dotfiles/x.plist", "../dotfiles/../dotfiles/./x.plist"])
    func `a link within the home stays, and its target is read and replaced`(target: String) throws {
        let home = try makeHome()
        try home.put("{ a = b; }", at: "dotfiles/x.plist")
        let link = home.config + "/org.x.plist"
        let target = target.replacingOccurrences(of: "HOME", with: home.path)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        #expect(try home.preferences().read("org.x", host: .anyHost)?.values == ["a": .string("b")])
        _ = try home.preferences().update("org.x", host: .anyHost, ["c": .string("d")])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
        #expect(
            try home.preferences().read("org.x", host: .anyHost)?.values == ["a": .string("b"), "c": .string("d")])
        #expect(try home.names(in: "dotfiles") == ["x.plist"])
        #expect(try home.mode(of: "dotfiles/x.plist") == 0o600)
    }

    @Test func `a damaged target of a link is set aside beside itself`() throws {
        let home = try makeHome()
        try home.put("{ a = ", at: "dotfiles/x.plist")
        try FileManager.default.createSymbolicLink(
            atPath: home.config + "/org.x.plist", withDestinationPath: "../dotfiles/x.plist")
        let result = try home.preferences().update("org.x", host: .anyHost, ["c": .string("d")])
        #expect(result.damaged.first?.setAsidePath.hasPrefix(home.path + "/dotfiles/x.plist.damaged-") == true)
        #expect(try home.names() == ["org.x.plist"])
    }

    @Test func `a link to a file that is not there yet makes that file`() throws {
        let home = try makeHome()
        try home.put("", at: "dotfiles/other")
        try FileManager.default.createSymbolicLink(
            atPath: home.config + "/org.x.plist", withDestinationPath: "../dotfiles/x.plist")
        #expect(try home.preferences().read("org.x", host: .anyHost) == nil)
        _ = try home.preferences().update("org.x", host: .anyHost, ["c": .string("d")])
        #expect(try home.names(in: "dotfiles") == ["other", "x.plist"])
    }

    @Test func `the folder itself may be a link to anywhere`() throws {
        let (home, elsewhere) = (try TemporaryFolder(), try TemporaryFolder())
        try FileManager.default.createSymbolicLink(atPath: home.config, withDestinationPath: elsewhere.path)
        _ = try home.preferences().update("org.x", host: .anyHost, ["c": .string("d")])
        #expect(try elsewhere.names(in: ".") == ["org.x.plist"])
    }

    @Test func `no link leads out of a root that is a folder`() throws {
        let home = try makeHome()
        try FileManager.default.createSymbolicLink(
            atPath: home.config + "/org.x.plist", withDestinationPath: "/etc/../../../etc/passwd")
        let preferences = try home.preferencesBeneathRoot()
        #expect(try preferences.read("org.x", host: .anyHost) == nil)
        try home.put("{ a = b; }", at: "etc/passwd")
        #expect(try preferences.read("org.x", host: .anyHost)?.values == ["a": .string("b")])
    }

    @Test func `a lock file that others can open is refused`() throws {
        let home = try makeHome()
        let path = try home.put("", at: ".config/.managed-defaults.lock")
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        #expect(throws: PreferencesError.self) {
            try home.preferences().update("org.x", host: .anyHost, ["a": .integer(1)])
        }
    }
}
