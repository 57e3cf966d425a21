import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPreferences

struct PreferencesWritingTests {
    /// A value of each type.
    private static let values: [Key: Value] = [
        "s": .string("a\u{301}\n<&>\"' \u{1f600}"), "b": .boolean(true), "i": .integer(Int.min),
        "u": .integer(Integer(UInt64.max)), "r": .real(0.1), "inf": .real(-.infinity), "t": .date(86_400),
        "d": .data([0, 255, 10]), "a": .array([.integer(1), .boolean(true), .array([])]),
        "m": .dictionary(["": .string(""), "k.k": .dictionary([:])]),
    ]

    @Test func `every type comes back as it was stored, and the file and its folders are the user's alone`() throws {
        let home = try TemporaryFolder()
        for host in HostScope.allCases {
            let result = try home.preferences().update(
                "org.x", host: host, PreferencesWritingTests.values.mapValues { $0 })
            #expect(result.isWritten)
            let domain = try #require(try home.preferences().read("org.x", host: host))
            #expect(Value.areIdentical(domain.values, PreferencesWritingTests.values))
            #expect(Value.areIdentical(domain.values, result.after))
            #expect(domain.format == .xml)
            #expect(domain.status.mode == 0o600)
        }
        #expect(try home.mode(of: ".config") == 0o700)
        #expect(try home.mode(of: ".config/ByHost") == 0o700)
        #expect(try home.mode(of: ".config/.managed-defaults.lock") == 0o600)
    }

    @Test func `only the keys that are named change`() throws {
        let home = try TemporaryFolder()
        try home.put("{ keep = 1; change = 2; remove = 3; }", at: ".config/org.x.plist")
        let result = try home.preferences().update(
            "org.x", host: .anyHost, ["change": .integer(5), "remove": nil, "new": .boolean(false)])
        #expect(result.before == ["keep": .string("1"), "change": .string("2"), "remove": .string("3")])
        #expect(result.after == ["keep": .string("1"), "change": .integer(5), "new": .boolean(false)])
        #expect(try home.preferences().read("org.x", host: .anyHost)?.values == result.after)
        #expect(try home.mode(of: ".config/org.x.plist") == 0o600)
        #expect(try home.names() == ["org.x.plist"])
    }

    @Test func `what is stored already is not written again, another type of the same number is`() throws {
        let home = try TemporaryFolder()
        let preferences = home.preferences()
        _ = try preferences.update("org.x", host: .anyHost, ["a": .integer(1), "r": .real(.nan)])
        let before = try #require(try preferences.read("org.x", host: .anyHost)).status
        for changes: [Key: Value?] in [["a": .integer(1), "gone": nil, "r": .real(.nan)], [:]] {
            #expect(try preferences.update("org.x", host: .anyHost, changes).isWritten == false)
            #expect(try preferences.read("org.x", host: .anyHost)?.status == before)
        }
        for value: Value in [.boolean(true), .real(1), .integer(1), .string("1")] {
            #expect(try preferences.update("org.x", host: .anyHost, ["a": value]).isWritten)
            let stored = try #require(try preferences.read("org.x", host: .anyHost)?.values["a"])
            #expect(stored.isIdentical(to: value))
        }
    }

    @Test func `removing what never was makes neither folder nor file`() throws {
        let home = try TemporaryFolder()
        #expect(try home.preferences().update("org.x", host: .thisHost, ["a": nil]).isWritten == false)
        #expect(try home.preferences().replace("org.x", host: .anyHost, with: [:]).isWritten == false)
        #expect(try home.preferences().remove("org.x", host: .anyHost).isWritten == false)
        #expect(try home.names(in: ".") == [])
    }

