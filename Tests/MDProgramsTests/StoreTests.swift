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
        let policy = ProgramPolicy(entries, unsealed: unsealed)
        let store = UserStore(home: home, in: machine.root)
        return program.prepared(for: machine.root).stored(for: policy, in: store).map { setting in
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
}
