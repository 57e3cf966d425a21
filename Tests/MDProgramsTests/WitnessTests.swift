import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import MDTools
import Testing

@testable import MDPrograms

/// What is made of the answers of browsers, which are texts that their pages and scripts gave.
struct WitnessTests {
    /// An entry of a policy.
    private func entry(_ domain: Key, _ key: Key, _ level: ProgramEntry.Level) -> ProgramEntry {
        ProgramEntry(
            domain: domain, key: key, level: level,
            origin: Origin(policy: "p", file: "/f", position: Position(line: 1, column: 1, offset: 0)),
            digest: SHA256.hash([]))
    }

    @Test func `what keeps a program from being asked is taken out of its files, and nothing else`() throws {
        func without(_ program: String, _ text: String) throws -> (text: String, names: [String]) {
            let witness = try #require(ProgramCatalog.program(named: program)?.witness)
            var names: Set<Key> = []
            let bytes = AskableFiles.without(witness.silencers, Array(text.utf8), &names)
            return (
                String(decoding: bytes, as: UTF8.self).filter { $0 != "\n" && $0 != " " }, names.map(\.string).sorted()
            )
        }
        let chromium = try without(
            "chromium",
            #"{"DeveloperToolsAvailability": 2, "HeadlessMode": 1, "RemoteDebuggingAllowed": false, "A": 2}"#)
        #expect(chromium.text == #"{"A":2,"HeadlessMode":1}"#)
        #expect(chromium.names == ["DeveloperToolsAvailability", "RemoteDebuggingAllowed"])
        let firefox = try without(
            "firefox", #"{"policies": {"DisableDeveloperTools": true, "A": {"DisableDeveloperTools": true}}, "B": 1}"#)
        #expect(firefox.text == #"{"B":1,"policies":{"A":{"DisableDeveloperTools":true}}}"#)
        #expect(firefox.names == ["DisableDeveloperTools"])
        for text in [#"{"DisableDeveloperTools":true}"#, #"{"policies":{"DisableDeveloperTools":false}}"#, "{"] {
            #expect(try without("firefox", text) == (text, []))
        }
    }

    // MARK: Chromium

    private let chromium: Key = "org.chromium.Chromium"

    /// What the page has, as Chromium 156 gave it, shortened.
    private let page = """
        {"names": {"chrome": {"policyNames": ["A", "B", "C", "D", "E", "F", "G", "ProxyMode", "Zoom"]}},
         "values": {"policyGroups": {"chrome": {"name": "Chrome Policies", "policies": {
            "A": {"level": "mandatory", "scope": "machine", "source": "platform", "value": true},
            "B": {"level": "recommended", "scope": "machine", "source": "platform", "value": "https://x.example/"},
            "C": {"error": "Expected boolean value.", "level": "mandatory", "source": "platform", "value": "x"},
            "D": {"level": "mandatory", "value": ["a", "b"], "warning": "A conflict.", "conflicts": []},
            "E": {"level": "mandatory", "value": {"m": {"n": 1, "o": 2}}},
            "F": {"level": "mandatory", "value": "********"},
            "Z": {"level": "mandatory", "value": 1}}},
         "abcdefghijklmnopabcdefghijklmnop": {"name": "An extension", "policies": {
            "k": {"level": "mandatory", "value": 1}}},
         "precedence": {"name": "Policy Precedence", "policies": {}, "precedenceOrder": ["Platform machine"]}}}}
        """

    private func ask(_ entries: [ProgramEntry]) throws -> Testimony {
        let program = ChromiumFamily.all[0].prepared(for: try TemporaryMachine(.none).root)
        return ChromiumWitness(program: program).testimony(
            about: ProgramPolicy(entries), for: .everybody, try PlainJSON.object(Array(page.utf8)))
    }

    private func result(_ key: Key, _ level: ProgramEntry.Level, domain: Key? = nil) throws -> String {
        let answer = try #require(try ask([entry(domain ?? chromium, key, level)]).answers.first)
        return answer.note.isEmpty ? answer.result.rawValue : "\(answer.result.rawValue): \(answer.note)"
    }

    @Test func `a forced policy is enforced only if it is mandatory and has the value`() throws {
        #expect(try result("A", .forced(.boolean(true))) == "enforced")
        #expect(try result("A", .forced(.boolean(false))) == "differs")
        #expect(try result("B", .forced(.string("https://x.example"))) == "differs: the user may change it")
        #expect(try result("C", .forced(.boolean(true))) == "error: Expected boolean value.")
        #expect(try result("D", .forced(.array([.string("a"), .string("b")]))) == "enforced: A conflict.")
        #expect(try result("D", .forced(.array([.string("a")]))) == "differs: A conflict.")
        #expect(try result("E", .forced(.dictionary(["m": .dictionary(["n": .integer(1)])]))) == "enforced")
        #expect(try result("F", .forced(.string("secret"))) == "unknown: the browser does not show the value")
        #expect(try result("G", .forced(.integer(1))) == "differs: the browser has no such policy in force")
        #expect(try result("Zom", .forced(.integer(1))) == "not known: Chromium has no policy Zom; is Zoom meant?")
    }

    @Test func `a recommended policy is a default only if the user may change it`() throws {
        #expect(try result("B", .recommended(.string("https://x.example"))) == "default")
        #expect(try result("A", .recommended(.boolean(true))) == "differs: the user cannot change it")
    }

    @Test func `what the browser does not carry out is not in force`() throws {
        #expect(try result("A", .absent).utf8.starts(with: "not supported: ".utf8))
    }

    @Test func `an extension answers only if it is there`() throws {
        let known: Key = "org.chromium.Chromium.extensions.abcdefghijklmnopabcdefghijklmnop"
        let unknown: Key = "org.chromium.Chromium.extensions.ponmlkjihgfedcbaponmlkjihgfedcba"
        #expect(try result("k", .forced(.integer(1)), domain: known) == "enforced")
        #expect(try result("k", .forced(.integer(2)), domain: known) == "differs")
        #expect(
            try result("k", .forced(.integer(1)), domain: unknown)
                == "unknown: a new profile has no extension ponmlkjihgfedcbaponmlkjihgfedcba")
    }

    @Test func `what others force is listed`() throws {
        let testimony = try ask([entry(chromium, "A", .forced(.boolean(true)))])
        #expect(testimony.foreign.map(\.key) == ["B", "C", "D", "E", "F", "Z"])
        #expect(testimony.names.count == 9)
    }

    // MARK: Firefox

    private let firefox: Key = "org.mozilla.firefox"

    /// What the script returned, as Firefox 153 gave it, shortened.
    private let answer = """
        {"status": 1, "features": {"privatebrowsing": false}, "pages": {"about:privatebrowsing": true},
         "sites": {"camera https://x.example": 2},
         "active": {"DisablePrivateBrowsing": true, "SearchBar": "separate", "Handlers": {"schemes": {"m": "x"}},
            "NewTabPage": false, "DisableFormHistory": true,
            "Permissions": {"Camera": {"BlockNewRequests": true, "Block": ["https://x.example/"], "Locked": true},
                "Location": {"BlockNewRequests": true, "Locked": true}},
            "Homepage": {"URL": "https://x.example/", "Locked": true},
            "Preferences": {"browser.startup.page": {"Value": 0, "Status": "locked"},
                "network.proxy.type": {"Value": 0, "Status": "default"}, "app.foo": {"Value": 1, "Status": "locked"}},
            "NetworkPrediction": false},
         "preferences": {"browser.startup.page": {"locked": true, "value": 0, "default": 0},
            "network.proxy.type": {"locked": false, "value": 5, "default": 0}, "app.foo": {"locked": false},
            "browser.startup.homepage": {"locked": true, "value": "https://x.example/", "default": "https://x.example/"},
            "browser.newtabpage.enabled": {"locked": true, "value": true, "default": true},
            "permissions.default.camera": {"locked": true, "value": 2, "default": 2},
            "permissions.default.geo": {"locked": false, "value": 2, "default": 2}},
         "messages": ["Unknown policy: NoSuch", "Unable to set preference app.foo.", "Something else."]}
        """

    private func askFirefox(_ entries: [ProgramEntry], _ answer: String? = nil) throws -> Testimony {
        let program = MozillaFamily.all[0].prepared(for: try TemporaryMachine(.none).root)
        let requirements = entries.map { Requirement($0, in: program, for: .everybody, root: .system) }
        return MozillaWitness(program: program).testimony(
            requirements, try PlainJSON.object(Array((answer ?? self.answer).utf8)))
    }

    private func firefoxResult(_ key: Key, _ level: ProgramEntry.Level) throws -> String {
        let answer = try #require(try askFirefox([entry(firefox, key, level)]).answers.first)
        return answer.note.isEmpty ? answer.result.rawValue : "\(answer.result.rawValue): \(answer.note)"
    }

    @Test func `a policy of Firefox is enforced if something besides its text shows it`() throws {
        let camera: Value = .dictionary([
            "BlockNewRequests": .boolean(true), "Block": .array([.string("https://x.example")]),
        ])
        let open: Value = .dictionary(["BlockNewRequests": .boolean(true)])
        #expect(try firefoxResult("Permissions", .forced(.dictionary(["Camera": camera]))) == "enforced")
        #expect(
            try firefoxResult("Permissions__Location", .forced(open))
                == "differs: permissions.default.geo is not locked")
        #expect(
            try firefoxResult("NewTabPage", .forced(.boolean(false)))
                == "differs: browser.newtabpage.enabled has another value")
        #expect(
            try firefoxResult("DisableFormHistory", .forced(.boolean(true)))
                == "unknown: it has no preference browser.formfill.enable, which would show it")
        #expect(
            try firefoxResult("Handlers", .forced(.dictionary(["schemes": .dictionary(["m": .string("x")])])))
                == "unknown: it has read this, and nothing in it shows if it obeys Handlers.schemes.m")
        #expect(
            try firefoxResult("SearchBar", .forced(.string("separate")))
                == "first state only: Firefox takes SearchBar as a first state only: the user may change it")
        #expect(
            try firefoxResult("SearchBar", .recommended(.string("separate")))
                == "unknown: it has read this, and nothing in it shows if it obeys SearchBar")
    }

    @Test func `a policy of Firefox that is not active is not enforced`() throws {
        #expect(try firefoxResult("DisablePrivateBrowsing", .forced(.boolean(true))) == "enforced")
        #expect(try firefoxResult("DisablePrivateBrowsing", .forced(.boolean(false))) == "differs")
        #expect(
            try firefoxResult("Homepage", .forced(.dictionary(["URL": .string("https://x.example")]))) == "enforced")
        #expect(try firefoxResult("Homepage__URL", .forced(.string("https://x.example"))) == "enforced")
        #expect(try firefoxResult("Homepage__URL", .recommended(.string("https://x.example"))) == "differs")
        #expect(try firefoxResult("NoSuch", .forced(.integer(1))) == "error: Unknown policy: NoSuch")
        #expect(
            try firefoxResult("BlockAboutConfig", .forced(.boolean(true)))
                == "differs: BlockAboutConfig is not among its active policies")
    }

    @Test func `a preference of Firefox is enforced if it is locked`() throws {
        #expect(try firefoxResult("Preferences__browser.startup.page", .forced(.integer(0))) == "enforced")
        #expect(try firefoxResult("Preferences__network.proxy.type", .recommended(.integer(0))) == "default")
        #expect(try firefoxResult("Preferences__network.proxy.type", .forced(.integer(0))) == "differs")
        #expect(
            try firefoxResult("Preferences", .forced(.dictionary(["app.foo": .integer(1)])))
                == "error: Unable to set preference app.foo.")
    }

    @Test func `Firefox with a broken file has nothing in force`() throws {
        let testimony = try askFirefox(
            [entry(firefox, "DisablePrivateBrowsing", .forced(.boolean(true)))],
            "{\"status\": 2, \"active\": {}, \"preferences\": {}, \"messages\": []}")
        #expect(testimony.answers.map(\.result) == [.differs])
        #expect(testimony.remarks == ["It could not read its policy, and none is in force."])
    }

    @Test func `the switch of macOS is nothing to ask Firefox about`() throws {
        let entries = [
            entry(firefox, "DisablePrivateBrowsing", .forced(.boolean(true))),
            entry(firefox, "EnterprisePoliciesEnabled", .forced(.boolean(true))),
        ]
        #expect(try askFirefox(entries).answers.map(\.entry.key) == ["DisablePrivateBrowsing"])
    }

    @Test func `what Firefox says of no entry is a remark`() throws {
        let testimony = try askFirefox([entry(firefox, "DisablePrivateBrowsing", .forced(.boolean(true)))])
        #expect(testimony.remarks.count == 3)
        #expect(testimony.foreign.map(\.key).contains("NetworkPrediction"))
    }

    @Test func `a forced preference beside a recommended one stays the only locked one`() throws {
        let program = MozillaFamily.all[0].prepared(for: try TemporaryMachine(.none).root)
        let policy = ProgramPolicy([
            entry(firefox, "Preferences__a.b", .forced(.integer(1))),
            entry(firefox, "Preferences__c.d", .recommended(.integer(2))),
        ])
        let rendering = program.render(policy, for: .everybody, in: .system)
        #expect(
            rendering.files.map(\.content) == [
                .members(
                    path: ["policies"],
                    [
                        "Preferences": .dictionary([
                            "a.b": .dictionary(["Value": .integer(1), "Status": .string("locked")]),
                            "c.d": .dictionary(["Value": .integer(2), "Status": .string("default")]),
                        ])
                    ])
            ])
    }

    // MARK: Protocols

    /// Both ends of a connection; the tests write answers before questions.
    private func sockets() throws -> (one: StreamSocket, other: StreamSocket) {
        try StreamSocket.pair(deadline: Clock.monotonicMicroseconds() + 60_000_000, shown: "a test")
    }

    @Test func `DevTools skips events and takes the answer of its number`() throws {
        let (one, other) = try sockets()
        try other.send(Array("{\"method\":\"event\"}\0{\"id\":7,\"result\":{}}\0".utf8))
        try other.send(Array("{\"id\":1,\"result\":{\"a\":1}}\0".utf8))
        try other.send(Array("{\"id\":2,\"error\":{\"code\":-32000,\"message\":\"Not allowed\"}}\0{\"id\":3,".utf8))
        var pipe = DevToolsPipe(one)
        #expect(try pipe.call("A.b") == ["a": .integer(1)])
        let refusal = #expect(throws: WitnessError.self) { try pipe.call("A.c") }
        #expect(refusal?.description == "it refuses A.c: Not allowed")
        try other.send(Array("\"result\":{\"b\":2}}\0not JSON\0".utf8))
        #expect(try pipe.call("A.d") == ["b": .integer(2)])
        #expect(throws: WitnessError.self) { try pipe.call("A.e") }
    }

    @Test func `DevTools says that the browser ended`() throws {
        let (one, _) = try sockets()
        var pipe = DevToolsPipe(one)
        let error = #expect(throws: WitnessError.self) { try pipe.call("A.b") }
        #expect(error?.description == WitnessError.ended.description)
    }

    @Test func `Marionette reads messages that arrive in pieces`() throws {
        let (one, other) = try sockets()
        func message(_ text: String) -> [UInt8] { Array("\(text.utf8.count):\(text)".utf8) }
        let value = message("[1,1,null,{\"value\":1}]")
        try other.send(message("{\"marionetteProtocol\":3}") + value.prefix(1))
        var connection = try MarionetteConnection(one)
        try other.send(Array(value.dropFirst()) + message("[1,2,{\"error\":\"e\",\"message\":\"m\"},null]"))
        #expect(try connection.call("A") == ["value": .integer(1)])
        let refusal = #expect(throws: WitnessError.self) { try connection.call("B") }
        #expect(refusal?.description == "it refuses B: m")
        try other.send(message("[1,7,null,{}]"))
        #expect(throws: WitnessError.self) { try connection.call("C") }
    }

    @Test(
        arguments: ["x:{}", "999999999999:{}", "-1:{}", "{\"a\":1,\"b\":2}", "2:[]", "24:{\"marionetteProtocol\":2}"])
    func `Marionette refuses other protocols`(_ greeting: String) throws {
        let (one, other) = try sockets()
        try other.send(Array(greeting.utf8))
        #expect(throws: WitnessError.self) { try MarionetteConnection(one) }
    }

    // MARK: GSettings, KDE and LibreOffice

    @Test func `what GSettings prints is compared`() {
        let forced = entry("org.gnome.a", "k", .forced(.integer(7)))
        let number = GVariant.integer(UInt8(ascii: "u"), Integer(7))
        func result(_ entry: ProgramEntry, _ wanted: GVariant?, _ text: String, _ writable: String) -> String {
            SettingsWitness.answer(entry, wanted: wanted, text, writable).result.rawValue
        }
        #expect(result(forced, number, "uint32 7", "false") == "enforced")
        #expect(result(forced, number, "uint32 7", "true") == "differs")
        #expect(result(forced, number, "uint32 8", "false") == "differs")
        #expect(SettingsWitness.answer(forced, wanted: number, "uint32 7", "false").value == .integer(7))
        #expect(result(entry("org.gnome.a", "k", .recommended(.integer(7))), number, "uint32 7", "true") == "default")
        #expect(result(entry("org.gnome.a", "k", .absent), nil, "'x'", "false") == "enforced")
        #expect(result(entry("org.gnome.a", "k", .absent), nil, "'x'", "true") == "differs")
    }

    @Test func `what two users get from KConfig is compared`() {
        func result(_ level: ProgramEntry.Level, _ first: String, _ second: String) -> String {
            KDEWitness.answer(entry("org.kde.labrc", "G/K", level), first, second).result.rawValue
        }
        let (none, other) = ("(managed-defaults: none)", "managed-defaults-other")
        #expect(result(.forced(.boolean(true)), "true", "true") == "enforced")
        #expect(result(.forced(.boolean(true)), "true", other) == "differs")
        #expect(result(.forced(.boolean(true)), none, none) == "differs")
        #expect(result(.forced(.array([.string("a,b")])), "a\\,b", "a\\,b") == "enforced")
        #expect(result(.recommended(.integer(7)), "7", other) == "default")
        #expect(result(.absent, none, none) == "enforced")
        #expect(result(.absent, none, other) == "differs")
        #expect(result(.absent, "x", "x") == "differs")
    }

    @Test func `what LibreOffice says is compared`() {
        func result(_ level: ProgramEntry.Level, _ known: Value?) -> String {
            LibreOfficeWitness.answer(entry("org.libreoffice.Inet", "a/b", level), known).result.rawValue
        }
        func known(_ value: Value?, _ isLocked: Bool) -> Value {
            .dictionary(["locked": .boolean(isLocked)].merging(value.map { ["value": $0] } ?? [:]) { one, _ in one })
        }
        #expect(result(.forced(.integer(3)), known(.integer(3), true)) == "enforced")
        #expect(result(.forced(.integer(3)), known(.integer(3), false)) == "differs")
        #expect(result(.forced(.integer(3)), known(.integer(4), true)) == "differs")
        #expect(result(.forced(.data([0x0a, 0xff])), known(.string("0aff"), true)) == "enforced")
        #expect(result(.recommended(.string("x")), known(.string("x"), false)) == "default")
        #expect(result(.absent, known(nil, true)) == "enforced")
        #expect(result(.absent, known(.integer(1), true)) == "differs")
        #expect(result(.forced(.integer(3)), nil) == "error")
    }
}
