import Foundation
import MDCare
import MDEngine
import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPrograms

/// What users have stored in the files of programs beneath what policy locks.
struct StoreTests {
    let machine: TemporaryMachine

    init() throws {
        machine = try TemporaryMachine(.none)
    }

    private let home = "/home/alice"

    /// An entry for a program.
    private func entry(_ domain: Key, _ key: Key, _ level: ProgramEntry.Level) -> ProgramEntry {
        ProgramEntry(
            domain: domain, key: key, level: level,
            origin: Origin(policy: "p", file: "/p.json", position: .start), digest: SHA256.hash([]))
    }

    /// What is found, a line each: key, value, file in the home, and a mark where it is what policy says.
    private func found(_ program: some Program, _ entries: [ProgramEntry], unsealed: [Key: Set<Key>] = [:]) -> [String]
    {
        var store = UserStore(home: home, in: machine.root)
        return found(program, entries, unsealed: unsealed, in: &store)
    }

    private func found(
        _ program: some Program, _ entries: [ProgramEntry], unsealed: [Key: Set<Key>] = [:], in store: inout UserStore
    ) -> [String] {
        let policy = ProgramPolicy(entries, unsealed: unsealed)
        return program.prepared(for: machine.root).stored(for: policy, in: &store).map { setting in
            let text = PlainJSON.encode(.array([setting.value])).map { String(decoding: $0, as: UTF8.self) } ?? "?"
            let value = text.filter { $0 != "\n" && $0 != " " }.dropFirst().dropLast()
            return "\(setting.key.string) \(value) \(setting.file.dropFirst(home.count + 1))"
                + (setting.isEqual ? " equal" : "")
        }
    }

    // MARK: Browsers

    private var chromium: ChromiumFamily { ChromiumFamily.all[0] }

