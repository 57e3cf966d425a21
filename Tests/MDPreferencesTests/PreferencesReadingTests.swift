import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPreferences

struct PreferencesReadingTests {
    /// A domain in each encoding that a file may have.
    private static let encodings: [(String, Format)] = [
        ("<plist version=\"1.0\"><dict><key>Size</key><string>big</string></dict></plist>", .xml),
        ("{ Size = big; }", .openStep),
    ]

    @Test func `a missing file, folder or home is no domain and no error`() throws {
        let home = try TemporaryFolder()
        for host in HostScope.allCases {
            #expect(try home.preferences().read("org.x", host: host) == nil)
        }
        #expect(try home.preferences().domains() == [])
        #expect(try home.names(in: ".") == [])
    }

    @Test(arguments: encodings) func `each encoding is read`(text: String, format: Format) throws {
        let home = try TemporaryFolder()
        let path = try home.put(text, at: ".config/org.x.plist")
        let domain = try #require(try home.preferences().read("org.x", host: .anyHost))
        #expect(domain.values == ["Size": .string("big")])
        #expect(domain.format == format)
        #expect(domain.path == path)
        #expect(try home.preferencesBeneathRoot().read("org.x", host: .anyHost)?.values == domain.values)
    }

    @Test(arguments: ["", " ", "{", "{ a = b", "<plist><dict>", "bplist00", "( a, b )", "[1]", "\u{feff}", "<plist/>"])
    func `a damaged file is an error with its position, and remains`(text: String) throws {
        let home = try TemporaryFolder()
        let path = try home.put(text, at: ".config/org.x.plist")
        let error = try #require(throws: PreferencesError.self) {
            try home.preferences().read("org.x", host: .anyHost)
        }
        guard case .damaged(path, let mistake) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(error.description.hasPrefix("\(path):\(mistake.position): the preference file is damaged: "))
        #expect(try home.bytes(at: ".config/org.x.plist") == Array(text.utf8))
        #expect(try home.names() == ["org.x.plist"])
    }

    @Test func `a file cut short anywhere is whole, an error, or never a part of it`() throws {
        let home = try TemporaryFolder()
        _ = try home.preferences().update(
            "org.x", host: .anyHost, ["a": .string("1"), "b": .array([.integer(2)]), "c": .data([1, 2, 3])])
        let whole = try home.bytes(at: ".config/org.x.plist")
        let values = try #require(try home.preferences().read("org.x", host: .anyHost)).values
        for length in 0..<whole.count {
            switch PreferenceFile.parse(
                Array(whole.prefix(length)), path: "/x", status: try Root.system.status("/", followingLinks: true))
            {
            case .success(let domain): #expect(domain.values == values, "cut at \(length)")
            case .failure: continue
            }
        }
    }

    @Test func `the global domain and per-host domains are read under Foundation's names if ours are missing`()
        throws
    {
        let home = try TemporaryFolder()
        try home.put("{ a = foreign; }", at: ".config/NSGlobalDomain.plist")
        try home.put("{ a = foreign; }", at: ".config/ByHost/org.x..plist")
        let preferences = home.preferences()
        #expect(try preferences.read(DomainName.global, host: .anyHost)?.values == ["a": .string("foreign")])
        #expect(try preferences.read("org.x", host: .thisHost)?.values == ["a": .string("foreign")])
        try home.put("{ a = ours; }", at: ".config/.GlobalPreferences.plist")
        try home.put("{ a = ours; }", at: ".config/ByHost/org.x.0123456789abcdef0123456789abcdef.plist")
        #expect(try preferences.read(DomainName.global, host: .anyHost)?.values == ["a": .string("ours")])
        #expect(try preferences.read("org.x", host: .thisHost)?.values == ["a": .string("ours")])
    }

    @Test func `domains are listed sorted, without the global one and without what is no domain`() throws {
        let home = try TemporaryFolder()
        for name in [
            "b.plist", "a.plist", "B.plist", "ä.plist", ".GlobalPreferences.plist", "NSGlobalDomain.plist",
            "a.plist.damaged-20261120T080000Z", ".a.plist.abcdefghij.tmp", "a.txt", ".plist", "c..d.plist",
            "ByHost/e.x.plist",
        ] { try home.put("{}", at: ".config/\(name)") }
        _ = try home.preferences().update("b", host: .anyHost, ["k": .integer(1)])
        #expect(try home.preferences().domains() == ["B", "a", "b", "ä"])
    }

    @Test(.enabled(if: Tool.python3.isAvailable, "python3 is not installed"))
    func `a binary file of Python's plistlib is read, and stays binary when a key is saved`() throws {
        let home = try TemporaryFolder()
        try home.put("", at: ".config/empty")
        let path = home.config + "/org.x.plist"
        let script = """
            import plistlib, sys, datetime
            plistlib.dump({'s': 'é', 'i': 2**63, 'n': -1, 'b': True, 'r': 0.5, 'd': b'\\0\\1',
                't': datetime.datetime(2001, 1, 2), 'l': [1, 'x'], 'm': {'k': False}},
                open(sys.argv[1], 'wb'), fmt=plistlib.FMT_BINARY)
            """
        #expect(try Tool.python3.run(["-c", script, path]) == 0)
        var expected: [Key: Value] = [
            "s": .string("é"), "i": .integer(Integer(UInt64(1) << 63)), "n": .integer(-1), "b": .boolean(true),
            "r": .real(0.5), "d": .data([0, 1]), "t": .date(86_400), "l": .array([.integer(1), .string("x")]),
            "m": .dictionary(["k": .boolean(false)]),
        ]
        #expect(try home.preferences().read("org.x", host: .anyHost)?.values == expected)
        _ = try home.preferences().update("org.x", host: .anyHost, ["new": .string("v")])
        expected["new"] = .string("v")
        let domain = try #require(try home.preferences().read("org.x", host: .anyHost))
        #expect(domain.format == .binary)
        #expect(Value.areIdentical(domain.values, expected))
        let check = """
            import plistlib, sys
            d = plistlib.load(open(sys.argv[1], 'rb'))
            sys.exit(0 if d['new'] == 'v' and d['i'] == 2**63 and d['b'] is True and d['m'] == {'k': False} else 1)
            """
        #expect(try Tool.python3.run(["-c", check, path]) == 0)
    }

    @Test(.enabled(if: Tool.defaults.isAvailable, "GNUstep's defaults is not installed"))
    func `a file that GNUstep wrote is read`() throws {
        let home = try TemporaryFolder()
        // GNUstep asks the user database for the home, so the way from there to the folder of this test is spelt out.
        let folder = String(repeating: "../", count: 12) + home.config
        try home.put("", at: ".config/empty")
        let settings = try home.put("GNUSTEP_USER_DEFAULTS_DIR=\(folder)\nGNUSTEP_USER_DIR=\(folder)\n", at: "settings")
        let status = try Tool.defaults.run(
            ["write", "org.x", "Size", "big"], environment: ["GNUSTEP_CONFIG_FILE": settings])
        try #require(status == 0)
        #expect(try home.preferences().read("org.x", host: .anyHost)?.values["Size"] == .string("big"))
    }
}
