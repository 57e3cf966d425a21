import Foundation
import MDTestSupport
import ManagedDefaults
import Testing

/// A type that is stored as its raw value.
private enum Theme: String { case light, dark }

/// A type that is stored as its raw value, though it is Codable too.
private enum Size: Int, Codable { case small = 1, large }

/// A type that is stored as it encodes itself.
private struct Window: Codable, Hashable {
    /// Its width.
    var width: Int
    /// Its title.
    var title: String?
}

/// A type that only a codec of its own can store.
private struct Color: Hashable {
    /// Red, green and blue.
    var value: UInt32
}

extension ManagedDefaults.Keys {
    fileprivate static let zoom = Key("ZoomLevel", default: 1.25)
    fileprivate static let pages = Key("Pages", default: 7)
    fileprivate static let home = Key("HomePage", default: "about:blank")
    fileprivate static let downloads = Key("AllowDownloads", default: true)
    fileprivate static let ratio = Key("Ratio", default: Float(0.5))
    fileprivate static let small = Key("Small", default: UInt8(3))
    fileprivate static let huge = Key("Huge", default: UInt64(1))
    fileprivate static let proxy = Key<String?>("Proxy")
    fileprivate static let limit = Key<Int?>("Limit", default: 9)
    fileprivate static let theme = Key("Theme", default: Theme.light)
    fileprivate static let maybeTheme = Key<Theme?>("MaybeTheme")
    fileprivate static let defaultedSize = Key<Size?>("DefaultedSize", default: .large)
    fileprivate static let size = Key("Size", default: Size.small)
    fileprivate static let maybeSize = Key<Size?>("MaybeSize")
    fileprivate static let window = Key("Window", default: Window(width: 640, title: nil))
    fileprivate static let windows = Key("Windows", default: [String: Window]())
    fileprivate static let numbers = Key("Numbers", default: [1, 2])
    fileprivate static let since = Key("Since", default: Date(timeIntervalSinceReferenceDate: 5))
    fileprivate static let bytes = Key("Bytes", default: Data([1]))
    fileprivate static let site = Key<URL?>("Site")
    fileprivate static let accent = Key(
        "Accent", default: Color(value: 0),
        codec: ManagedDefaults.Codec(
            storedAs: String.self, encode: { String($0.value, radix: 16) },
            decode: { UInt32($0, radix: 16).map { Color(value: $0) } }))
    fileprivate static let inverted = Key(
        "Inverted", default: false,
        codec: ManagedDefaults.Codec(storedAs: Bool.self, encode: { !$0 }, decode: { !$0 }))
}

struct TypedKeyTests {
    /// Forces nothing.
    static let free = #"{ "Identifier": "org.example.lab" }"#

    /// The key whose value is unreadable.
    static func key(of problem: ManagedDefaults.Problem) -> String? {
        if case .value(let key, _) = problem { key } else { nil }
    }

