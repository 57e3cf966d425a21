import Foundation
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

/// Findings about times, rules, waivers and calendars, in one file and between files.
struct LintRuleTests {
    /// A finding that is expected at a mark of a file: the file, the mark and the words `severity: message [code]`.
    typealias Expected = (file: String, mark: Character, words: String)

    /// Lints marked files by their paths on Friday, 20 November 2026, and compares all findings.
    ///
    /// In the words, `<FILE❶>` is replaced by the printed place of a mark.
    func expect(
        _ files: [(name: String, text: String)], _ expected: [Expected], location: SourceLocation = #_sourceLocation
    ) throws {
        let machine = try TemporaryMachine()
        let folder = machine.directory.path + "/set/"
        var sources: [String: MarkedSource] = [:]
        for file in files {
            let source = MarkedSource(file.text)
            sources[file.name] = source
            try machine.write("/set/\(file.name)", source.text)
        }
        let now = try #require(Timestamp(rfc3339: "2026-11-20T08:00:00Z"))
        let findings = Lint.run(
            files: files.map { folder + $0.name }, at: Moment(time: now, zones: ZoneDatabase(root: machine.root)),
            refusing: .none)
        /// A place as people are shown it, without the folder.
        func place(_ file: String, _ mark: Character) -> String {
            "\(file):\(sources[file]?.places[mark] ?? .start)"
        }
        let wanted = expected.map { one in
            var words = one.words
            for (name, source) in sources {
                for mark in source.places.keys {
                    words = words.replacingOccurrences(of: "<\(name)\(mark)>", with: place(name, mark))
                }
            }
            return "\(place(one.file, one.mark)): \(words)"
        }
        let found = findings.map { $0.description.replacingOccurrences(of: folder, with: "") }
        #expect(found == wanted, sourceLocation: location)
    }

    /// A policy of an identifier and some fields.
    func policy(_ name: String, _ fields: String) -> String { "{ \"Identifier\": \"a.\(name)\", \(fields) }" }

    /// A field that says something, and nothing that anything is compared with.
    private static let metadata = #", "Metadata": { "org.x": { "K": { "Title": "x" } } }"#