    @Test func `keys that differ only in normalization are both stored`() throws {
        let home = try TemporaryFolder()
        let (composed, decomposed) = (Key("\u{e9}"), Key("e\u{301}"))
        _ = try home.preferences().update("org.x", host: .anyHost, [composed: .integer(1)])
        _ = try home.preferences().update("org.x", host: .anyHost, [decomposed: .integer(2)])
        #expect(
            try home.preferences().read("org.x", host: .anyHost)?.values
                == [composed: .integer(1), decomposed: .integer(2)])
    }

    @Test(arguments: [Value.date(0.25), .string("a\u{1}b"), .string("\u{0}"), .string("a\r\nb"), .string("\u{ffff}")])
    func `what XML cannot hold exactly comes back as it was stored`(value: Value) throws {
        let home = try TemporaryFolder()
        _ = try home.preferences().update("org.x", host: .anyHost, ["a": .integer(1)])
        _ = try home.preferences().update("org.x", host: .anyHost, ["v": value])
        #expect(try home.preferences().read("org.x", host: .anyHost)?.values == ["a": .integer(1), "v": value])
    }

    @Test(arguments: ["", "{ a = b", "<plist><dict><key>a</key>", "( a, b )", "bplist00", "{\"a\": 1}"])
    func `a damaged file is set aside whole, reported, and never overwritten`(text: String) throws {
        let home = try TemporaryFolder()
        let path = try home.put(text, at: ".config/org.x.plist")
        let result = try home.preferences().update("org.x", host: .anyHost, ["new": .integer(1)])
        let damaged = try #require(result.damaged.first)
        #expect(result.damaged.count == 1)
        #expect(damaged.path == path)
        #expect(damaged.description.contains(damaged.setAsidePath))
        let name = String(damaged.setAsidePath.dropFirst(home.path.count + 1))
        #expect(name.wholeMatch(of: /\.config\/org\.x\.plist\.damaged-\d{8}T\d{6}\.\d{6}Z/) != nil)
        #expect(try home.bytes(at: name) == Array(text.utf8))
        #expect(result.before == [:])
        #expect(try home.preferences().read("org.x", host: .anyHost)?.values == ["new": .integer(1)])
        #expect(try home.preferences().update("org.x", host: .anyHost, ["new": .integer(2)]).damaged == [])
        #expect(try home.preferences().domains() == ["org.x"])
    }

    @Test(.enabled(if: Tool.python3.isAvailable, "python3 is not installed"))
    func `a file with a value of a foreign kind is set aside whole`() throws {
        let home = try TemporaryFolder()
        try home.put("", at: ".config/empty")
        let path = home.config + "/org.x.plist"
        let script =
            "import plistlib, sys; plistlib.dump({'a': 1, 'u': plistlib.UID(3)}, open(sys.argv[1], 'wb'), fmt=plistlib.FMT_BINARY)"
        try #require(try Tool.python3.run(["-c", script, path]) == 0)
        let before = try home.bytes(at: ".config/org.x.plist")
        #expect(throws: PreferencesError.self) { try home.preferences().read("org.x", host: .anyHost) }
        let damaged = try #require(
            try home.preferences().update("org.x", host: .anyHost, ["a": .integer(2)]).damaged.first)
        #expect(try home.bytes(at: String(damaged.setAsidePath.dropFirst(home.path.count + 1))) == before)
    }

    @Test func `a damaged file gets its name back if the new one cannot be stored`() throws {
        let home = try TemporaryFolder()
        try home.put("{ a = ", at: ".config/org.x.plist")
        var deep = Value.array([])
        for _ in 0..<600 { deep = .array([deep]) }
        #expect(throws: PreferencesError.self) {
            try home.preferences().update("org.x", host: .anyHost, ["deep": deep])
        }
        #expect(try home.names() == ["org.x.plist"])
        #expect(try home.bytes(at: ".config/org.x.plist") == Array("{ a = ".utf8))
    }

    @Test func `values that could not be read again are refused, and the file stays`() throws {
        let home = try TemporaryFolder()
        _ = try home.preferences().update("org.x", host: .anyHost, ["a": .integer(1)])
        let before = try home.bytes(at: ".config/org.x.plist")
        var deep = Value.array([])
        for _ in 0..<600 { deep = .dictionary(["k": deep]) }
        #expect(throws: PreferencesError.self) {
            try home.preferences().update("org.x", host: .anyHost, ["deep": deep])
        }
        #expect(try home.bytes(at: ".config/org.x.plist") == before)
        var measure = StorableCheck(limits: Limits(bytes: 10, depth: 2, objects: 5))
        #expect(measure.excess(of: .dictionary(["a": .integer(1), "b": .integer(2)])) == nil)
        #expect(measure.excess(of: .integer(1)) != nil)
        #expect(throws: PreferencesError.self) {
            try EncodedDomain(
                ["a": .integer(1)], replacing: nil, limits: Limits(bytes: 10, depth: 9, objects: 9), path: "/x")
        }
    }

    @Test func `a first write adopts the values under Foundation's names`() throws {
        let home = try TemporaryFolder()
        try home.put("{ a = b; }", at: ".config/NSGlobalDomain.plist")
        try home.put("{ a = b; }", at: ".config/ByHost/org.x..plist")
        for (domain, host) in [(DomainName.global, HostScope.anyHost), ("org.x", .thisHost)] {
            let preferences = home.preferences()
            _ = try preferences.update(domain, host: host, ["c": .string("d")])
            #expect(
                try preferences.read(domain, host: host)?.values == ["a": .string("b"), "c": .string("d")])
            #expect(try preferences.remove(domain, host: host).before == ["a": .string("b"), "c": .string("d")])
            #expect(try preferences.read(domain, host: host) == nil)
        }
    }

    @Test func `removing a domain removes its file, and sets a damaged one aside`() throws {
        let home = try TemporaryFolder()
        _ = try home.preferences().update("org.x", host: .anyHost, ["a": .integer(1)])
        let result = try home.preferences().remove("org.x", host: .anyHost)
        #expect(result.isWritten)
        #expect(result.before == ["a": .integer(1)])
        #expect(try home.names() == [])
        try home.put("{", at: ".config/org.x.plist")
        #expect(try home.preferences().remove("org.x", host: .anyHost).damaged.count == 1)
        #expect(try home.names().count == 1)
        #expect(try home.preferences().read("org.x", host: .anyHost) == nil)
    }

    @Test func `replacing a domain drops the keys that are not named`() throws {
        let home = try TemporaryFolder()
        _ = try home.preferences().update("org.x", host: .anyHost, ["a": .integer(1), "b": .integer(2)])
        let result = try home.preferences().replace("org.x", host: .anyHost, with: ["b": .integer(2)])
        #expect(result.isWritten)
        #expect(try home.preferences().read("org.x", host: .anyHost)?.values == ["b": .integer(2)])
    }

    @Test func `a missing home is an error and is not made`() throws {
        let home = try TemporaryFolder()
        let preferences = PreferencesDirectory(
            root: .system, directory: home.path + "/none/.config", machineID: nil, owner: CurrentProcess.euid,
            home: home.path + "/none")
        #expect(throws: PreferencesError.homeMissing(path: home.path + "/none")) {
            try preferences.update("org.x", host: .anyHost, ["a": .integer(1)])
        }
        #expect(try home.names(in: ".") == [])
    }

    @Test func `a folder in which nothing can be made is an error`() {
        let preferences = PreferencesDirectory(
            root: .system, directory: "/proc/sys/kernel", machineID: nil, owner: CurrentProcess.euid)
        #expect(throws: PreferencesError.self) {
            try preferences.update("org.x", host: .anyHost, ["a": .integer(1)])
        }
    }

    @Test func `a full disk is an error, and the old file stays whole, damaged or not`() async throws {
        let home = try TemporaryFolder()
        _ = try home.preferences().update("good", host: .anyHost, ["a": .integer(1)])
        try home.put("{ a = ", at: ".config/bad.plist")
        let before = (try home.bytes(at: ".config/good.plist"), try home.names())
        await #expect(processExitsWith: .success) { [path = home.path as String] in
            // No file of this process may grow beyond the limit; the signal that says so would end it.
            signal(SIGXFSZ, SIG_DFL)
            var limit = rlimit(rlim_cur: 100, rlim_max: 100)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let preferences = PreferencesDirectory(
                root: .system, directory: path + "/.config", machineID: nil, owner: CurrentProcess.euid, home: path)
            for domain: Key in ["good", "bad", "new"] {
                #expect(throws: PreferencesError.self) {
                    try preferences.update(domain, host: .anyHost, ["b": .string(String(repeating: "x", count: 500))])
                }
            }
        }
        #expect(try home.bytes(at: ".config/good.plist") == before.0)
        #expect(try home.bytes(at: ".config/bad.plist") == Array("{ a = ".utf8))
        #expect(try home.names() == before.1)
    }
}