    @Test func `a browser's profiles are compared`() throws {
        let entries = [
            entry("org.chromium.Chromium", "HomepageLocation", .forced(.string("https://a.example/"))),
            entry("org.chromium.Chromium", "BookmarkBarEnabled", .forced(.boolean(true))),
            entry("org.chromium.Chromium", "SpellcheckEnabled", .recommended(.boolean(true))),
            entry("org.chromium.Chromium", "URLBlocklist", .forced(.array([]))),
        ]
        #expect(found(chromium, entries) == [])
        try machine.write(
            "\(home)/.config/chromium/Default/Preferences",
            #"{"homepage": "https://b.example/", "bookmark_bar": {"show_on_all_tabs": true}, "browser": 1}"#)
        try machine.write("\(home)/.config/chromium/Profile 1/Preferences", #"{"bookmark_bar": []}"#)
        try machine.write("\(home)/.config/chromium/Profile 2/Preferences", "{")
        try machine.makeDirectory("\(home)/.config/chromium/Profile 3/Preferences")
        #expect(
            found(chromium, entries).sorted() == [
                "BookmarkBarEnabled true .config/chromium/Default/Preferences equal",
                #"HomepageLocation "https://b.example/" .config/chromium/Default/Preferences"#,
            ])
    }

    @Test func `preferences of Firefox are compared`() throws {
        let firefox = MozillaFamily.all[0]
        let entries = [
            entry("org.mozilla.firefox", "Homepage__URL", .forced(.string("https://a.example"))),
            entry("org.mozilla.firefox", "Preferences__browser.startup.page", .forced(.integer(0))),
            entry("org.mozilla.firefox", "Preferences__a.default", .recommended(.integer(0))),
            entry("org.mozilla.firefox", "SearchSuggestEnabled", .forced(.boolean(false))),
        ]
        try machine.write(
            "\(home)/.mozilla/firefox/x.default/prefs.js",
            """
            // Mozilla User Preferences
            user_pref("browser.startup.homepage", "https://a.example/");
            user_pref("browser.startup.page", 1);
            user_pref("browser.startup.page", 3);
            user_pref("a.default", 1);
            user_pref("browser.search.suggest.enabled", tru);
            user_pref("browser.search.suggest.enabled"
            """)
        try machine.write(
            "\(home)/.config/mozilla/firefox/y/user.js", #"user_pref("browser.search.suggest.enabled", true);"#)
        #expect(
            found(firefox, entries) == [
                #"Homepage__URL "https://a.example/" .mozilla/firefox/x.default/prefs.js equal"#,
                "Preferences__browser.startup.page 3 .mozilla/firefox/x.default/prefs.js",
                "SearchSuggestEnabled true .config/mozilla/firefox/y/user.js",
            ])
    }

    @Test(arguments: [
        (#"user_pref( 'browser.startup.page' , /* x */ +1 ) ; user_pref("a", 1)"#, "1"),
        ("user_pref(\n\"browser.startup\\x2epage\", // x\n2);", "2"),
        ("# user_pref(\"browser.startup.page\", 9);\npref('browser.startup.page', 3, locked);", "3"),
        (
            "broken('x;y' user_pref('browser.startup.page', 9); user_pref('browser.startup\\u002epage', '\\ud83d\\ude00\\n');",
            #""😀\n""#
        ),
        ("user_pref('browser.startup.page', 4); user_pref('browser.startup.page', 99999999999);", "4"),
        ("user_pref('browser.startup.page', true); user_pref('browser.startup.page', '\\q'); user_pref('x", "true"),
        ("\u{feff}user_pref('browser.startup.page', -5);", "-5"),
        ("user_pref('browser.startup.page', 6", nil), ("/*user_pref('browser.startup.page', 6);", nil),
        ("user_pref('browser.startup.page', \\", nil),
    ])
    func `preferences of Firefox are read in every form that Firefox reads`(_ text: String, _ value: String?) throws {
        try machine.write("\(home)/.mozilla/firefox/x/user.js", text)
        let entry = entry("org.mozilla.firefox", "Preferences__browser.startup.page", .forced(.integer(0)))
        let line = value.map { "\(entry.key.string) \($0) .mozilla/firefox/x/user.js" }
        #expect(found(MozillaFamily.all[0], [entry]) == [line].compactMap(\.self))
    }

    @Test func `any bytes are read as preferences of Firefox`() {
        let alphabet = Array("user_pref('a\\xu0d8',1)\";/*#\n+- ".utf8)
        for seed in 0..<2_000 {
            var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
            let bytes = (0..<40).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1
                return alphabet[Int(state >> 33) % alphabet.count]
            }
            #expect(UserPreferences.values(in: Array("user_pref('a',".utf8) + bytes) { _ in true }.count < 8)
        }
    }

    // MARK: What cannot be read

    /// What cannot be read of the home, a line each: file in the home, and why.
    private func problems(
        _ program: some Program, _ entries: [ProgramEntry], sizeLimit: Int = 64 << 20, nameLimit: Int = 4_096
    ) -> [String] {
        var store = UserStore(home: home, in: machine.root, sizeLimit: sizeLimit, nameLimit: nameLimit)
        _ = found(program, entries, in: &store)
        return store.problems.map { problem in
            let place = problem.position.map { ":\($0)" } ?? ""
            let file = problem.file.range(of: "\(home)/").map { problem.file[$0.upperBound...] } ?? "?"
            return "\(file)\(place) \(problem.message)"
        }
    }

    @Test func `a browser's profile that cannot be read is a problem, and one that is not there is none`() throws {
        let entries = [entry("org.chromium.Chromium", "BookmarkBarEnabled", .forced(.boolean(true)))]
        let folder = "\(home)/.config/chromium"
        #expect(problems(chromium, entries) == [])
        try machine.write("\(folder)/Local State", "{}")
        try machine.makeDirectory("\(folder)/Empty")
        try machine.write("\(folder)/A/Preferences", "{\n\"a\": }")
        try machine.write("\(folder)/B/Preferences", "[]")
        try machine.makeDirectory("\(folder)/C/Preferences")
        try machine.makeDirectory("\(folder)/D")
        #expect(mkfifo(machine("\(folder)/D/Preferences"), 0o600) == 0)
        try machine.makeDirectory("\(folder)/E")
        #expect(symlink("/nowhere", machine("\(folder)/E/Preferences")) == 0)
        try machine.write("\(folder)/F/Preferences", "{}")
        try machine.write("\(folder)/G/Preferences", Array("{/*".utf8) + [0xff] + Array("*/}".utf8))
        #expect(truncate(machine("\(folder)/F/Preferences"), 200 << 20) == 0)
        #expect(symlink("/nowhere", machine("\(folder)/SingletonLock")) == 0)
        let chromium = chromium
        #expect(
            problems(chromium, entries) == [
                ".config/chromium/A/Preferences:2:6 the file of Chromium is damaged: a value is missing before this bracket",
                ".config/chromium/B/Preferences:1:1 the file of Chromium is damaged: the root is of type array, not a"
                    + " dictionary",
                ".config/chromium/C/Preferences cannot be read: it is a directory, not a regular file",
                ".config/chromium/D/Preferences cannot be read: it is a fifo, not a regular file",
                ".config/chromium/E/Preferences cannot be read: it is a link to what is not there",
                ".config/chromium/F/Preferences cannot be read: it is larger than 16777216 bytes",
            ])
        #expect(problems(chromium, []) == [])
    }