    @Test func `every type comes back`() throws {
        let machine = try TemporaryMachine(policy: TypedKeyTests.free)
        let window = Window(width: 800, title: "Große Sache")
        do {
            let defaults = try machine.open()
            #expect(defaults[.zoom] == 1.25)
            #expect(defaults[.pages] == 7)
            #expect(defaults[.home] == "about:blank")
            #expect(defaults[.downloads])
            #expect(defaults[.ratio] == 0.5)
            #expect(defaults[.proxy] == nil)
            #expect(defaults[.limit] == 9)
            #expect(defaults[.maybeTheme] == nil)
            #expect(defaults[.defaultedSize] == .large)
            #expect(defaults[.site] == nil)
            #expect(defaults[.window] == Window(width: 640))
            #expect(defaults.set(2.5, for: .zoom) == .stored)
            #expect(defaults.set(Int.min, for: .pages) == .stored)
            #expect(defaults.set("", for: .home) == .stored)
            #expect(defaults.set(false, for: .downloads) == .stored)
            #expect(defaults.set(0.1, for: .ratio) == .stored)
            #expect(defaults.set(255, for: .small) == .stored)
            #expect(defaults.set(.max, for: .huge) == .stored)
            #expect(defaults.set("p", for: .proxy) == .stored)
            #expect(defaults.set(0, for: .limit) == .stored)
            #expect(defaults.set(.dark, for: .theme) == .stored)
            #expect(defaults.set(.dark, for: .maybeTheme) == .stored)
            #expect(defaults.set(.large, for: .size) == .stored)
            #expect(defaults.set(.large, for: .maybeSize) == .stored)
            #expect(defaults.set(window, for: .window) == .stored)
            #expect(defaults.set(["a": window, "b.c": Window(width: 1)], for: .windows) == .stored)
            #expect(defaults.set([], for: .numbers) == .stored)
            #expect(defaults.set(Date(timeIntervalSinceReferenceDate: 0), for: .since) == .stored)
            #expect(defaults.set(Data(), for: .bytes) == .stored)
            #expect(defaults.set(URL(string: "https://school.example/a?b=c%20d#e"), for: .site) == .stored)
            #expect(defaults.set(Color(value: 0xff_8000), for: .accent) == .stored)
            #expect(defaults.set(true, for: .inverted) == .stored)
            #expect(defaults.set(true, for: .inverted) == .unchanged)
        }
        let defaults = try machine.open()
        #expect(defaults[.zoom] == 2.5)
        #expect(defaults[.pages] == .min)
        #expect(defaults[.home] == "")
        #expect(!defaults[.downloads])
        #expect(defaults[.ratio] == 0.1)
        #expect(defaults[.small] == 255)
        #expect(defaults[.huge] == .max)
        #expect(defaults[.proxy] == "p")
        #expect(defaults[.limit] == 0)
        #expect(defaults[.theme] == .dark)
        #expect(defaults[.maybeTheme] == .dark)
        #expect(defaults[.size] == .large)
        #expect(defaults[.maybeSize] == .large)
        #expect(defaults[.window] == window)
        #expect(defaults[.windows] == ["a": window, "b.c": Window(width: 1)])
        #expect(defaults[.numbers].isEmpty)
        #expect(defaults[.since] == Date(timeIntervalSinceReferenceDate: 0))
        #expect(defaults[.bytes].isEmpty)
        #expect(defaults[.site]?.absoluteString == "https://school.example/a?b=c%20d#e")
        #expect(defaults[.accent] == Color(value: 0xff_8000))
        #expect(defaults[.inverted])
        // What other readers and administrators see.
        #expect(defaults.string(forKey: "Theme") == "dark")
        #expect(defaults.integer(forKey: "Size") == 2)
        #expect(defaults.string(forKey: "Site") == "https://school.example/a?b=c%20d#e")
        #expect(defaults.string(forKey: "Accent") == "ff8000")
        #expect(defaults.object(forKey: "Inverted") as? Bool == false)
        #expect(defaults.dictionary(forKey: "Window")?["width"] as? Int == 800)
        #expect(defaults.drainProblems().isEmpty)
    }

    @Test func `subscripts write and nil removes`() throws {
        let machine = try TemporaryMachine(policy: TypedKeyTests.free)
        let defaults = try machine.open()
        defaults[.pages] += 1
        #expect(defaults[.pages] == 8)
        defaults[.window].title = "x"
        #expect(defaults[.window] == Window(width: 640, title: "x"))
        defaults[.proxy] = "p"
        defaults[.proxy] = nil
        #expect(defaults.object(forKey: "Proxy") == nil)
        defaults[.limit] = nil
        #expect(defaults[.limit] == 9)
        #expect(defaults.remove(.pages) == .stored)
        #expect(defaults[.pages] == 7)
        #expect(defaults.remove(.pages) == .unchanged)
        #expect(defaults.update(.pages) { $0 += 1 } == .stored)
        #expect(defaults.update(.pages) { $0 += 1 } == .stored)
        #expect(defaults[.pages] == 9)
        #expect(defaults.update(.pages) { _ in } == .unchanged)
    }

