import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPreferences

struct PreferencesLocationTests {
    /// An account whose home is `/home/alice`.
    private let alice = Account(name: "alice", uid: 1_234, gid: 1_234, fullName: "", home: "/home/alice/")

    @Test(
        arguments: [
            ([:], "/home/alice/.config", "/home/alice"),
            (["XDG_CONFIG_HOME": "/data/config//"], "/data/config", "/home/alice"),
            (["XDG_CONFIG_HOME": "config", "HOME": ""], "/home/alice/.config", "/home/alice"),
            (["HOME": "/tmp/h"], "/tmp/h/.config", "/tmp/h"),
            (["HOME": "/"], "/.config", "/"),
        ] as [([String: String], String, String)])
    func `the caller's environment decides if it is absolute`(
        environment: [String: String], directory: String, home: String
    ) {
        let location = PreferencesLocation(of: alice, root: .system, environment: environment, isCaller: true)
        #expect(location.directory == directory)
        #expect(location.home == home)
        #expect(location.owner == 1_234)
        let other = PreferencesLocation(of: alice, root: .system, environment: environment, isCaller: false)
        #expect(other.directory == "/home/alice/.config")
    }

    @Test func `another user's files are where the account says, whatever the environment`() {
        let location = PreferencesLocation(
            of: alice, root: .system, environment: ["XDG_CONFIG_HOME": "/evil", "HOME": "/evil"])
        #expect(location.directory == "/home/alice/.config" || CurrentProcess.uid == alice.uid)
    }

    @Test func `in a folder the environment means nothing, and its owner owns the homes`() throws {
        let home = try TemporaryFolder()
        let root = try Root(directory: home.path)
        let account = Account(name: "me", uid: CurrentProcess.uid, gid: 0, fullName: "", home: "/home/me")
        let location = PreferencesLocation(
            of: account, root: root, environment: ["XDG_CONFIG_HOME": "/evil", "HOME": "/evil"])
        #expect(location.directory == "/home/me/.config")
        #expect(location.owner == root.owner)
        try home.put("", at: "home/me/x")
        let preferences = PreferencesDirectory(of: account, root: root, environment: [:], machineID: nil)
        _ = try preferences.update("org.x", host: .anyHost, ["a": .integer(1)])
        #expect(try home.names(in: "home/me/.config") == ["org.x.plist"])
    }
}
