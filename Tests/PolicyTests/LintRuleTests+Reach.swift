import Foundation
import Platform
import Policy
import PropertyList
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
                    "warning: this recommended value of \"R\" is never seen: <1.json❶> seals the domain for everybody this"
                        + " file applies to [never-wins]"
                ),
                (
                    "2.json", "❷",
                    "warning: this value that is set once of \"S\" is never seen: <1.json❶> seals the domain for everybody"
                        + " this file applies to [never-wins]"
                ),
                (
                    "2.json", "❸",
                    "warning: this constraint of \"C\" never matters: <1.json❶> seals the domain for everybody this file"
                        + " applies to [never-wins]"
                ),
                (
                    "2.json", "❹",
                    "warning: this constraint of \"K\" never matters: <1.json❷> forces the key for everybody this file"
                        + " applies to [never-wins]"
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
        let machine = try TestMachine()
        try machine.write("/set/1.json", policy("a", #""Calendars": { "c": [ {} ] }"#))
        try machine.write("/set/2.json", "{")
        let found = Lint.run(files: [machine.directory.path + "/set"])
        #expect(found.map(\.code) == ["truncated"])
    }
}
