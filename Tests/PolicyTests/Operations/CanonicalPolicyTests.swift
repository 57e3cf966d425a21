import Platform
import PropertyList
import Testing

@testable import Policy

/// The digest of what is in force, and differences.
struct CanonicalPolicyTests {
    /// What a machine with one policy file leaves for alice.
    private static func resultant(_ name: String, _ body: String, place: String = "etc") throws -> ResultantSet {
        let machine = try TestMachine()
        let text = "{ \"Identifier\": \"edu.example.\(name.filter(\.isLetter))\", \(body) }"
        try machine.write("/\(place)/managed-defaults/policies.d/\(name).json", text)
        return machine.load().resolve(for: try machine.subject())
    }

    @Test func theFormIsTheOneThatTheHelpDefines() throws {
        let resultant = try CanonicalPolicyTests.resultant(
            "50-a",
            """
            "Forced": { "org.example.B": { "k": "né" },
              "org.example.A": { "z": [true, 1, -2, 1.5, {"b": {"$data": "AAE="}, "a": {"$date": "2001-01-01T00:00:00Z"}}] } },
            "Absent": { "org.example.A": ["y"] }, "Recommended": { "org.example.A": { "x": 1 } }
            """)
        let expected = """
            managed-defaults effective policy 1
            s13:org.example.As1:yA
            s13:org.example.As1:zFa5:b1i1;i-2;r3ff8000000000000m2:s1:at0000000000000000s1:bd2:\u{0}\u{1}
            s13:org.example.Bs1:kFs3:né

            """
        #expect(String(decoding: CanonicalPolicy(resultant).bytes, as: UTF8.self) == expected)
    }

    @Test func onlyWhatIsEnforcedCounts() throws {
        /// The digest of one file.
        func digest(_ name: String, _ body: String, place: String = "etc") throws -> Digest {
            SHA256.hash(CanonicalPolicy(try CanonicalPolicyTests.resultant(name, body, place: place)).bytes)
        }
        let one = try digest("50-a", #""Version": 1, "Forced": { "a.b": { "k": 1, "l": 2 } }"#)
        let same = try digest(
            "77-x", #""Recommended": { "c.d": { "m": 1 } }, "Forced": { "a.b": { "l": 2, "k": 1 } }"#, place: "run")
        #expect(one == same)
        for other in [#"{ "k": 1, "l": 2.0 }"#, #"{ "k": true, "l": 2 }"#, #"{ "k": 1 }"#, #"{ "k": 1, "L": 2 }"#] {
            #expect(try digest("50-a", "\"Forced\": { \"a.b\": \(other) }") != one)
        }
        #expect(try digest("50-a", #""Forced": { "a.b": { "k": 1 } }, "Absent": { "a.b": ["l"] }"#) != one)
    }

    @Test func differencesNameBothSides() throws {
        let before = try CanonicalPolicyTests.resultant(
            "50-a", #""Forced": { "a.b": { "gone": 1, "other": 1, "same": 1 } }, "Recommended": { "a.b": { "r": 1 } }"#)
        let after = try CanonicalPolicyTests.resultant(
            "60-b", #""Forced": { "a.b": { "other": 2, "same": 1 } }, "Absent": { "a.b": ["new"] }"#)
        let differences = PolicyDifference.between(before, after)
        #expect(
            differences.map { "\($0.key?.string ?? "") \($0.change.rawValue)" } == [
                "gone removed", "new added", "other changed", "r removed",
            ])
        #expect(differences[1].after?.kind == .absent)
        #expect(differences[2].before?.value == .integer(1))
        #expect(differences[2].after?.origins.first?.file == "/etc/managed-defaults/policies.d/60-b.json")
        #expect(PolicyDifference.between(before, before).isEmpty)
    }
}
