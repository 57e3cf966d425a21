import Foundation
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

/// What can never matter, or says nothing.
extension LintRuleTests {
    @Test func `finds waivers that cannot free their key`() throws {
        let until = #""Until": "2027-11-20T08:00:00Z", "Reason": "x""#
        try expect(
            [
                (
                    "1.json",
                    policy(
                        "a",
                        """
                        "Enforced": true, "Forced": { "org.x": { "K": 1, "L": 1 } }, "Sealed": ["org.y"],
                        "Constraints": { "org.z": { "M": { "Maximum": 1 }, "N": { "Maximum": 1 } } }
                        """)
                ),
                (
                    "2.json",
                    policy(
                        "b", #""Enforced": true, "Target": { "Users": ["bob"] }, "Forced": { "org.p": { ❶"K": 1 } }"#)
                ),
                (
                    "3.json",
                    policy(
                        "c",
                        """
                        "Forced": { "org.z": { "N": 0 } }, "Waivers": [
                          ❶{ "Users": ["al"], "Domain": "org.x", "Key": "K", \(until) },
                          ❷{ "Users": ["al"], "Domain": "org.y", "Key": "K", \(until) },
                          ❸{ "Users": ["al"], "Domain": "org.z", "Key": "M", \(until) },
                          { "Users": ["al"], "Domain": "org.z", "Key": "N", \(until) },
                          { "Users": ["al"], "Domain": "org.p", "Key": "K", \(until) },
                          ❹{ "Groups": ["g"], "Domain": "org.p", "Key": "K", \(until) } ]
                        """)
                ),
                (
                    "4.json",
                    policy(
                        "d", "\"Enforced\": true, \"Waivers\": [ { \"Domain\": \"org.x\", \"Key\": \"L\", \(until) } ]")
                ),
            ],
            [
                ("3.json", "❶", "K", "without effect", "forces the key"),
                ("3.json", "❷", "K", "without effect", "seals the domain"),
                ("3.json", "❸", "M", "without effect", "limits the key"),
                ("3.json", "❹", "K", "without effect where <2.json❶> applies as well", "forces the key"),
            ].map { file, mark, key, words, clause in
                let holder = mark == "❹" ? "2.json" : "1.json"
                return (
                    file, Character(mark),
                    "warning: this waiver of \"\(key)\" is \(words): \(holder), which is Enforced, still \(clause)"
                        + " [waiver-without-effect]"
                )
            })
    }

    @Test func `finds what a seal or a forced value keeps from ever mattering`() throws {
        try expect(
            [
                (
                    "1.json",
                    policy("a", #""Sealed": [❶"org.s"], "Forced": { "org.x": { ❷"K": 5, ❸"Out": 9, "W": 1 } }"#)
                ),
                (
                    "2.json",
                    policy(
                        "b",
                        """
                        "Recommended": { "org.s": { ❶"R": 1, "W": 1 } }, "SetOnce": { "org.s": { ❷"S": 1 } },
                        "Forced": { "org.s": { "F": 1 } },
                        "Constraints": { "org.s": { ❸"C": { "Maximum": 1 }, "One": { "OneOf": [1] } },
                          "org.x": { ❹"K": { "Maximum": 7 }, ❺"Out": { "Maximum": 7 }, "W": { "Maximum": 7 } } }
                        """)
                ),
                (
                    "3.json",
                    policy(
                        "c",
                        """
                        "Waivers": [
                          { "Domain": "org.s", "Key": "W", "Until": "2027-01-01T00:00:00Z", "Reason": "x" },
                          { "Domain": "org.x", "Key": "W", "Until": "2027-01-01T00:00:00Z", "Reason": "x" } ]
                        """)
                ),
                (
                    "4.json",
                    policy(
                        "d", #""Target": { "Users": ["bob"] }, "Sealed": ["org.t"], "Forced": { "org.t": { "K": 1 } }"#)
                ),
                ("5.json", policy("e", #""Recommended": { "org.t": { "R": 1 } }"#)),
            ],
            [
                (
                    "1.json", "❸",
                    "warning: the forced value of \"Out\" is outside of the constraint at <2.json❺> (at most 7); it is in"
                        + " force nevertheless [outside-constraint]"
                ),
                (
                    "2.json", "❶",
                    "warning: the recommended value of \"R\" of org.s (1) is never seen: <1.json❶> seals the domain for everybody this"
                        + " file applies to [never-wins]"
                ),
                (
                    "2.json", "❷",
                    "warning: the value that is set once for \"S\" of org.s (1) is never seen: <1.json❶> seals the domain for everybody"
                        + " this file applies to [never-wins]"
                ),
                (
                    "2.json", "❸",
                    "warning: the constraint of \"C\" of org.s (at most 1) never counts: <1.json❶> seals the domain for everybody this file"
                        + " applies to [never-wins]"
                ),
                (
                    "2.json", "❹",
                    "warning: the constraint of \"K\" of org.x (at most 7) never counts: <1.json❷> forces the key (5) for everybody this file"
                        + " applies to [never-wins]"
                ),
            ])
    }

    @Test func `finds absent entries that a value of NSGlobalDomain comes before, and domains that are names of files`()
        throws
    {
        let until = #""Until": "2999-01-01T00:00:00Z", "Reason": "r""#
        try expect(
            [
                (
                    "1.json",
                    policy(
                        "a",
                        #""Absent": { "org.x": [❶"K", "L", "M", "W"] }, "Forced": { ❷"org.y.json": { "K": 1 } }"#)
                ),
                ("2.json", policy("b", #""Forced": { "NSGlobalDomain": { ❶"K": 1, ❷"L": 1, "W": 1 } }"#)),
                ("3.json", policy("c", #""Target": { "Users": ["al"] }, "Forced": { "NSGlobalDomain": { "M": 1 } }"#)),
                (
                    "4.json",
                    policy(
                        "d",
                        """
                        "Target": { "Users": ["al"] }, "Absent": { "NSGlobalDomain": [❶"L"] },
                        "Waivers": [ { "Users": ["bo"], "Domain": "NSGlobalDomain", "Key": "W", \(until) } ]
                        """)
                ),
            ],
            [
                (
                    "1.json", "❶",
                    "warning: \"K\" of org.x (no value) never wins: <2.json❶> forces a value of the key in NSGlobalDomain for"
                        + " everybody this file applies to, and a value comes before none [never-wins]"
                ),
                (
                    "1.json", "❷",
                    "warning: the domain \"org.y.json\" in Forced ends in .json: that is the name of a file, and the domain is"
                        + " what stands before it [invalid-domain]"
                ),
            ])
    }

    @Test func `finds waivers that end before their file begins, and names that stand in a list twice`() throws {
        let names = #""Users": ["al", "bo", ❶"al"], "Except": { "Groups": ["x", ❷"x"] }"#
        try expect(
            [
                (
                    "1.json",
                    policy(
                        "a",
                        """
                        "Target": { \(names), "NotBefore": "2027-01-02T00:00:00Z" },
                        "Forced": { "org.x": { "K": 1 } }, "Waivers": [
                          ❸{ "Users": ["bo"], "Domain": "org.x", "Key": "K", "Until": "2027-01-01T00:00:00Z", "Reason": "r" },
                          { "Users": ["al"], "Domain": "org.x", "Key": "K", "Until": "2027-01-03T00:00:00Z", "Reason": "r" } ]
                        """)
                )
            ],
            [
                ("1.json", "❶", "warning: the name \"al\" stands in Target.Users twice [duplicate-key]"),
                ("1.json", "❷", "warning: the name \"x\" stands in Target.Except.Groups twice [duplicate-key]"),
                (
                    "1.json", "❸",
                    "warning: this waiver ends at 2027-01-01T00:00:00Z, before its file begins to apply"
                        + " [waiver-without-effect]"
                ),
            ])
    }

    @Test func `finds waivers that another one makes needless, the later one of two that are alike`() throws {
        /// A waiver of K, marked.
        func waiver(_ clause: String, _ until: String, _ key: String = "K") -> String {
            #"{ \#(clause)"Domain": "org.x", "Key": "\#(key)", "Until": "\#(until)T00:00:00Z", "Reason": "r" }"#
        }
        let (al, both) = (#""Users": ["al"], "#, #""Users": ["al", "bo"], "#)
        /// The finding.
        func words(_ place: String) -> String {
            "warning: this waiver of \"K\" changes nothing: <\(place)> lifts the key for the same people, at least as long"
                + " [waiver-without-effect]"
        }
        try expect(
            [
                ("1.json", policy("a", #""Forced": { "org.x": { "K": 1, "L": 1 } }"#)),
                (
                    "2.json",
                    policy(
                        "b",
                        """
                        "Waivers": [
                          ❶\(waiver(al, "2027-01-01")), ❷\(waiver(al, "2027-01-01")),
                          ❸\(waiver(both, "2026-12-01")), \(waiver(#""Users": ["cy"], "#, "2027-01-01")),
                          \(waiver(#""Groups": ["g"], "#, "2027-01-01", "L")), \(waiver(al, "2027-01-01", "L")) ]
                        """)
                ),
                (
                    // For fewer hosts, and for fewer people, nothing is needless.
                    "3.json",
                    policy("c", #""Target": { "Hosts": ["pc1"] }, "Waivers": [ \#(waiver(both, "2028-01-01")) ]"#)
                ),
                ("4.json", policy("d", "\"Waivers\": [ ❶\(waiver(both, "2026-12-31")) ]")),
                (
                    // One of an Enforced file lifts more than one of any other.
                    "5.json",
                    policy("e", "\"Enforced\": true, \"Waivers\": [ \(waiver(al, "2026-12-31")) ]")
                ),
            ],
            [("2.json", "❷", words("2.json❶")), ("2.json", "❸", words("4.json❶"))])
    }

    @Test func `a waiver is held to whom there is on the machine`() throws {
        let machine = try TemporaryMachine()
        let until = #""Until": "2999-01-01T00:00:00Z", "Reason": "r""#
        try machine.write("/etc/group", "students:x:1100:alice\n")
        try machine.write(
            "/etc/managed-defaults/policies.d/10.json",
            policy("a", #""Enforced": true, "Target": { "Groups": ["students"] }, "Forced": { "org.x": { "K": 1 } }"#))
        try machine.write(
            "/etc/managed-defaults/policies.d/20.json", policy("b", #""Forced": { "org.x": { "K": 2 } }"#))
        try machine.write(
            "/etc/managed-defaults/policies.d/30.json",
            policy(
                "c",
                """
                "Waivers": [
                  { "Users": ["bob"], "Domain": "org.x", "Key": "K", \(until) },
                  { "Users": ["alice"], "Domain": "org.x", "Key": "K", \(until) } ]
                """))
        /// The lines of findings about waivers.
        func lines(_ findings: [Diagnostic]) -> [Int] {
            findings.filter { $0.code == "waiver-without-effect" }.map(\.position.line)
        }
        #expect(lines(Lint.run(root: machine.root)) == [3])
        // Without a machine, the members of a group are unknown.
        #expect(lines(Lint.run(files: [machine.directory.path + "/etc/managed-defaults/policies.d"])) == [2, 3])
    }

    @Test func `files are seen beside the rest of their folder, of which nothing else is said`() throws {
        let machine = try TemporaryMachine()
        let until = #""Until": "2999-01-01T00:00:00Z", "Reason": "r""#
        let set = [
            "00.json": policy("a", #""Calendars": { "exam": [{ "Days": ["Mon"] }] }"#),
            "10.json": policy(
                "b", #""Forced": { "org.x": { "K": 1, "Odd": 1 } }, "Recommended": { "org.z": { "odd": 1 } }"#),
            "20.json": policy(
                "c",
                """
                "Target": { "Schedule": ["exam"] }, "Forced": { "org.y": { "L": 1 } }, "Combine": { "org.x": { "K": "union" } },
                "Metadata": { "org.x": { "K": { "Sensitive": true } } },
                "Waivers": [ { "Users": ["al"], "Domain": "org.x", "Key": "Odd", \(until) } ]
                """),
            "30.json": policy(
                "b", #""Forced": { "org.x": { "Odd": 2 } }, "Waivers": [ { "Domain": "no", "Key": "K" } ]"#),
        ]
        for folder in ["/repo/policies", "/repo/mixed", "/open", "/repo/policies.d"] {
            for (name, text) in set { try machine.write("\(folder)/\(name)", text) }
        }
        for folder in ["/repo/mixed", "/repo/policies.d"] {
            try machine.write(folder + "/package.json", #"{ "name": "x" }"#)
        }
        try machine.setMode("/open", 0o777)
        /// The findings of some files, each with its file.
        func found(_ folder: String, _ names: String...) -> [String] {
            Lint.run(files: names.map { "\(machine.directory.path)\(folder)/\($0)" }).map { finding in
                "\((finding.file as NSString).lastPathComponent) \(finding.code)"
            }
        }
        let alone = ["20.json unknown-calendar", "20.json idle-rule", "20.json idle-rule"]
        #expect(found("/repo/policies", "20.json") == ["10.json cannot-combine"])
        #expect(found("/repo/mixed", "20.json") == alone)
        #expect(found("/open", "20.json") == alone)
        // Profiles that lie side by side are a collection.
        try machine.write("/repo/profiles/20.json", set["20.json"] ?? "")
        try machine.write("/repo/profiles/00.json", set["00.json"] ?? "")
        try machine.write("/repo/profiles/x.mobileconfig", "no profile")
        #expect(found("/repo/profiles", "20.json") == alone)
        // A file that does not parse there counts as a broken policy file, which may say anything.
        #expect(found("/repo/policies.d", "20.json") == ["10.json cannot-combine"])
        // What a file does to others is its own doing, wherever it shows.
        #expect(
            found("/repo/policies", "30.json") == [
                "10.json never-wins", "30.json duplicate-identifier", "30.json idle-rule", "30.json waiver-without-end",
                "30.json waiver-without-reason",
            ])
        let words = Lint.run(files: ["\(machine.directory.path)/repo/policies/30.json"]).map(\.message)
        #expect(words.contains { $0.contains("no file of this folder forces, seals or constrains \"K\"") })
        #expect(
            found("/repo/policies", "10.json", "00.json") == [
                "10.json cannot-combine", "10.json never-wins", "30.json duplicate-identifier",
            ])
        // Only the named file is corrected.
        try machine.write("/repo/policies/40.json", #"{ "Identifier": "a.z", "Forcd": { "a": { "b": 1 } } }"#)
        let folder = machine.directory.path + "/repo/policies/"
        #expect(Lint.fixes(files: [folder + "20.json"]).isEmpty)
        #expect(Lint.fixes(files: [folder + "40.json"]).map(\.shownPath) == [folder + "40.json"])
    }

    @Test func `a folder that stands for a machine is checked without what is kept of policy`() throws {
        let machine = try TemporaryMachine()
        try machine.force("a.json", 1)
        machine.apply()
        let found = Lint.run(files: [machine.directory.path])
        #expect(found.map(\.description) == [])
        try machine.force("b.json~", 1)
        #expect(Lint.run(files: [machine.directory.path]).map(\.code) == ["ignored-name"])
    }

    @Test func `on a machine it is known which calendars and keys there are`() throws {
        let machine = try TemporaryMachine()
        try machine.write(
            "/etc/managed-defaults/policies.d/1.json",
            #"""
            { "Identifier": "a.b", "Target": { "Schedule": "gone" },
              "Combine": { "org.x": { "K": "union" } }, "Metadata": { "org.y": { "K": { "Sensitive": true } } },
              "Waivers": [ { "Users": ["alice"], "Domain": "org.z", "Key": "K", "Until": "2999-01-01T00:00:00Z", "Reason": "r" } ] }
            """#)
        let words = Lint.run(root: machine.root).map(\.message)
        for word in [
            "no policy file in force has a calendar gone", "nothing: no file forces, seals",
            "nothing: no file forces \"K\"",
            "neither a policy file nor a manifest",
        ] {
            #expect(words.contains { $0.contains(word) }, "\(word): \(words)")
        }
    }

    @Test func `finds seals that do not hold for what NSGlobalDomain forces`() throws {
        let bo = #""Target": { "Users": ["bo"] }"#
        try expect(
            [
                ("1.json", policy("a", #""Forced": { "NSGlobalDomain": { ❶"K": 1, "L": 1, "Own": 1, ❷"Gone": 1 } }"#)),
                ("2.json", policy("b", #""Sealed": [❶"org.x"], "Forced": { "org.x": { "Own": 2 } }"#)),
                ("3.json", policy("c", #""Sealed": ["org.y"], "Forced": { "org.y": { "K": 1, "L": 1, "Own": 2 } }"#)),
                ("4.json", policy("d", #""Absent": { "NSGlobalDomain": [❶"Gone"] }"#)),
                ("5.json", policy("e", bo + #", "Forced": { "NSGlobalDomain": { "Of bo": 1 } }"#)),
            ],
            [
                (
                    "2.json", "❶",
                    "warning: this seal of org.x leaves \"K\" a value: <1.json❶> forces a value of the key in"
                        + " NSGlobalDomain for everybody this file applies to, and a value comes before none; so it is with"
                        + " 1 more of its keys [never-wins]"
                )
            ])
    }

    @Test func `finds values of keys that a manifest calls deprecated`() throws {
        let machine = try TemporaryMachine()
        let keys = [
            ("Old", "<key>pfm_app_deprecated</key><string>4.0</string>", " since version 4.0"),
            ("Older", "<key>pfm_deprecated</key><true/>", ""), ("New", "<key>pfm_deprecated</key><false/>", nil),
            ("Elsewhere", "<key>pfm_macos_deprecated</key><string>13</string>", nil),
        ]
        let subkeys = keys.map { "<dict><key>pfm_name</key><string>\($0.0)</string>\($0.1)</dict>" }.joined()
        try machine.write(
            "/etc/managed-defaults/manifests.d/org.x.plist",
            "<plist><dict><key>pfm_domain</key><string>org.x</string><key>pfm_subkeys</key><array>\(subkeys)</array></dict></plist>"
        )
        for level in ["Forced", "Recommended", "SetOnce"] {
            try machine.write(
                "/etc/managed-defaults/policies.d/1.json",
                #"{ "Identifier": "a.b", "\#(level)": { "org.x": { "Old": 1, "Older": 1, "New": 1, "Elsewhere": 1 } } }"#
            )
            let found = Lint.run(root: machine.root).filter { $0.code == LintCode.deprecated.rawValue }
            #expect(
                found.map(\.message)
                    == keys.compactMap { key in
                        key.2.map { "by the manifest of org.x, \"\(key.0)\" is deprecated\($0)" }
                    })
        }
        try machine.write(
            "/etc/managed-defaults/policies.d/1.json", #"{ "Identifier": "a.b", "Absent": { "org.x": ["Old"] } }"#)
        #expect(!Lint.run(root: machine.root).contains { $0.code == LintCode.deprecated.rawValue })
    }

    @Test func `finds constraints that a manifest leaves nothing of`() throws {
        let machine = try TemporaryMachine()
        let limits = [
            (#"{ "Minimum": 20 }"#, true), (#"{ "Maximum": 1 }"#, true), (#"{ "Minimum": 10 }"#, false),
            (#"{ "OneOf": [1, 20] }"#, true), (#"{ "OneOf": [1, 5] }"#, false),
            (#"{ "Minimum": 3, "Maximum": 4 }"#, false),
        ]
        try machine.write(
            "/set/manifests.d/org.d.plist",
            """
            <plist version="1.0"><dict><key>pfm_domain</key><string>org.d</string><key>pfm_subkeys</key><array>
            <dict><key>pfm_name</key><string>n</string><key>pfm_type</key><string>integer</string>
            <key>pfm_range_min</key><integer>2</integer><key>pfm_range_max</key><integer>10</integer></dict>
            </array></dict></plist>
            """)
        for (limit, isFound) in limits {
            try machine.write("/set/1.json", policy("a", #""Constraints": { "org.d": { "n": \#(limit) } }"#))
            let found = Lint.run(files: [machine.directory.path + "/set"])
            #expect(found.map(\.code) == (isFound ? ["outside-manifest"] : []), "\(limit)")
        }
    }

    @Test func `finds metadata of keys that nothing mentions`() throws {
        let nothing = "warning: neither a file that is checked here nor a manifest mentions"
        try expect(
            [
                (
                    "1.json",
                    policy(
                        "a",
                        """
                        "Metadata": {
                          "org.dd": { ❶"pw": { "Sensitive": true } },
                          "org.d": { ❷"pww": { "Sensitive": true, "Controls": ["CIS 1"] }, "pw": { "Sensitive": true },
                            ❸"lost": { "Controls": ["CIS 1"] }, ❹"gone": { "Programs": ["/usr/bin/x"] }, "title": { "Title": "T" },
                            "limit": { "Sensitive": true }, "past": { "Controls": ["CIS 1"] },
                            "open": { "Sensitive": true } },
                          "org.sealed": { "any": { "Sensitive": true } } }
                        """)
                ),
                (
                    "2.json",
                    policy(
                        "b",
                        """
                        "Forced": { "org.d": { "pw": "x" } }, "Sealed": ["org.sealed"],
                        "Constraints": { "org.d": { "limit": { "Maximum": 1 }, "open": { "Maximum": 1 } } },
                        "Waivers": [ { "Users": ["u"], "Domain": "org.d", "Key": "open", "Reason": "r",
                          "Until": "2999-01-01T00:00:00Z" } ]
                        """)
                ),
                (
                    "3.json",
                    policy(
                        "c",
                        #"❶"Target": { "NotAfter": "2020-01-01T00:00:00Z" }, "Forced": { "org.d": { "past": 1 } }"#)
                ),
            ],
            [
                (
                    "1.json", "❶",
                    "\(nothing) \"pw\" of org.dd, so Sensitive hides nothing; org.d is probably meant [idle-rule]"
                ),
                (
                    "1.json", "❷",
                    "\(nothing) \"pww\" of org.d, so Sensitive hides nothing; pw is probably meant [idle-rule]"
                ),
                ("1.json", "❸", "\(nothing) \"lost\" of org.d, so its Controls belong to nothing [idle-rule]"),
                ("1.json", "❹", "\(nothing) \"gone\" of org.d, so its Programs belong to nothing [idle-rule]"),
                (
                    "3.json", "❶",
                    "warning: this target is over since 2020-01-01T00:00:00Z, so the file does nothing any more [expired]"
                ),
            ])
        // Names in a manifest are valid, and an unreadable file may mention one.
        let machine = try TemporaryMachine()
        let folder = machine.directory.path + "/set"
        try machine.write("/set/1.json", policy("a", #""Metadata": { "org.d": { "pw": { "Sensitive": true } } }"#))
        #expect(Lint.run(files: [folder]).map(\.code) == ["idle-rule"])
        try machine.write("/set/2.json", "{")
        #expect(Lint.run(files: [folder]).map(\.code) == ["truncated"])
        try machine.remove("/set/2.json")
        try machine.write(
            "/set/manifests.d/org.d.plist",
            """
            <plist version="1.0"><dict><key>pfm_domain</key><string>org.d</string><key>pfm_subkeys</key><array>
            <dict><key>pfm_name</key><string>pw</string><key>pfm_type</key><string>string</string></dict>
            </array></dict></plist>
            """)
        #expect(Lint.run(files: [folder]).map(\.code) == [])
    }

    @Test func `finds entries that a waiver of their own file lifts for everybody`() throws {
        let machine = try TemporaryMachine()
        try machine.write(
            "/1.json",
            policy(
                "a",
                """
                "Enforced": true, "Target": { "Users": ["al"] }, "Sealed": ["org.y"],
                "Forced": { "org.x": {
                  "K": 1, "L": 1,
                  "M": 1 } },
                "Absent": { "org.x": ["N"] }, "Constraints": { "org.x": {
                  "O": { "Maximum": 1 } } },
                "Waivers": [
                  { "Domain": "org.x", "Key": "K", "Until": "2027-01-01T00:00:00Z", "Reason": "r" },
                  { "Domain": "org.x", "Key": "L", "Until": "2020-01-01T00:00:00Z", "Reason": "r" },
                  { "Groups": ["g"], "Domain": "org.x", "Key": "M", "Until": "2027-01-01T00:00:00Z", "Reason": "r" },
                  { "Domain": "org.x", "Key": "N", "Reason": "r" },
                  { "Domain": "org.x", "Key": "O", "Until": "2027-01-01T00:00:00Z", "Reason": " \\u200b" },
                  { "Domain": "org.y", "Key": "P", "Until": "2027-01-01T00:00:00Z", "Reason": "r" } ]
                """))
        let now = Moment(
            time: try #require(Timestamp(rfc3339: "2026-11-20T08:00:00Z")), zones: ZoneDatabase(root: machine.root))
        let found = Lint.run(files: [machine.directory.path + "/1.json"], at: now).map {
            "\($0.position) \($0.code): \($0.message)"
        }
        let lifts = "names nobody, so it lifts the key for everybody this file applies to"
        #expect(
            found.filter { $0.contains("never-wins") } == [
                "3:3 never-wins: this entry of \"K\" never wins before 2027-01-01T00:00:00Z: the waiver at 8:3 \(lifts)",
                "5:23 never-wins: this entry of \"N\" never wins: the waiver at 11:3 \(lifts)",
                "6:3 never-wins: this constraint of \"O\" never wins before 2027-01-01T00:00:00Z: the waiver at 12:3 \(lifts)",
            ])
        #expect(found.contains { $0.hasPrefix("12:3 waiver-without-reason") })
    }

    @Test func `finds names and variables that are written as elsewhere`() throws {
        let belongs = "which belongs to no name: a group stands under Groups, by its name alone"
        try expect(
            [
                (
                    "1.json",
                    policy(
                        "a",
                        """
                        "Target": { "Users": [❶"*", ❷"@x", "a@b"], "Groups": [❸"%students"], "Tags": [❹"room*", "@t"],
                          "Except": { "Groups": [❺"+x"] }, "Schedule": ["used", ❻"usde"] },
                        "Calendars": { "used": [ {} ] },
                        "Forced": { ❼"NSGlobalDomian": { "K": [❽"http://x/$user/%u", "$users $$user ${user} $HOME"] } }
                        """)
                )
            ],
            [
                (
                    "1.json", "❶",
                    "warning: the name \"*\" in Target.Users has a '*', which stands for itself: only Hosts takes patterns"
                        + " [invalid-value]"
                ),
                ("1.json", "❷", "warning: the name \"@x\" in Target.Users begins with '@', \(belongs) [invalid-value]"),
                (
                    "1.json", "❸",
                    "warning: the name \"%students\" in Target.Groups begins with '%', \(belongs) [invalid-value]"
                ),
                (
                    "1.json", "❹",
                    "warning: the name \"room*\" in Target.Tags has a '*', which stands for itself: only Hosts takes patterns"
                        + " [invalid-value]"
                ),
                (
                    "1.json", "❺",
                    "warning: the name \"+x\" in Target.Except.Groups begins with '+', \(belongs) [invalid-value]"
                ),
                (
                    "1.json", "❻",
                    "warning: none of the files that are checked here has a calendar usde; where no other has it, it counts as"
                        + " an open window; used is probably meant [unknown-calendar]"
                ),
                (
                    "1.json", "❼",
                    "warning: the domain \"NSGlobalDomian\" in Forced is probably meant to be NSGlobalDomain"
                        + " [invalid-domain]"
                ),
                (
                    "1.json", "❽",
                    "warning: $user is no variable and stays as it is; ${user} is probably meant [unknown-variable]"
                ),
            ])
    }

    @Test func `says nothing of values for rooms that no host is in together`() throws {
        try expect(
            [
                (
                    "1.json",
                    policy("a", #""Target": { "Hosts": ["room1-*", "lab-1"] }, "Forced": { "org.x": { ❶"K": 1 } }"#)
                ),
                ("2.json", policy("b", #""Target": { "Hosts": ["room2-*"] }, "Forced": { "org.x": { "K": 2 } }"#)),
                ("3.json", policy("c", #""Target": { "Hosts": ["*-3"] }, "Forced": { "org.x": { ❶"K": 3 } }"#)),
                ("4.json", policy("d", #""Target": { "Hosts": ["lab-?.x"] }, "Forced": { "org.x": { ❶"K": 4 } }"#)),
            ],
            [
                (
                    "3.json", "❶",
                    "warning: this file (3) and <1.json❶> (1) (and 1 more) force different values of \"K\" of org.x for targets that may"
                        + " overlap; where they do, 3.json wins [conflicting-values]"
                ),
                (
                    "4.json", "❶",
                    "warning: this file (4) and <1.json❶> (1) (and 1 more) force different values of \"K\" of org.x for targets that may"
                        + " overlap; where they do, 4.json wins [conflicting-values]"
                ),
            ])
    }

    @Test func `finds calendars that no schedule names, and files that say nothing`() throws {
        try expect(
            [
                ("1.json", policy("a", #""Calendars": { "used": [ {} ], ❶"unused": [ {} ] }"#)),
                ("2.json", policy("b", #""Target": { "Schedule": ["used"] }, "Sealed": ["org.x"]"#)),
                ("3.json", #"{ "Identifier": ❶"a.c", "Target": {}, "Description": "nothing" }"#),
            ],
            [
                ("1.json", "❶", "warning: no Schedule names the calendar \"unused\" [unused-calendar]"),
                (
                    "3.json", "❶",
                    "warning: this file says nothing: it has neither entries nor seals, constraints, waivers, calendars or"
                        + " metadata [no-entries]"
                ),
            ])
        // A file that cannot be read may name it.
        let machine = try TemporaryMachine()
        try machine.write("/set/1.json", policy("a", #""Calendars": { "c": [ {} ] }"#))
        try machine.write("/set/2.json", "{")
        let found = Lint.run(files: [machine.directory.path + "/set"])
        #expect(found.map(\.code) == ["truncated"])
    }
}