    @Test func `texts that are numbers are read as the getters read them`() throws {
        let machine = try TemporaryMachine(policy: TypedKeyTests.free)
        let defaults = try machine.open()
        for text in ["5", "5.9", "+1", "0", "-3", "99999999999999999999"] {
            for key in ["Pages", "ZoomLevel", "HomePage", "AllowDownloads", "Ratio"] { defaults.set(text, forKey: key) }
            #expect(defaults[.pages] == defaults.integer(forKey: "Pages"))
            #expect(defaults[.zoom] == defaults.double(forKey: "ZoomLevel"))
            #expect(defaults[.home] == defaults.string(forKey: "HomePage"))
            #expect(defaults[.downloads] == defaults.bool(forKey: "AllowDownloads"))
            #expect(defaults[.ratio] == defaults.float(forKey: "Ratio"))
        }
        for number in [0, 1, -1, 2.5, .infinity, .nan, 1e300, 1e19, -1e19] {
            for key in ["Pages", "ZoomLevel", "HomePage", "AllowDownloads"] { defaults.set(number, forKey: key) }
            #expect(defaults[.pages] == defaults.integer(forKey: "Pages"))
            #expect(defaults[.home] == defaults.string(forKey: "HomePage"))
            #expect(defaults[.downloads] == defaults.bool(forKey: "AllowDownloads"))
            #expect(defaults[.zoom] == number || number.isNaN && defaults[.zoom].isNaN)
        }
        #expect(defaults.drainProblems().isEmpty)
        // Numbers and raw values that other programs stored as text.
        defaults.set("200", forKey: "Small")
        defaults.set("18446744073709551615", forKey: "Huge")
        defaults.set("2", forKey: "Size")
        defaults.set("2", forKey: "MaybeSize")
        defaults.set("4", forKey: "Limit")
        #expect(defaults[.small] == 200)
        #expect(defaults[.huge] == .max)
        #expect(defaults[.size] == .large)
        #expect(defaults[.maybeSize] == .large)
        #expect(defaults[.limit] == 4)
        defaults.set("1e3", forKey: "Pages")
        #expect(defaults[.pages] == 1_000)
        for (text, truth) in [("YES", true), ("no", false), ("True", true), ("f", false)] {
            defaults.set(text, forKey: "AllowDownloads")
            #expect(defaults[.downloads] == truth)
        }
        #expect(defaults.drainProblems().isEmpty)
    }

