import Foundation
import MDPropertyList
import MDTestSupport
import Testing

/// Seals, constraints, entries that are set once, metadata and waivers, on the command line.
struct PolicyRuleTests {
    /// A classroom machine with one policy file more.
    private static func lab() throws -> Lab {
        let lab = try Lab()
        // The lab has waivers of its own.
        try FileManager.default.removeItem(atPath: "\(lab.policies)/70-office.json")
        try lab.add(
            policy: "60-rules.json",
            """
            {
              "Identifier": "org.example.rules", "Version": 3, "Contact": "Room 12",
              "Forced": {
                "org.example.Kiosk": { "Start": "https://kiosk.example" },
                "org.example.Mail": { "Password": "geheim-1", "Server": "mail.example" }
              },
              "Sealed": ["org.example.Kiosk"],
              "SetOnce": { "org.example.Once": { "FontSize": 14 } },
              "Recommended": { "org.example.Mail": { "Token": "geheim-2" } },
              "Constraints": {
                "org.example.Sound": { "Volume": { "Minimum": 5, "Maximum": 70 }, "Theme": { "OneOf": ["light", "dark"] } },
                "org.example.Mail": { "Pin": { "Pattern": "geheim-[0-9]{4}" } }
              },
              "Metadata": {
                "org.example.Mail": {
                  "Password": { "Sensitive": true }, "Token": { "Sensitive": true }, "Pin": { "Sensitive": true },
                  "Server": { "Title": "Mail server", "Description": "Where mail is kept", "Controls": ["CIS 1.2", "S-7"] }
                }
              },
              "Waivers": [
                { "Users": ["bob"], "Domain": "org.example.Kiosk", "Key": "Zoom", "Until": "2099-12-01T00:00:00Z",
                  "Reason": "thesis", "ApprovedBy": "IT-211" },
                { "Users": ["bob"], "Domain": "org.example.Kiosk", "Key": "Start", "Until": "2020-12-01T00:00:00Z",
                  "Reason": "over" }
              ]
            }
            """)
        return lab
    }