    @Test func `finds targets whose time is over or never comes`() throws {
        let forced = #""Forced": { "org.x": { "K": 1 } }"#
        try expect(
            [
                ("1.json", policy("a", #"❶"Target": { "NotAfter": "2026-11-20T08:00:00Z" }, "# + forced)),
                (
                    "2.json",
                    policy(
                        "b",
                        #"❶"Target": { "NotBefore": "2027-01-01T00:00:00Z", "NotAfter": "2027-01-01T00:00:00Z" }"#
                            + LintRuleTests.metadata)
                ),
                (
                    "3.json",
                    policy(
                        "c",
                        #"❶"Target": { "NotBefore": "2026-11-24T00:00:00Z", "NotAfter": "2026-11-25T00:00:00Z", "Schedule": { "Days": ["Fri"] } }"#
                            + LintRuleTests.metadata
                    )
                ),
                (
                    "4.json",
                    policy(
                        "d",
                        #""Target": { "NotAfter": "2026-11-20T08:00:01Z", "Schedule": {} }"# + LintRuleTests.metadata)
                ),
                (
                    "5.json",
                    policy(
                        "e",
                        #""Target": { "Schedule": { "Days": ["Sun"], "From": "03:00" } }"# + LintRuleTests.metadata)
                ),
                ("6.json", policy("f", #""Calendars": { "none": ❷[] }, ❶"Target": { "Schedule": "none" }"#)),
            ],
            [
                (
                    "1.json", "❶",
                    "warning: this target is over since 2026-11-20T08:00:00Z, so the file does nothing any more [expired]"
                ),
                (
                    "2.json", "❶",
                    "warning: this target never applies: its NotAfter is not later than its NotBefore [never-starts]"
                ),
                (
                    "3.json", "❶",
                    "warning: this target never applies: no window of its Schedule opens before its NotAfter"
                        + " [never-starts]"
                ),
                ("6.json", "❷", "warning: Calendars.none is empty, so it is never open [empty-clause]"),
                (
                    "6.json", "❶",
                    "warning: this target never applies: no window of its Schedule opens [never-starts]"
                ),
            ])
    }

    @Test func `finds zones and calendars that do not exist, and calendars of one name`() throws {
        let machine = try TemporaryMachine()
        try machine.write(
            "/1.json",
            policy("a", #""Calendars": { "c": [ { "TimeZone": "Mars/Olympus" } ] }, "Target": { "Schedule": ["d"] }"#))
        let codes = Lint.run(files: [machine.directory.path + "/1.json"], refusing: .none).map {
            "\($0.position) \($0.code) \($0.severity)"
        }
        #expect(
            codes == ["1:39 unused-calendar warning", "1:46 unknown-zone warning", "1:107 unknown-calendar warning"])
        try expect(
            [
                ("1.json", policy("a", #""Calendars": { ❶"c": [ {} ] }, "Target": { "Schedule": "c" }"#)),
                ("2.json", policy("b", #""Enforced": true, "Calendars": { ❶"c": [ {} ] }"#)),
                ("3.json", policy("c", #""Calendars": { ❶"c": [ {} ] }"#)),
            ],
            [
                (
                    "2.json", "❶",
                    "warning: the calendar \"c\" is also at <1.json❶>; for all schedules that name it, the one of 2.json"
                        + " counts [duplicate-calendar]"
                ),
                (
                    "3.json", "❶",
                    "warning: the calendar \"c\" is also at <2.json❶>; for all schedules that name it, the one of 2.json"
                        + " counts [duplicate-calendar]"
                ),
            ])
    }

    @Test func `finds waivers that are over, without end, without reason or without effect`() throws {
        try expect(
            [
                (
                    "1.json",
                    policy(
                        "a",
                        """
                        "Absent": { "org.x": [❹"K"] }, "Waivers": [
                          ❶{ "Domain": "org.x", "Key": "K" },
                          ❷{ "Domain": "org.x", "Key": "K", "Until": "2026-11-20T08:00:00Z", "Reason": "thesis" },
                          ❸{ "Domain": "org.x", "Key": "L", "Until": "2027-11-20T08:00:00Z", "Reason": "thesis" },
                          { "Domain": "org.y", "Key": "L", "Until": "2027-11-20T08:00:00Z", "Reason": "thesis" },
                          { "Domain": "org.z", "Key": "L", "Until": "2027-11-20T08:00:00Z", "Reason": "thesis" } ]
                        """)
                ),
                ("2.json", policy("b", #""Sealed": ["org.y"], "Constraints": { "org.z": { "L": { "Maximum": 1 } } }"#)),
            ],
            [
                (
                    "1.json", "❹",
                    "warning: this entry of \"K\" never wins: the waiver at 2:3 names nobody, so it lifts the key for"
                        + " everybody this file applies to [never-wins]"
                ),
                ("1.json", "❶", "warning: this waiver has no Until, so it never ends [waiver-without-end]"),
                (
                    "1.json", "❶",
                    "warning: this waiver has no Reason; whoever reads the report will ask why [waiver-without-reason]"
                ),
                (
                    "1.json", "❷",
                    "warning: this waiver ended at 2026-11-20T08:00:00Z and lifts nothing any more [expired-waiver]"
                ),
                (
                    "1.json", "❸",
                    "warning: this waiver lifts nothing: none of the files that are checked here forces, seals or constrains \"L\" of"
                        + " org.x [idle-rule]"
                ),
            ])
    }

    @Test func `finds values outside of constraints`() throws {
        try expect(
            [
                (
                    "1.json",
                    policy(
                        "a",
                        """
                        "Constraints": { "org.x": { ❶"V": { "Maximum": 70 }, ❷"S": { "OneOf": ["a", "b"] } } },
                        "Metadata": { "org.x": { "S": { "Sensitive": true } } }
                        """)
                ),
                (
                    "2.json",
                    policy(
                        "b",
                        """
                        "Forced": { "org.x": { ❶"V": 71 } }, "Recommended": { "org.x": { ❷"S": "c" } },
                        "SetOnce": { "org.x": { ❸"S": 7 } }
                        """)
                ),
                (
                    "3.json",
                    policy("c", #""Recommended": { "org.y": { "V": 7 } }, "SetOnce": { "org.x": { "T": "${user}" } }"#)
                ),
            ],
            [
                (
                    "2.json", "❶",
                    "warning: the forced value of \"V\" is outside of the constraint at <1.json❶> (at most 70); it is in"
                        + " force nevertheless [outside-constraint]"
                ),
                (
                    "2.json", "❷",
                    "warning: the recommended value of \"S\" is outside of the constraint at <1.json❷>; it counts until a"
                        + " user chooses an allowed one [outside-constraint]"
                ),
                (
                    "2.json", "❸",
                    "warning: the value that is set once of \"S\" is outside of the constraint at <1.json❷>; it is"
                        + " written, and then not obeyed [outside-constraint]"
                ),
            ])
    }

    @Test func `finds operators that disagree, have nothing to join or cannot join`() throws {
        try expect(
            [
                (
                    "1.json",
                    policy(
                        "a",
                        """
                        "Combine": { "org.x": { ❶"L": "union", ❷"M": "max", ❸"N": "or" } },
                        "Forced": { "org.x": { "L": ["a"], ❹"M": "7" } }
                        """)
                ),
                (
                    "2.json",
                    policy(
                        "b",
                        #""Combine": { "org.x": { ❶"L": "replace" } }, "Forced": { "org.x": { "L": ["b"], "M": 8 } }"#)
                ),
                (
                    "3.json",
                    policy("c", #""Target": { "Users": ["bob"] }, "Combine": { "org.x": { "M": "max" } }"#)
                ),
            ],
            [
                (
                    "1.json", "❸",
                    "warning: this operator joins nothing: none of the files that are checked here forces \"N\" of org.x [idle-rule]"
                ),
                (
                    "1.json", "❹",
                    "warning: max at <1.json❷> cannot join a string, so this entry of \"M\" takes no part where others"
                        + " fit [cannot-combine]"
                ),
                (
                    "2.json", "❶",
                    "error: \"L\" is combined by replace here and by union at <1.json❶>; where both apply, the value that"
                        + " wins stands alone [combine-disagrees]"
                ),
            ])
    }

    @Test func `compares no operator that comes behind the end of joining`() throws {
        let union = #""Combine": { "org.x": { ❶"L": "union" } }, "Forced": { "org.x": { "L": ["a"] } }"#
        let replace = #""Combine": { "org.x": { ❶"L": "replace" } }"#
        let end = #""Enforced": true, "Forced": { "org.x": { ❶"L": ["z"] } }"#
        let idle =
            "warning: this operator joins nothing: <50.json❶> is enforced, comes first and ends the joining of \"L\" for"
            + " everybody this file applies to [idle-rule]"
        try expect(
            [("10.json", policy("a", union)), ("50.json", policy("b", end)), ("60.json", policy("c", replace))],
            [("60.json", "❶", idle)])
        // A subject of both has no combination after 50.json, although 60.json applies to others as well.
        let bob = #""Target": { "Users": ["bob"] }, "#
        try expect(
            [
                ("10.json", policy("a", bob + union)), ("50.json", policy("b", bob + end)),
                ("60.json", policy("c", replace)),
            ], [])
        try expect(
            [
                ("10.json", policy("a", union)), ("50.json", policy("b", bob + end)),
                ("60.json", policy("c", replace)),
            ],
            [
                (
                    "60.json", "❶",
                    "error: \"L\" is combined by replace here and by union at <10.json❶>; where both apply, the value that"
                        + " wins stands alone [combine-disagrees]"
                )
            ])
    }

    @Test func `compares constraints, and values that are set once, as it does forced ones`() throws {
        try expect(
            [
                (
                    "1.json",
                    policy(
                        "a",
                        #""Constraints": { "org.x": { ❶"V": { "Maximum": 70 } } }, "SetOnce": { "org.x": { ❷"S": 1 } }"#
                    )
                ),
                (
                    "2.json",
                    policy(
                        "b",
                        #""Target": { "Users": ["bob"] }, "Constraints": { "org.x": { ❶"V": { "Maximum": 60 } } }, "SetOnce": { "org.x": { ❷"S": 2 } }"#
                    )
                ),
                ("3.json", policy("c", #""SetOnce": { "org.x": { ❶"S": 3 } }"#)),
            ],
            [
                (
                    "1.json", "❷",
                    "warning: \"S\" of org.x (1) never wins: <3.json❶> (3) is later, and its target includes everybody this"
                        + " file applies to [never-wins]"
                ),
                (
                    "2.json", "❷",
                    "warning: \"S\" of org.x (2) never wins: <3.json❶> (3) is later, and its target includes everybody this"
                        + " file applies to [never-wins]"
                ),
            ])
    }

    @Test func `finds recommended values that are forced for everybody`() throws {
        try expect(
            [
                ("1.json", policy("a", #""Forced": { "org.x": { ❶"K": 1, ❷"L": 1, "M": 1 } }"#)),
                (
                    "2.json",
                    policy(
                        "b", #""Recommended": { "org.x": { ❶"K": 2, "M": 2 } }, "SetOnce": { "org.x": { ❷"L": 2 } }"#)
                ),
                (
                    "3.json",
                    policy(
                        "c",
                        #""Waivers": [ { "Domain": "org.x", "Key": "M", "Until": "2027-01-01T00:00:00Z", "Reason": "x" } ]"#
                    )
                ),
            ],
            [
                (
                    "2.json", "❶",
                    "warning: the recommended value of \"K\" of org.x (2) is never seen: <1.json❶> forces the key (1) for everybody this"
                        + " file applies to [never-wins]"
                ),
                (
                    "2.json", "❷",
                    "warning: the value that is set once for \"L\" of org.x (2) is never seen: <1.json❷> forces the key (1) for everybody"
                        + " this file applies to [never-wins]"
                ),
            ])
    }

    @Test func `says nothing of targets that are never open together`() throws {
        let schedules = [
            #""NotAfter": "2026-12-01T00:00:00Z", "Schedule": { "Days": ["Mon"], "From": "09:00", "To": "10:00" }"#,
            #""NotAfter": "2026-12-01T00:00:00Z", "Schedule": { "Days": ["Mon"], "From": "10:00", "To": "11:00" }"#,
            #""NotAfter": "2026-12-01T00:00:00Z", "Schedule": { "Days": ["Sun"], "From": "22:00", "To": "09:00" }"#,
            #""NotBefore": "2026-12-01T00:00:00Z", "Schedule": ["c"]"#,
        ]
        let files = schedules.enumerated().map { index, schedule in
            (
                "\(index).json",
                policy(
                    "x\(index)", "\"Target\": { \(schedule) }, \"Forced\": { \"org.x\": { \"K\": \(index) } }")
            )
        }
        try expect(files + [("9.json", policy("c", #""Calendars": { "c": [ {} ] }"#))], [])
    }

    @Test func `knows when one schedule includes another`() throws {
        let wide = #""Target": { "Schedule": ["week"] }, "Forced": { "org.x": { ❶"K": 1 } }"#
        let narrow =
            #""Target": { "Schedule": { "Days": ["Sat"], "From": "23:00", "To": "01:00" } }, "Forced": { "org.x": { ❶"K": 2 } }"#
        let calendar = #", "Calendars": { "week": [ { "Days": ["Sun", "Sat"] } ] }"#
        try expect(
            [("1.json", policy("a", narrow)), ("2.json", policy("b", wide + calendar))],
            [
                (
                    "1.json", "❶",
                    "warning: \"K\" of org.x (2) never wins: <2.json❶> (1) is later, and its target includes everybody this"
                        + " file applies to [never-wins]"
                )
            ])
        try expect(
            [
                ("1.json", policy("a", narrow)),
                ("2.json", policy("b", wide.replacingOccurrences(of: "[\"week\"]", with: "{ \"Days\": [\"Sat\"] }"))),
            ],
            [
                (
                    "2.json", "❶",
                    "warning: this file (1) and <1.json❶> (2) force different values of \"K\" of org.x for targets that may overlap; where"
                        + " they do, 2.json wins [conflicting-values]"
                )
            ])
    }

    @Test func `names one of many contradicting files`() throws {
        let files = (0..<4).map { index in
            (
                "\(index).json",
                policy(
                    "x\(index)",
                    "\"Target\": { \"Groups\": [\"g\(index)\"] }, \"Forced\": { \"org.x\": { ❶\"K\": \(index) } }")
            )
        }
        /// The finding of a file.
        func finding(_ index: Int, _ more: String) -> Expected {
            (
                "\(index).json", "❶",
                "warning: this file (\(index)) and <0.json❶> (0)\(more) force different values of \"K\" of org.x for"
                    + " targets that may overlap;"
                    + " where they do, \(index).json wins [conflicting-values]"
            )
        }
        try expect(files, [finding(1, ""), finding(2, " (and 1 more)"), finding(3, " (and 2 more)")])
    }

    @Test func `finds a sealed global domain`() throws {
        try expect(
            [("1.json", policy("a", #""Sealed": [❶"NSGlobalDomain"]"#))],
            [
                (
                    "1.json", "❶",
                    "warning: sealing NSGlobalDomain makes every key that no file lists absent in every program; list the"
                        + " keys under Absent instead [sealed-global-domain]"
                )
            ])
    }
}
