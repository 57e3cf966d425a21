import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyStore

/// The digest of the policy in force, and differences.
struct CanonicalPolicyTests {
    /// What a machine with one policy file leaves for alice.
    private static func resultant(_ name: String, _ body: String, place: String = "etc") throws -> ResultantSet {
        let machine = try TemporaryMachine()
        let text = "{ \"Identifier\": \"edu.example.\(name.filter(\.isLetter))\", \(body) }"
        try machine.write("/\(place)/managed-defaults/policies.d/\(name).json", text)
        return machine.load().resolve(for: try machine.subject())
    }

    @Test func `the form is the one that the help defines`() throws {
        let resultant = try CanonicalPolicyTests.resultant(
            "50-a",
            """
            "Forced": { "org.example.B": { "k": "né" },
              "org.example.A": { "z": [true, 1, -2, 1.5, {"b": {"$data": "AAE="}, "a": {"$date": "2001-01-01T00:00:00Z"}}] } },
            "Absent": { "org.example.A": ["y"] }, "Recommended": { "org.example.A": { "x": 1 } }
            """)
        let expected = """
            managed-defaults effective policy 2
            s13:org.example.As1:yA
            s13:org.example.As1:zFa5:b1i1;i-2;r3ff8000000000000m2:s1:at0000000000000000s1:bd2:\u{0}\u{1}
            s13:org.example.Bs1:kFs3:né

            """
        #expect(String(decoding: CanonicalPolicy(resultant).bytes, as: UTF8.self) == expected)
    }

    @Test func `only what is enforced counts`() throws {
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

    @Test func `what a seal says already is said once`() throws {
        /// The bytes for one file.
        func bytes(_ body: String) throws -> [UInt8] {
            CanonicalPolicy(try CanonicalPolicyTests.resultant("50-a", body)).bytes
        }
        let sealed = try bytes(#""Sealed": ["d"]"#)
        #expect(try bytes(#""Sealed": ["d"], "Absent": { "d": ["k"] }"#) == sealed)
        // An absent key of another domain, and a value in the sealed one, are something else.
        #expect(try bytes(#""Sealed": ["d"], "Absent": { "e": ["k"] }"#) != sealed)
        #expect(try bytes(#""Sealed": ["d"], "Forced": { "d": { "k": 1 } }"#) != sealed)
        #expect(try bytes(#""Absent": { "d": ["k"] }"#) != sealed)
    }

    @Test func `what a waiver frees of a seal alone stays absent where a file behind says so`() throws {
        /// The bytes for two files; the second is `Enforced`.
        func bytes(_ second: String) throws -> [UInt8] {
            let machine = try TemporaryMachine()
            let waiver = #"{ "Users": ["alice"], "Domain": "d", "Key": "k", "Until": "2100-01-01T00:00:00Z" }"#
            try machine.write(
                "/etc/managed-defaults/policies.d/50-a.json",
                #"{ "Identifier": "e.a", "Sealed": ["d"], "Waivers": [\#(waiver)] }"#)
            try machine.write(
                "/etc/managed-defaults/policies.d/60-b.json",
                #"{ "Identifier": "e.b", "Enforced": true, \#(second) }"#)
            return CanonicalPolicy(machine.load().resolve(for: try machine.subject())).bytes
        }
        let (free, absent) = (try bytes(#""Absent": { "e": ["k"] }"#), try bytes(#""Absent": { "d": ["k"] }"#))
        #expect(String(decoding: free, as: UTF8.self).contains("s1:ds1:kU\n"))
        #expect(!String(decoding: absent, as: UTF8.self).contains("s1:ds1:k"))
    }

    @Test func `what is set once again is a difference`() throws {
        /// What one file sets once.
        func resultant(_ name: String, _ version: String) throws -> ResultantSet {
            try CanonicalPolicyTests.resultant(name, #"\#(version) "SetOnce": { "a.b": { "k": 5 } }"#)
        }
        let first = try resultant("50-a", #""Version": 1,"#)
        #expect(PolicyDifference.between(first, try resultant("60-a", #""Version": 1,"#)).isEmpty)
        for (name, version) in [("50-a", #""Version": 2,"#), ("50-a", ""), ("50-b", #""Version": 1,"#)] {
            let differences = PolicyDifference.between(first, try resultant(name, version))
            #expect(differences.map(\.change) == [.changed], "\(name) \(version)")
            #expect(differences.first?.before?.occasion != differences.first?.after?.occasion)
        }
    }

    @Test func `a new stamp of a profile sets once again, and a new version does not`() throws {
        /// What one profile sets once; without a stamp in each session.
        func resultant(_ stamp: String, _ version: Int) throws -> ResultantSet {
            let machine = try TemporaryMachine()
            let time = stamp.isEmpty ? "" : "<key>mcx_data_timestamp</key><date>\(stamp)T00:00:00Z</date>"
            try machine.write(
                "/etc/managed-defaults/policies.d/50-a.mobileconfig",
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0"><dict><key>PayloadType</key><string>Configuration</string>
                <key>PayloadVersion</key><integer>1</integer><key>PayloadIdentifier</key><string>e.a</string>
                <key>PayloadUUID</key><string>A</string><key>PayloadContent</key><array><dict>
                <key>PayloadType</key><string>com.apple.ManagedClient.preferences</string>
                <key>PayloadVersion</key><integer>\(version)</integer><key>PayloadIdentifier</key><string>e.a.p</string>
                <key>PayloadUUID</key><string>B</string><key>PayloadContent</key><dict><key>a.b</key><dict>
                <key>Set-Once</key><array><dict>\(time)
                <key>mcx_preference_settings</key><dict><key>k</key><integer>5</integer></dict>
                </dict></array></dict></dict></dict></array></dict></plist>
                """)
            return machine.load().resolve(for: try machine.subject())
        }
        let first = try resultant("2026-01-01", 1)
        #expect(first.setOnce.count == 1)
        #expect(PolicyDifference.between(first, try resultant("2026-01-01", 2)).isEmpty)
        #expect(PolicyDifference.between(first, try resultant("2026-01-02", 1)).map(\.change) == [.changed])
        #expect(PolicyDifference.between(first, try resultant("", 1)).map(\.change) == [.changed])
        #expect(PolicyDifference.between(try resultant("", 1), try resultant("", 2)).isEmpty)
    }

    @Test func `differences name both sides`() throws {
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
