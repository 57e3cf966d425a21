import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPreferences

struct DomainNameTests {
    @Test(arguments: [
        "", "../evil", "..", "a..b", "/etc/passwd", "a/b", "a\u{0}b", "a\nb", "a\u{7f}b", "a\u{85}b",
        ".GlobalPreferences",
        String(repeating: "x", count: 181), String(repeating: "é", count: 91),
    ])
    func `a name that could reach another file is refused`(name: String) throws {
        #expect(throws: PreferencesError.self) { try DomainName.validate(Key(name)) }
        let home = try TemporaryFolder()
        #expect(throws: PreferencesError.self) { try home.preferences().read(Key(name), host: .anyHost) }
        #expect(throws: PreferencesError.self) {
            try home.preferences().update(Key(name), host: .anyHost, ["a": .integer(1)])
        }
        #expect(throws: PreferencesError.self) { try home.preferences().remove(Key(name), host: .thisHost) }
        #expect(try home.names(in: ".") == [])
    }

    @Test(arguments: [
        "org.example.Browser", "a", "NSGlobalDomain", "mit Leerzeichen", "Ünïcode", ".hidden", "trailing.",
        String(repeating: "x", count: 180),
    ])
    func `any other name can be stored, for any host and for this one`(name: String) throws {
        let home = try TemporaryFolder()
        for host in HostScope.allCases {
            _ = try home.preferences().update(Key(name), host: host, ["a": .integer(1)])
            #expect(try home.preferences().read(Key(name), host: host)?.values == ["a": .integer(1)])
        }
    }

    @Test func `the longest name can be set aside`() throws {
        let home = try TemporaryFolder()
        let name = Key(String(repeating: "x", count: DomainName.maximumBytes))
        let path = try home.preferences().path(of: name, host: .thisHost)
        try home.put("{", at: String(path.dropFirst(home.path.count + 1)))
        let result = try home.preferences().update(name, host: .thisHost, ["a": .integer(1)])
        #expect(result.damaged.count == 1)
    }

    @Test func `files are named as Foundation names them`() throws {
        let preferences = PreferencesDirectory(
            root: .system, directory: "/home/a/.config", machineID: "feed", owner: 0)
        #expect(try preferences.path(of: "org.x", host: .anyHost) == "/home/a/.config/org.x.plist")
        #expect(try preferences.path(of: "org.x", host: .thisHost) == "/home/a/.config/ByHost/org.x.feed.plist")
        #expect(
            try preferences.path(of: DomainName.global, host: .anyHost) == "/home/a/.config/.GlobalPreferences.plist")
        #expect(
            try preferences.path(of: DomainName.global, host: .thisHost)
                == "/home/a/.config/ByHost/.GlobalPreferences.feed.plist")
    }

    @Test(arguments: ["", "../../x", "a/b", "a.b", String(repeating: "f", count: 65), "ü"])
    func `a machine identifier that is no plain word is not part of a file name`(machineID: String) throws {
        let preferences = PreferencesDirectory(root: .system, directory: "/c", machineID: machineID, owner: 0)
        #expect(try preferences.path(of: "org.x", host: .thisHost) == "/c/ByHost/org.x..plist")
    }
}