    @Test func `a value beyond a bound is stored as the bound, with exit 3 and what is allowed`() throws {
        let lab = try PolicyRuleTests.lab()
        let result = try lab.run(as: "bob", ["write", "org.example.Sound", "Volume", "-int", "90"])
        #expect(result.code == 3)
        #expect(
            result.error
                == "mdefaults: 70 is stored in the place of 90. Volume of org.example.Sound must be from 5 to 70, by "
                + "policy; to have it changed, ask: Room 12.\n")
        #expect(try lab.stored("bob", "org.example.Sound") == ["Volume": .integer(70)])
        let theme = try lab.run(as: "bob", ["write", "org.example.Sound", "Theme", "neon"])
        #expect(theme.code == 3)
        #expect(
            theme.error.contains(
                "\"neon\" is not stored. Theme of org.example.Sound must be one of light, dark, by policy"))
        #expect(try lab.run(as: "bob", ["write", "org.example.Sound", "Theme", "dark"]).code == 0)
        #expect(
            try lab.attempts() == [
                "bob cli clamped org.example.Sound Volume value", "bob cli refused org.example.Sound Theme value",
            ])
    }

    @Test func `what was written past the tool is clamped or passed over, and explain says so`() throws {
        let lab = try PolicyRuleTests.lab()
        let list = try BinaryWriter.write(.dictionary(["Volume": .integer(99), "Theme": .string("neon")]))
        try Data(list).write(to: URL(fileURLWithPath: lab.file(of: "bob", "org.example.Sound")))
        #expect(try lab.run(as: "bob", ["read", "org.example.Sound", "Volume"]).output == "70\n")
        #expect(try lab.run(as: "bob", ["read", "org.example.Sound", "Theme"]).code == 1)
        let text = try lab.run(as: "bob", ["explain", "org.example.Sound", "Volume"]).output
        #expect(text.hasPrefix("org.example.Sound Volume = 70  (application)\n    must be from 5 to 70\n"))
        #expect(text.contains("99 (counts as 70)"))
        let barred = try lab.run(as: "bob", ["explain", "org.example.Sound", "Theme"])
        #expect(barred.code == 1)
        #expect(barred.output.contains("barred  application"))
        #expect(barred.output.contains("\"neon\" (not allowed, passed over)"))
        let object = try lab.managed("--user", "bob", "--json", "explain", "org.example.Sound", "Volume").object
        #expect(object["value"] as? Int == 70)
        #expect((object["constraint"] as? [String: Any])?["maximum"] as? Int == 70)
        let layers = try #require(object["layers"] as? [[String: Any]])
        #expect(layers.first { $0["wins"] as? Bool == true }?["clamped"] as? Int == 70)
        let report = try lab.managed("--json", "report").object
        let outside = try #require(report["outside"] as? [[String: Any]])
        #expect(
            outside.map { "\($0["user"] ?? "") \($0["key"] ?? "") \($0["clamped"] ?? "-")" } == [
                "bob Theme -", "bob Volume 70",
            ])
    }

    @Test func `a sealed domain takes nothing, but what a waiver frees`() throws {
        let lab = try PolicyRuleTests.lab()
        let refused = try lab.run(as: "bob", ["write", "org.example.Kiosk", "Anything", "1"])
        #expect(refused.code == 3)
        #expect(refused.error.contains("Anything of org.example.Kiosk is kept without a value by policy"))
        #expect(try lab.run(as: "bob", ["write", "org.example.Kiosk", "Zoom", "1"]).code == 0)
        #expect(try lab.run(as: "alice", ["write", "org.example.Kiosk", "Zoom", "1"]).code == 3)
        #expect(try lab.run(as: "bob", ["forced", "org.example.Kiosk", "Nobody's"]).output == "forced\n")
        #expect(try lab.run(as: "bob", ["forced", "org.example.Kiosk", "Zoom"]).output == "not forced\n")
        #expect(try lab.run(as: "bob", ["rename", "org.example.Kiosk", "Zoom", "Other"]).code == 3)
        let text = try lab.run(as: "alice", ["explain", "org.example.Kiosk", "Zoom"]).output
        #expect(text.hasPrefix("org.example.Kiosk Zoom has no value  (forced: the domain is sealed)"))
        let waived = try lab.run(as: "bob", ["explain", "org.example.Kiosk", "Zoom"]).output
        #expect(waived.contains("in force until 2099-12-01T00:00:00Z, thesis (approved by IT-211)"))
        let shown = try lab.managed("--user", "bob", "--json", "policy", "show").objects
        let seal = try #require(shown.first { $0["sealed"] as? Bool == true })
        #expect(
            (seal["domain"] as? String, seal["key"] as? String, seal["level"] as? String) == (
                "org.example.Kiosk", "", "absent"
            ))
        #expect(shown.filter { $0["level"] as? String == "waiver" }.count == 2)
        #expect(shown.contains { $0["level"] as? String == "setOnce" })
    }

    @Test func `a waiver that cannot free its key is without effect everywhere, and nobody counts it`() throws {
        let lab = try Lab()
        try FileManager.default.removeItem(atPath: "\(lab.policies)/70-office.json")
        try lab.add(
            policy: "50-held.json",
            """
            { "Identifier": "org.example.held", "Enforced": true, "Forced": { "a.b": { "forced": 1 } },
              "Sealed": ["a.c"], "Constraints": { "a.d": { "range": { "Maximum": 70 } } } }
            """)
        try lab.add(
            policy: "60-waives.json",
            """
            { "Identifier": "org.example.waives", "Forced": { "a.b": { "forced": 2 } },
              "Constraints": { "a.d": { "range": { "Maximum": 50 } } },
              "Waivers": [
                { "Users": ["bob"], "Domain": "a.b", "Key": "forced", "Reason": "x", "Until": "2099-12-01T00:00:00Z" },
                { "Users": ["bob"], "Domain": "a.c", "Key": "sealed", "Reason": "x", "Until": "2099-12-01T00:00:00Z" },
                { "Users": ["bob"], "Domain": "a.d", "Key": "range", "Reason": "x", "Until": "2099-12-01T00:00:00Z" }
              ] }
            """)
        #expect(try lab.run(as: "bob", ["forced", "a.b", "forced"]).code == 0)
        let clauses = ["forces the key", "seals the domain", "limits the key"].map { "which is Enforced, still \($0)" }
        let list = try lab.managed("--user", "bob", "policy", "list").output
        for (key, clause) in zip(["a.b forced", "a.c sealed", "a.d range"], clauses) {
            #expect(list.contains("waiver of \(key), without effect: 50-held.json, \(clause), until "), "\(list)")
        }
        for words in [["--user", "bob", "policy", "show"], ["--user", "bob", "explain", "a.b", "forced"], ["report"]] {
            let text = try lab.managed(words).output
            #expect(text.contains("without effect until 2099") && text.contains(clauses[0]), "\(words) \(text)")
            #expect(!text.contains("lifts:"))
        }
        let report = try lab.managed("--json", "report").object
        #expect((report["requirements"] as? [String: Any])?["waived"] as? Int == 0)
        let shown = try lab.managed("--user", "bob", "--json", "policy", "show").objects
        let listed = try lab.managed("--user", "bob", "--json", "policy", "list").objects
        for waivers in [
            try #require(report["waivers"] as? [[String: Any]]), shown.filter { $0["level"] as? String == "waiver" },
            listed.flatMap { $0["waivers"] as? [[String: Any]] ?? [] },
        ] {
            #expect(waivers.map { $0["state"] as? String } == Array(repeating: "without effect", count: 3))
            let holders = waivers.map { ($0["heldBy"] as? [String: Any])?["policy"] as? String }
            #expect(holders == Array(repeating: "org.example.held", count: 3))
        }
    }

    @Test func `waivers are on record once a boot, and in reports`() throws {
        let lab = try PolicyRuleTests.lab()
        for _ in 0..<3 { _ = try lab.managed("policy", "apply") }
        _ = try lab.run(as: "bob", ["read", "org.example.Kiosk", "Zoom"])
        let records = try lab.managed("--json", "audit", "list", "--kind", "grant").objects
        #expect(records.count == 1)
        #expect(records.first?["user"] as? String == "bob")
        let report = try lab.managed("--json", "report").object
        let waivers = try #require(report["waivers"] as? [[String: Any]])
        #expect(waivers.map { $0["state"] as? String } == ["in force", "expired"])
        #expect((report["requirements"] as? [String: Any])?["waived"] as? Int == 1)
        let text = try lab.managed("report").output
        #expect(text.contains("Waivers of bob"))
        #expect(text.contains("in force until 2099-12-01 00:00:00 UTC: thesis (approved by IT-211)"))
    }

    @Test func `a value that is set once shows before it is stored, and never undoes a later write`() throws {
        let lab = try PolicyRuleTests.lab()
        #expect(try lab.run(as: "bob", ["read", "org.example.Once", "FontSize"]).output == "14\n")
        #expect(try lab.stored("bob", "org.example.Once") == nil)
        #expect(
            try lab.run(as: "bob", ["explain", "org.example.Once", "FontSize"]).output.contains("14 (set once, when"))
        #expect(try lab.run(as: "bob", ["write", "org.example.Once", "FontSize", "-int", "9"]).code == 0)
        #expect(try lab.run(as: "bob", ["read", "org.example.Once", "FontSize"]).output == "9\n")
        let records = try lab.managed("--json", "audit", "list", "--kind", "policy", "--user", "bob").objects
        #expect(records.map { $0["note"] as? String } == ["set once, version 3"])
        // A line of a file of the user's own is the user's to delete.
        try FileManager.default.removeItem(
            atPath: lab.path + "/home/bob/.local/state/managed-defaults/set-once.jsonl")
        #expect(try lab.run(as: "bob", ["write", "org.example.Once", "Other", "1"]).code == 0)
        #expect(try lab.run(as: "bob", ["read", "org.example.Once", "FontSize"]).output == "14\n")
    }

    @Test func `nothing but read of the key prints a sensitive value`() throws {
        let lab = try PolicyRuleTests.lab()
        let list = try BinaryWriter.write(
            .dictionary(["Password": .string("geheim-3"), "Pin": .string("geheim-x"), "Token": .string("geheim-4")]))
        try Data(list).write(to: URL(fileURLWithPath: lab.file(of: "bob", "org.example.Mail")))
        var outputs: [String] = []
        for words in [
            ["forced"], ["forced", "org.example.Mail"], ["policy", "show"], ["policy", "list"], ["policy", "lint"],
            ["doctor"], ["read"], ["read", "org.example.Mail"], ["find", "geheim"], ["find", "Mail"],
            ["explain", "org.example.Mail", "Password"], ["explain", "org.example.Mail", "Token"],
            ["explain", "org.example.Mail", "Pin"], ["write", "org.example.Mail", "Password", "geheim-5"],
            ["write", "org.example.Mail", "Pin", "geheim-no"], ["delete", "org.example.Mail", "Password"],
            ["audit", "list"], ["policy", "apply"], ["policy", "history"],
        ] {
            for format in [[], ["--json"]] {
                // As JSON, a text that is written is in quotes.
                if words.first == "write", !format.isEmpty { continue }
                let result = try lab.run(as: "bob", format + words)
                outputs.append("\(words.first ?? ""): \(result.output)\(result.error)")
            }
        }
        for format in ["text", "json"] {
            let report = try lab.managed("report", "--format", format)
            #expect(report.output.contains("sensitive"))
            outputs.append("report: \(report.output)\(report.error)")
        }
        outputs.append(try String(contentsOfFile: lab.log, encoding: .utf8))
        for output in outputs {
            #expect(!output.contains("geheim-"), "\(output)")
        }
        #expect(outputs[0].contains("org.example.Mail Password = (sensitive)"))
        #expect(outputs.contains { $0.contains("\"sensitive\":true") })
        #expect(outputs.last?.contains("\"tried\":{\"sensitive\":true,\"hmac\":\"") == true)
        #expect(try lab.run(as: "bob", ["read", "org.example.Mail", "Password"]).output == "geheim-1\n")
        #expect(try lab.run(as: "bob", ["read", "org.example.Mail", "Token"]).output == "geheim-4\n")
        let key = lab.path + "/var/lib/managed-defaults/audit.key"
        let attributes = try FileManager.default.attributesOfItem(atPath: key)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `titles, descriptions and rules are told`() throws {
        let lab = try PolicyRuleTests.lab()
        for words in [["explain", "org.example.Mail", "Server"], ["policy", "show"]] {
            let output = try lab.run(as: "bob", words).output
            #expect(output.contains("Mail server: Where mail is kept"))
            #expect(output.contains("Asked for by: CIS 1.2, S-7."))
        }
        #expect(try lab.managed("report").output.contains("Mail server (CIS 1.2, S-7)"))
        let object = try lab.managed("--user", "bob", "--json", "explain", "org.example.Mail", "Server").object
        #expect(object["title"] as? String == "Mail server")
        #expect(object["controls"] as? [String] == ["CIS 1.2", "S-7"])
        let keys = try #require(try lab.managed("--json", "report").object["keys"] as? [[String: Any]])
        #expect(keys.contains { $0["title"] as? String == "Mail server" })
    }
}