    @Test(arguments: ["", "wide", "12abc", "5 pages", "0x10", "inf", "nan", "1e", "on"])
    func `a text that is not a number is the default and is said once`(text: String) throws {
        let keys = ["ZoomLevel", "Pages", "AllowDownloads", "Ratio", "Small", "Limit", "Size"]
        let forced = keys.map { "\"\($0)\": \"\(text)\"" }.joined(separator: ", ")
        let machine = try TemporaryMachine(
            policy: "{ \"Identifier\": \"a.b\", \"Forced\": { \"org.example.Browser\": { \(forced) } } }")
        let defaults = try machine.open()
        for _ in 0..<2 {
            #expect(defaults[.zoom] == 1.25)
            #expect(defaults[.pages] == 7)
            #expect(defaults[.downloads])
            #expect(defaults[.ratio] == 0.5)
            #expect(defaults[.small] == 3)
            #expect(defaults[.limit] == 9)
            #expect(defaults[.size] == .small)
        }
        let problems = defaults.drainProblems()
        #expect(problems.map(TypedKeyTests.key(of:)) == keys)
        let sentence = "The value of ZoomLevel is not used, and the default holds. Expected Double, found string. It is"
        #expect(problems.first?.description.hasPrefix(sentence + " forced by the policy a.b (") == true)
        // The getters of NSUserDefaults' shape find a number in every text.
        #expect(
            defaults.integer(forKey: "Pages")
                == (text.hasPrefix("12") ? 12 : text.hasPrefix("5") ? 5 : text == "1e" ? 1 : 0))
    }

    @Test func `arguments are texts that say a number`() throws {
        let machine = try TemporaryMachine(policy: TypedKeyTests.free)
        let defaults = try machine.open(arguments: [
            "browser", "-ZoomLevel", "2.5", "-Pages", "-3", "-AllowDownloads", "NO", "-Small", "wide",
        ])
        #expect(defaults[.zoom] == 2.5)
        #expect(defaults[.pages] == -3)
        #expect(!defaults[.downloads])
        #expect(defaults[.small] == 3)
        #expect(defaults.drainProblems().map(TypedKeyTests.key(of:)) == ["Small"])
    }

    @Test func `what cannot be read is the default and is said once`() throws {
        let machine = try TemporaryMachine(policy: TypedKeyTests.free)
        let defaults = try machine.open()
        /// What is said after some reads.
        func problems(_ read: () -> Bool) -> [String] {
            for _ in 0..<3 { #expect(read()) }
            return defaults.drainProblems().map(\.description)
        }
        defaults.set([1], forKey: "Pages")
        #expect(
            problems { defaults[.pages] == 7 } == [
                "The value of Pages is not used, and the default holds. Expected Int, found array."
            ])
        #expect(problems { defaults[.pages] == 7 }.isEmpty)
        defaults.set(Date(), forKey: "Pages")
        #expect(problems { defaults[.pages] == 7 }.count == 1)
        defaults.set(300, forKey: "Small")
        #expect(problems { defaults[.small] == 3 }.count == 1)
        defaults.set(-1, forKey: "Huge")
        #expect(problems { defaults[.huge] == 1 }.count == 1)
        defaults.set("99999999999999999999", forKey: "Huge")
        #expect(problems { defaults[.huge] == 1 }.count == 1)
        defaults.set("pink", forKey: "Theme")
        #expect(
            problems { defaults[.theme] == .light } == [
                "The value of Theme is not used, and the default holds. It is none of the values of Theme."
            ])
        defaults.set(["width": "800"], forKey: "Window")
        #expect(
            problems { defaults[.window].width == 640 } == [
                "The value of Window is not used, and the default holds. At width: Expected Int, found string."
            ])
        defaults.set([1, "2"] as [Any], forKey: "Numbers")
        #expect(
            problems { defaults[.numbers] == [1, 2] } == [
                "The value of Numbers is not used, and the default holds. At 1: Expected Int, found string."
            ])
        defaults.set("no scheme at all\u{7f}", forKey: "Site")
        #expect(problems { defaults[.site] == nil }.count == 1)
        defaults.set(true, forKey: "Accent")
        #expect(problems { defaults[.accent] == Color(value: 1) }.isEmpty)
        // A value that cannot be stored changes nothing.
        guard
            case .invalid(let reason) = defaults.set(
                Date(timeIntervalSinceReferenceDate: .nan), for: .since)
        else {
            Issue.record("a date that is none was stored")
            return
        }
        #expect(reason.description.contains("Since"))
        #expect(defaults.object(forKey: "Since") == nil)
    }

    @Test func `URLs of all storages are read`() throws {
        let machine = try TemporaryMachine(policy: TypedKeyTests.free)
        let defaults = try machine.open()
        defaults.set("/tmp/a b", forKey: "Site")
        #expect(defaults[.site]?.path == "/tmp/a b")
        #expect(defaults[.site]?.isFileURL == true)
        defaults.set("~/Downloads", forKey: "Site")
        #expect(defaults[.site]?.path == "/home/pupil/Downloads")
        defaults.set(URL(fileURLWithPath: "/home/pupil/x"), forKey: "Site")
        #expect(defaults.string(forKey: "Site") == "~/x")
        #expect(defaults[.site]?.path == "/home/pupil/x")
        defaults.set(URL(string: "https://a.example/b"), forKey: "Site")
        #expect(defaults.data(forKey: "Site") != nil)
        #expect(defaults[.site]?.absoluteString == "https://a.example/b")
        defaults.set(Data([1, 2, 3]), forKey: "Site")
        #expect(defaults[.site] == nil)
        #expect(defaults.drainProblems().count == 1)
        defaults.set(URL(fileURLWithPath: "/tmp/c d"), for: .site)
        #expect(defaults[.site] == URL(fileURLWithPath: "/tmp/c d"))
    }

    @Test func `registered defaults serve other readers`() throws {
        let machine = try TemporaryMachine(policy: TypedKeyTests.free)
        let defaults = try machine.open()
        let unstorable = ManagedDefaults.Key("Never", default: Date(timeIntervalSinceReferenceDate: .infinity))
        #expect(defaults.register(.zoom, .pages, .theme, .proxy, .window, unstorable).failedKeys == ["Never"])
        #expect(defaults.double(forKey: "ZoomLevel") == 1.25)
        #expect(defaults.integer(forKey: "Pages") == 7)
        #expect(defaults.string(forKey: "Theme") == "light")
        #expect(defaults.object(forKey: "Proxy") == nil)
        #expect(defaults.dictionary(forKey: "Window")?["width"] as? Int == 640)
        #expect(defaults.setting(for: .zoom).isDefault)
    }

    @Test func `a setting has all that a page needs`() throws {
        let machine = try TemporaryMachine(policy: ForcedKeyTests.policy)
        let defaults = try machine.open()
        let home = defaults.setting(for: .home)
        #expect(home.value == "https://school.example/")
        #expect(home.isForced && !home.isDefault && home.problem == nil)
        #expect(home.forcedEntry?.policy == "org.example.lab")
        #expect(home.forcedEntry?.contact == "Room 12")
        #expect(
            home.forcedEntry?.message.contains("Room 12") == true
                && home.forcedEntry?.file.hasSuffix("10-test.json") == true)
        #expect(defaults.isForced(.home) && !defaults.isForced(.pages))
        // Absent by policy: forced, and the default holds.
        #expect(defaults.set("p", for: .proxy).isInEffect == false)
        let proxy = defaults.setting(for: .proxy)
        #expect(proxy.value == nil && proxy.isForced && proxy.isDefault)
        // Recommended: not forced, and not the application's own default.
        let zoom = defaults.setting(for: .zoom)
        #expect(zoom.value == 1.5 && !zoom.isForced && !zoom.isDefault && zoom.forcedEntry == nil)
        let pages = defaults.setting(for: .pages)
        #expect(pages.value == 7 && pages.isDefault && !pages.isForced)
        defaults[.pages] = 8
        #expect(defaults.setting(for: .pages).value == 8)
        #expect(!defaults.setting(for: .pages).isDefault)
        guard case .refused(let forced) = defaults.set("https://games.example", for: .home) else {
            Issue.record("a forced setting was set")
            return
        }
        #expect(forced == home.forcedEntry)
        let error = #expect(throws: ManagedDefaults.WriteError.self) { try defaults.store("x", for: .home) }
        #expect(error?.outcome == .refused(forced) && error?.description == forced.message)
        #expect(throws: Never.self) { try defaults.store(9, for: .pages) }
    }

    @Test func `nil is refused where a value is forced`() throws {
        let policy = """
            { "Identifier": "a.b", "Forced": { "org.example.Browser": { "Proxy": "p" } },
              "Absent": { "org.example.Browser": ["Limit"] } }
            """
        let machine = try TemporaryMachine(policy: policy)
        let defaults = try machine.open()
        guard case .refused(let forced) = defaults.set(nil, for: .proxy) else {
            Issue.record("a value that stays was said to be gone")
            return
        }
        #expect(forced.key == "Proxy")
        #expect(defaults[.proxy] == "p")
        #expect(defaults.remove(.proxy) == .unchanged)
        #expect(defaults.set(nil, for: .limit) == .unchanged)
        #expect(throws: ManagedDefaults.DomainError.self) { try defaults.store(["Proxy": String?.none]) }
        #expect(defaults.synchronize())
        #expect(!machine.attempts.isEmpty)
    }

    @Test func `a forced value that cannot be read names its policy`() throws {
        let policy = #"{ "Identifier": "a.b", "Forced": { "org.example.Browser": { "Pages": [1] } } }"#
        let machine = try TemporaryMachine(policy: policy)
        let defaults = try machine.open()
        #expect(defaults[.pages] == 7)
        let problem = defaults.setting(for: .pages).problem
        #expect(problem.flatMap(TypedKeyTests.key(of:)) == "Pages")
        #expect(problem?.description.contains("Expected Int, found array. It is forced by the policy a.b (") == true)
        #expect(problem?.description.contains("/10-test.json:1).") == true)
        #expect(defaults.drainProblems() == [problem])
    }
}