    @Test func `a hundred profiles are all compared, and names beyond the limit are counted`() throws {
        let entries = [entry("org.chromium.Chromium", "BookmarkBarEnabled", .forced(.boolean(true)))]
        let folder = "\(home)/.config/chromium"
        for number in 0..<100 {
            try machine.write("\(folder)/\(number)/Preferences", #"{"bookmark_bar": {"show_on_all_tabs": false}}"#)
        }
        #expect(found(chromium, entries).count == 100)
        #expect(problems(chromium, entries) == [])
        #expect(
            problems(chromium, entries, nameLimit: 98) == [
                ".config/chromium has 100 names, of which 2 are not looked at"
            ])
        var late = UserStore(home: home, in: machine.root, until: 0)
        #expect(found(chromium, entries, in: &late) == [])
        #expect(late.problems.count == 100)
        #expect(late.problems[0].message == "is not read: the files of programs in this home take too long")
    }

    @Test func `files beyond the size of a home's share, and a name that is not text, are problems`() throws {
        let entries = [entry("org.mozilla.firefox", "SearchSuggestEnabled", .forced(.boolean(false)))]
        let folder = "\(home)/.mozilla/firefox"
        for name in ["a", "b", "c"] {
            try machine.write("\(folder)/\(name)/prefs.js", "//\(String(repeating: "x", count: 400))")
        }
        #expect(mkdir(machine("\(folder)/\u{fffd}"), 0o700) == 0)
        let share =
            ".mozilla/firefox/c/prefs.js is not read: the files of programs in this home are larger than 1000 bytes"
        #expect(problems(MozillaFamily.all[0], entries, sizeLimit: 1_000) == [share])
        let path = Array(machine("\(folder)/x").utf8CString.dropLast()) + [CChar(bitPattern: 0xff), 0]
        #expect(mkdir(path, 0o700) == 0)
        #expect(
            problems(MozillaFamily.all[0], entries, sizeLimit: 1_000) == [
                ".mozilla/firefox has a name that is not UTF-8, and what it names is not looked at", share,
            ])
    }

    @Test func `files of KDE and dconf that cannot be read are problems`() throws {
        try machine.makeDirectory("\(home)/.config/labrc")
        #expect(
            problems(KDE(), [entry("org.kde.labrc", "G/A", .forced(.string("a")))]) == [
                ".config/labrc cannot be read: it is a directory, not a regular file"
            ])
        try machine.write("\(home)/.config/dconf/user", "GVariant")
        #expect(
            problems(GSettings(), [entry("org.gnome.desktop.background", "picture-uri", .forced(.string("a")))]) == [
                ".config/dconf/user the database of dconf is damaged, or of another byte order"
            ])
    }

    // MARK: KDE

    @Test func `files of KConfig are compared`() throws {
        let file = """
            Top=user
            # [G]
            [G]
            A=theirs
            A[de]=deutsch
            B[$e]=false
            C=\\x20a\\sb
            D[$d]
            Gone=x
            Free=y
            [G][In]
              Deep = 7
            [L][$i]
            Known=1
            Other=2
            broken
            """
        try machine.write("\(home)/.config/labrc", file)
        let domain: Key = "org.kde.labrc"
        let entries = [
            entry(domain, "Top", .forced(.string("t"))), entry(domain, "G/A", .forced(.string("a"))),
            entry(domain, "G/B", .forced(.boolean(false))), entry(domain, "G/C", .forced(.string(" a b"))),
            entry(domain, "G/D", .forced(.string("d"))), entry(domain, "G/Free", .recommended(.integer(1))),
            entry(domain, "G/Gone", .absent), entry(domain, "G/In/Deep", .forced(.integer(8))),
            entry(domain, "L/*", .absent), entry(domain, "L/Known", .forced(.integer(1))),
        ]
        let expected = [
            #"Top "user""#, #"G/A "theirs""#, #"G/A "deutsch""#, "G/B false", #"G/C "ab""#, #"G/Gone "x""#,
            "G/In/Deep 7", "L/Known 1", #"L/* {"Other":"2"}"#,
        ].map {
            "\($0) .config/labrc" + ($0.hasPrefix("G/B") || $0.hasPrefix("G/C") || $0 == "L/Known 1" ? " equal" : "")
        }
        #expect(found(KDE(), entries) == expected)
        let sealed = found(KDE(), [entry(domain, "", .sealed)], unsealed: [domain: ["G/A"]])
        #expect(sealed.count == 8 && sealed.first == #"Top "user" .config/labrc"#)
        #expect(found(KDE(), [entry(domain, "G/A", .recommended(.integer(1)))]) == [])
    }

    @Test func `any bytes are read as a file of KConfig`() {
        for seed in 0..<2_000 {
            var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
            let alphabet = Array("[]$=\\x20aé#\n\t, ".utf8)
            let bytes = (0..<40).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1
                return alphabet[Int(state >> 33) % alphabet.count]
            }
            #expect(KConfigReader(bytes).lines.allSatisfy { !$0.path.isEmpty })
        }
    }

    // MARK: The report

    @Test func `a hidden value is found in the home`() throws {
        let lab = try TemporaryMachine(.classroom)
        try lab.policy(
            "10-a.json",
            #"{"Identifier": "a.b", "Forced": {"org.chromium.Chromium": {"HomepageLocation": "https://a.example/"}}}"#)
        try lab.write("/home/alice/.config/chromium/Default/Preferences", #"{"homepage": "https://b.example/"}"#)
        let machine = PolicyMachine(root: lab.root).policy()
        let account = try #require(machine.accounts.account(named: "alice"))
        let home = HomeAccess.read(UserSession(machine: machine, account: account))
        #expect(home.stored.map(\.key) == ["HomepageLocation"])
        #expect(home.stored.map(\.value.value) == [.string("https://b.example/")])
        #expect(home.stored.map(\.value.file) == ["/home/alice/.config/chromium/Default/Preferences"])
    }

    @Test func `what cannot be read of a program's own files is said, and the report is not complete`() throws {
        let lab = try TemporaryMachine(.classroom)
        try lab.policy(
            "10-a.json",
            #"{"Identifier": "a.b", "Forced": {"org.chromium.Chromium": {"HomepageLocation": "https://a.example/"}}}"#)
        for number in 0..<100 { try lab.makeDirectory("/home/alice/.config/chromium/\(number)/Preferences") }
        try lab.write("/home/bob/.config/chromium/A/Preferences", #"{"homepage": }"#)
        let machine = PolicyMachine(root: lab.root).policy()
        let alice = HomeAccess.read(
            UserSession(machine: machine, account: try #require(machine.accounts.account(named: "alice"))))
        #expect(alice.problems.count == 65)
        #expect(alice.problems.last?.message == "36 more files and folders could not be read")
        #expect(HomeInspection(decoding: alice.encoded())?.problems == alice.problems)
        let bob = HomeAccess.read(
            UserSession(machine: machine, account: try #require(machine.accounts.account(named: "bob"))))
        #expect(bob.problems.map(\.position?.column) == [14])
    }
}
