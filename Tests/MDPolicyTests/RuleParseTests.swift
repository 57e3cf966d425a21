import MDPlatform
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools
import Testing

/// Time, rules, waivers and metadata of a policy file: the parsed values, and errors at their exact place.
struct RuleParseTests {
    /// Parses a marked JSON policy and compares all findings.
    func expect(_ marked: String, _ findings: [Finding], location: SourceLocation = #_sourceLocation) {
        Finding.expect(
            "{ \"Identifier\": \"a.b\",\n" + marked + " }", findings,
            loads: findings.allSatisfy { $0.severity == .warning }, refusing: .none, location: location)
    }

    /// Parses a policy without an error.
    func parse(_ text: String, path: String = "/p.json") throws -> PolicyFile {
        let result = PolicyFile.parse(bytes: Array(text.utf8), path: path, refusing: .none)
        #expect(result.diagnostics == [])
        return try #require(result.file)
    }

    @Test func `reads a schedule with windows and calendars`() throws {
        let target = try #require(
            try parse(
                """
                { "Identifier": "a.b", "Target": {
                    "Schedule": [
                        { "Days": ["Mon", "Wed"], "From": "09:00", "To": "11:00:30", "TimeZone": "Europe/Zurich" },
                        "exam-week",
                        { "From": "22:00", "To": "06:00" }, { "From": "22:00", "To": "00:00" }, {} ],
                    "NotBefore": "2026-11-23T08:00:00Z", "NotAfter": { "$date": "2026-11-27T18:00:00Z" } } }
                """
            ).target)
        let items = try #require(target.schedule)
        #expect(items.count == 5)
        guard case .window(let first) = items[0], case .calendar(let name, let place) = items[1],
            case .window(let night) = items[2], case .window(let evening) = items[3],
            case .window(let always) = items[4]
        else {
            Issue.record("the items are others: \(items)")
            return
        }
        #expect(first.days == [.monday, .wednesday])
        #expect((first.from, first.to) == (32_400, 39_630))
        #expect(first.timeZone == "Europe/Zurich")
        #expect(first.position.description == "3:9")
        #expect(name == "exam-week")
        #expect(place.description == "4:9")
        #expect((night.from, night.to, night.isOvernight) == (79_200, 21_600, true))
        #expect((evening.from, evening.to, evening.isOvernight) == (79_200, 86_400, false))
        #expect((always.from, always.to, always.days.count) == (0, 86_400, 7))
        #expect(target.notBefore == Timestamp(rfc3339: "2026-11-23T08:00:00Z"))
        #expect(target.notAfter == Timestamp(rfc3339: "2026-11-27T18:00:00Z"))
    }

    @Test func `reads a schedule of one item`() throws {
        let text = #"{ "Identifier": "a.b", "Target": { "Schedule": "exam-week" } }"#
        #expect(try parse(text).target?.schedule?.count == 1)
        let window = #"{ "Identifier": "a.b", "Target": { "Schedule": { "Days": ["Sun"] } } }"#
        #expect(try parse(window).target?.schedule?.count == 1)
    }

    @Test func `reads dates of XML property lists`() throws {
        let text = """
            <plist><dict><key>Identifier</key><string>a.b</string>
            <key>Target</key><dict><key>NotAfter</key><date>2026-11-27T18:00:00Z</date></dict>
            <key>Waivers</key><array><dict><key>Domain</key><string>org.x</string><key>Key</key><string>K</string>
            <key>Until</key><date>2026-12-01T00:00:00Z</date></dict></array></dict></plist>
            """
        let file = try parse(text, path: "/p.plist")
        #expect(file.target?.notAfter == Timestamp(rfc3339: "2026-11-27T18:00:00Z"))
        #expect(file.waivers.first?.until == Timestamp(rfc3339: "2026-12-01T00:00:00Z"))
    }

    @Test func `finds what is wrong with times`() {
        expect(
            """
            "Target": {
              "NotBefore": ❶"2026-11-23", "NotAfter": ❷7,
              "Schedule": [ ❸7, ❹"", { "Day": ❺[] }, { "Days": ❻[] }, { "Days": [❼"monday", ❽"x"] }, { "Days": ❾"Mon" } ] }
            """.replacing("\"Day\": ❺[]", with: "❺\"Day\": []"),
            [
                Finding(
                    "❶", .invalidValue,
                    "Target.NotBefore must be a time as in \"2026-11-23T08:00:00Z\", with its offset from UTC, not"
                        + " \"2026-11-23\""),
                Finding("❷", .wrongType, "Target.NotAfter must be a string or a date, not an integer"),
                Finding(
                    "❸", .wrongType,
                    "an item of Target.Schedule must be a window or the name of a calendar, not an integer"),
                Finding("❹", .invalidValue, "the name \"\" of a calendar is empty"),
                Finding("❺", .unknownField, "a window has no field \"Day\"; Days is probably meant"),
                Finding("❻", .invalidValue, "Days is empty; without Days, a window is open every day"),
                Finding(
                    "❼", .invalidValue,
                    "a day is Mon, Tue, Wed, Thu, Fri, Sat or Sun, not \"monday\"; Mon is probably meant"),
                Finding("❽", .invalidValue, "a day is Mon, Tue, Wed, Thu, Fri, Sat or Sun, not \"x\""),
                Finding("❾", .wrongType, "Days must be an array of strings, not a string"),
            ])
        expect(
            """
            "Calendars": { "a": [ ❶{ "From": "08:00", "To": "08:00" }, { "From": ❷"24:00" }, { "To": ❸"24:00:01" },
              { "From": ❹9 }, { "TimeZone": ❺"../etc" }, { "TimeZone": ❻"/UTC" }, ❼"b" ], "c": ❽[], "d": ❾{} }
            """,
            [
                Finding(
                    "❶", .invalidValue,
                    "From and To of a window are the same time; a whole day is written without them, or to 24:00"),
                Finding(
                    "❷", .invalidValue,
                    "From must be a time of day from 00:00 to 23:59, with or without seconds, not \"24:00\""),
                Finding(
                    "❸", .invalidValue,
                    "To must be a time of day from 00:00 to 24:00, with or without seconds, not \"24:00:01\""),
                Finding("❹", .wrongType, "From must be a string, not an integer"),
                Finding("❺", .invalidValue, "the TimeZone \"../etc\" is no IANA name, such as Europe/Zurich"),
                Finding("❻", .invalidValue, "the TimeZone \"/UTC\" begins or ends with '/', or has two in a row"),
                Finding(
                    "❼", .wrongType,
                    "a window of Calendars.a must be a dictionary with Days, From, To and TimeZone, not a string"),
                Finding("❽", .emptyClause, "Calendars.c is empty, so it is never open", severity: .warning),
                Finding("❾", .wrongType, "Calendars.d must be an array of windows, not a dictionary"),
            ])
        // Each error of a window is reported, whatever else is wrong there.
        expect(
            """
            "Target": { "Schedule": ❶{ "Days": [❷"x", "Mon"], "From": "08:00", "To": "08:00", "TimeZone": ❸"/UTC", ❹"Zone": 1 } },
            "Calendars": { "a": [ { "To": ❺"25:00", "From": ❻7, "TimeZone": ❼9, "Days": ❽[] } ] }
            """,
            [
                Finding(
                    "❶", .invalidValue,
                    "From and To of a window are the same time; a whole day is written without them, or to 24:00"),
                Finding("❷", .invalidValue, "a day is Mon, Tue, Wed, Thu, Fri, Sat or Sun, not \"x\""),
                Finding("❸", .invalidValue, "the TimeZone \"/UTC\" begins or ends with '/', or has two in a row"),
                Finding("❹", .unknownField, "a window has no field \"Zone\""),
                Finding(
                    "❺", .invalidValue,
                    "To must be a time of day from 00:00 to 24:00, with or without seconds, not \"25:00\""),
                Finding("❻", .wrongType, "From must be a string, not an integer"),
                Finding("❼", .wrongType, "TimeZone must be a string, not an integer"),
                Finding("❽", .invalidValue, "Days is empty; without Days, a window is open every day"),
            ])
        expect(
            "\"Calendars\": { \"a\": [ ❶{ \"Days\": ❷[], \"From\": \"08:00\", \"To\": \"08:00\" } ] }",
            [
                Finding(
                    "❶", .invalidValue,
                    "From and To of a window are the same time; a whole day is written without them, or to 24:00"),
                Finding("❷", .invalidValue, "Days is empty; without Days, a window is open every day"),
            ])
        expect(
            "\"Target\": { \"Schedule\": ❶[] }",
            [
                Finding(
                    "❶", .emptyClause, "Target.Schedule is empty, so the file never applies", severity: .warning)
            ])
    }

    @Test(arguments: [
        ("00:00", 0), ("23:59:59", 86_399), ("24:00", 86_400), ("09:30", 34_200),
    ])
    func `reads times of day`(_ text: String, _ second: Int) throws {
        let from = second == 1 ? "00:00" : "00:01"
        let file = try parse(
            #"{ "Identifier": "a.b", "Calendars": { "c": [ { "From": "\#(from)", "To": "\#(text)" } ] } }"#)
        #expect(file.calendars.first?.windows.first?.to == (second == 0 ? 86_400 : second))
        #expect(file.calendars.first?.position.description == "1:39")
    }

    @Test(arguments: ["9:00", "09:60", "24:01", "09-00", "09:00:60", "09:0", "", "09:00:", "٠٩:٠٠", "1e:00"])
    func `refuses what is no time of day`(_ text: String) {
        let policy = #"{ "Identifier": "a.b", "Calendars": { "c": [ { "To": "\#(text)" } ] } }"#
        let result = PolicyFile.parse(bytes: Array(policy.utf8), path: "/p.json", refusing: .none)
        #expect(result.diagnostics.map(\.code) == ["invalid-value"])
    }

    @Test func `reads rules, waivers and metadata with their places`() throws {
        let file = try parse(
            """
            { "Identifier": "a.b",
              "SetOnce": { "org.x": { "S": 14 } },
              "Sealed": ["org.kiosk"],
              "Constraints": { "org.x": { "Volume": { "Minimum": 1, "Maximum": 70.5 }, "P": { "Pattern": "[a-z]+" },
                                          "O": { "OneOf": [1, "a"] } } },
              "Combine": { "org.x": { "L": "union" } },
              "Waivers": [ { "Users": ["bob"], "Groups": ["g"], "Hosts": ["h*"], "Tags": ["t"], "Domain": "org.x",
                             "Key": "K", "Until": "2026-12-01T00:00:00Z", "Reason": "thesis", "ApprovedBy": "IT-211" } ],
              "Metadata": { "org.x": { "K": { "Title": "T", "Description": "D", "Controls": ["CIS 1"],
                                              "Sensitive": true, "Programs": ["/opt/x-*/x"], "Severity": "high" } } } }
            """)
        #expect(file.metadata.first?.programs.map(\.text) == ["/opt/x-*/x"] && file.metadata.first?.severity == .high)
        let once = try #require(file.entries.first)
        #expect((once.level, once.key, once.value?.value) == (.setOnce, "S", .integer(14)))
        #expect(once.origin.policy == "a.b")
        #expect(file.seals.map(\.domain) == ["org.kiosk"])
        #expect(file.seals.first?.origin.description == "/p.json:3:14")
        #expect(file.constraints.map(\.key) == ["Volume", "P", "O"])
        #expect(
            file.constraints.map(\.constraint.words) == [
                "from 1 to 70.5", "a text that matches [a-z]+", "one of 1, a",
            ])
        #expect(file.constraints.first?.origin.description == "/p.json:4:31")
        #expect(file.constraints.first?.origin.policy == "a.b")
        #expect(file.combine.map(\.combine) == [.union])
        let waiver = try #require(file.waivers.first)
        #expect(waiver.clauses.users?.map(\.name) == ["bob"])
        #expect(waiver.clauses.hosts?.map(\.text) == ["h*"])
        #expect((waiver.domain, waiver.key, waiver.reason, waiver.approvedBy) == ("org.x", "K", "thesis", "IT-211"))
        #expect(waiver.origin.description == "/p.json:7:16")
        #expect(
            file.metadata.map(\.metadata) == [
                KeyMetadata(title: "T", description: "D", controls: ["CIS 1"], isSensitive: true)
            ])
    }

    @Test func `finds what is wrong with rules`() {
        expect(
            """
            "Sealed": ["org.x", ❶"a/b", ❷"org.x", ❸7],
            "Combine": { "org.x": { "K": ❹"onion", "L": ❺7 } },
            "Constraints": { "org.x": { "A": ❻{}, "B": ❼7, "C": { ❽"Minimun": 1 }, "D": { "Maximum": ❾"70" } } }
            """,
            [
                Finding("❶", .invalidDomain, "the domain \"a/b\" in Sealed contains '/'"),
                Finding("❷", .duplicateKey, "the domain \"org.x\" already stands at 2:12"),
                Finding("❸", .wrongType, "an item of Sealed must be a string, not an integer"),
                Finding(
                    "❹", .invalidValue,
                    "Combine.org.x.K must be replace, union, merge, min, max, and, or or, not \"onion\"; union is"
                        + " probably meant"),
                Finding("❺", .wrongType, "Combine.org.x.L must be a string, not an integer"),
                Finding(
                    "❻", .missingField,
                    "Constraints.org.x.A is empty; a constraint has Minimum, Maximum, OneOf or Pattern"),
                Finding(
                    "❼", .wrongType,
                    "Constraints.org.x.B must be a dictionary with Minimum, Maximum, OneOf or Pattern, not an integer"),
                Finding(
                    "❽", .unknownField,
                    "Constraints.org.x.C has no field \"Minimun\"; Minimum is probably meant"),
                Finding("❾", .wrongType, "Constraints.org.x.D.Maximum must be a number, not a string"),
            ])
        expect(
            """
            "Constraints": { "org.x": { "A": { "Pattern": ❶"a(b" }, "B": { "OneOf": ❷1 }, "C": { "OneOf": [❸"${user}"] },
              ❹"D": { "Minimum": 3, "Maximum": 2 }, ❺"E": { "OneOf": [] }, ❻"F": { "OneOf": ["a"], "Maximum": 3 },
              ❼"G": { "Pattern": "a", "Maximum": 3 }, ❽"H": { "Pattern": "a$b" }, "I": { "Minimum": ❾{"$real": "nan"} } } }
            """,
            [
                Finding(
                    "❶", .invalidPattern,
                    "Constraints.org.x.A.Pattern is no pattern: at character 2, this '(' has no ')'"),
                Finding("❷", .wrongType, "Constraints.org.x.B.OneOf must be an array of values, not an integer"),
                Finding(
                    "❸", .unknownVariable,
                    "variables are not expanded in Constraints.org.x.C.OneOf"),
                Finding(
                    "❹", .unsatisfiableConstraint,
                    "no value satisfies Constraints.org.x.D: its Minimum is greater than its Maximum"),
                Finding(
                    "❺", .unsatisfiableConstraint,
                    "no value satisfies Constraints.org.x.E: its OneOf is empty"),
                Finding(
                    "❻", .unsatisfiableConstraint,
                    "no value satisfies Constraints.org.x.F: none of the values of its OneOf satisfies the rest of it"),
                Finding(
                    "❼", .unsatisfiableConstraint,
                    "no value satisfies Constraints.org.x.G: its bounds ask for a number, and its Pattern matches none"),
                Finding(
                    "❽", .unsatisfiableConstraint,
                    "no value satisfies Constraints.org.x.H: no string matches its Pattern"),
                Finding(
                    "❾", .invalidValue, "Constraints.org.x.I.Minimum must be a number, and nan is none"),
            ])
    }

    @Test(arguments: [
        ("[0-9]+", true), (#"\\d{2,}%|5"#, true), (".*", true), ("-?1", true), (#"[+-]\\d\\.5"#, true), ("^1$", true),
        ("a", false), ("5%", false), (#"\\.5"#, false), (#"1\\."#, false), ("[+-]", false),
        (#"1\\.2\\.3"#, false), ("", false), ("1-2", false),
    ])
    func `a pattern and bounds leave strings of digits`(_ pattern: String, _ isSatisfiable: Bool) {
        let text = #""Constraints": { "org.x": { ❶"A": { "Pattern": "\#(pattern)", "Minimum": 3 } } }"#
        let message =
            "no value satisfies Constraints.org.x.A: its bounds ask for a number, and its Pattern matches none"
        expect(text, isSatisfiable ? [] : [Finding("❶", .unsatisfiableConstraint, message)])
    }

    @Test func `finds what is wrong with waivers and metadata`() {
        expect(
            """
            "Waivers": [ ❶7, ❷{ "Domain": "org.x" }, { "Domain": ❸"a/b", "Key": ❹"", "Until": ❺"tomorrow", ❻"Reasons": "" } ],
            "Metadata": { "org.x": { "K": { ❼"Titel": "", "Controls": ❽"CIS", "Sensitive": ❾1 } } }
            """,
            [
                Finding("❶", .wrongType, "an item of Waivers must be a dictionary, not an integer"),
                Finding("❷", .missingField, "this waiver has no Key; a waiver lifts one key of one domain"),
                Finding("❸", .invalidDomain, "the domain \"a/b\" in Waivers contains '/'"),
                Finding("❹", .invalidKey, "the key \"\" is empty"),
                Finding(
                    "❺", .invalidValue,
                    "Until must be a time as in \"2026-11-23T08:00:00Z\", with its offset from UTC, not \"tomorrow\""),
                Finding("❻", .unknownField, "a waiver has no field \"Reasons\"; Reason is probably meant"),
                Finding("❼", .unknownField, "Metadata.org.x.K has no field \"Titel\"; Title is probably meant"),
                Finding("❽", .wrongType, "Metadata.org.x.K.Controls must be an array of strings, not a string"),
                Finding("❾", .wrongType, "Metadata.org.x.K.Sensitive must be a boolean, not an integer"),
            ])
        expect(
            #""Metadata": { "org.x": { "K": { "Programs": [❶"kiosk", "/usr/bin/kiosk"] }, "L": { "Programs": ❷"/x", "Severity": ❸"grave" } } }"#,
            [
                Finding(
                    "❶", .invalidValue,
                    "an item of Metadata.org.x.K.Programs must be the path of a program from / on, or a glob of paths, with"
                        + " at most 255 bytes, not \"kiosk\""),
                Finding("❷", .wrongType, "Metadata.org.x.L.Programs must be an array of strings, not a string"),
                Finding(
                    "❸", .invalidValue,
                    "Metadata.org.x.L.Severity must be \"info\", \"low\", \"medium\" or \"high\", not \"grave\""),
            ])
    }

    @Test func `bounds windows and patterns`() {
        let windows = Array(repeating: "{}", count: 1_001).joined(separator: ", ")
        expect(
            "\"Calendars\": { \"c\": ❶[\(windows)] }",
            [Finding("❶", .invalidValue, "Calendars.c has 1001 windows; there are at most 1000")])
        let patterns = (0..<101).map { "\"K\($0)\": { \"Pattern\": \($0 == 100 ? "❶" : "")\"(?:a{99}b){99}c{99}\" }" }
        expect(
            "\"Constraints\": { \"org.x\": { \(patterns.joined(separator: ", ")) } }",
            [
                Finding(
                    "❶", .invalidPattern,
                    "the patterns of this file unfold to more than 1000000 steps; repeat less")
            ])
    }

    @Test func `does not take a set-once entry for a second one of a forced key`() throws {
        let file = try parse(
            #"{ "Identifier": "a.b", "Absent": { "org.x": ["K"] }, "SetOnce": { "org.x": { "K": 1 } } }"#)
        #expect(file.entries.map(\.level) == [.absent, .setOnce])
    }
}
