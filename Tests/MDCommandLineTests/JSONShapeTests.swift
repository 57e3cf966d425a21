import Foundation
import MDTestSupport
import Testing

/// The members that programs rely on, for every user of the classroom machine.
struct JSONShapeTests {
    /// The people of the machine.
    static let users = ["alice", "bob", "chen", "dora", "exam01", "weber", "labtech"]

    /// Whether an object is an origin of policy.
    private static func isOrigin(_ value: Any?) -> Bool {
        guard let origin = value as? [String: Any] else { return false }
        return origin["policy"] is String && (origin["file"] as? String)?.hasPrefix("lab/") == true
            && origin["line"] is Int && origin["column"] is Int
    }

    @Test(arguments: users)
    func `forced lists domain, key, value and origin, and agrees with asking for each`(_ user: String) throws {
        let lab = try Lab()
        let entries = try lab.managed("--user", user, "--json", "forced").objects
        #expect(!entries.isEmpty)
        for entry in Sweeping.places(in: entries.indices, about: 2).map({ entries[$0] }) {
            let domain = try #require(entry["domain"] as? String)
            let key = try #require(entry["key"] as? String)
            #expect(JSONShapeTests.isOrigin(entry["origin"]))
            let asked = try lab.managed("--user", user, "--json", "forced", domain, key)
            #expect(asked.code == 0)
            let answer = try asked.object
            #expect(answer["forced"] as? Bool == true)
            #expect(NSDictionary(dictionary: ["v": answer["value"] ?? ""]) == ["v": entry["value"] ?? ""])
            #expect(try lab.managed("--user", user, "forced", domain, key).output == "forced\n")
        }
    }

    @Test(arguments: users)
    func `policy show lists level and losers with origins`(_ user: String) throws {
        let all = try Lab().managed("--user", user, "policy", "show", "--json").objects
        let entries = all.filter { $0["level"] as? String != "waiver" }
        #expect(!entries.isEmpty && all.count - entries.count == (["alice", "dora"].contains(user) ? 1 : 0))
        for entry in entries {
            let level = try #require(entry["level"] as? String)
            #expect(["forced", "recommended", "setOnce", "absent"].contains(level))
            #expect((entry["value"] == nil) == (level == "absent"))
            #expect(JSONShapeTests.isOrigin(entry["origin"]))
            for loser in try #require(entry["losers"] as? [[String: Any]]) {
                #expect(JSONShapeTests.isOrigin(loser["origin"]))
            }
        }
    }

    @Test(arguments: users)
    func `explain has one winner, which gives value and layer`(_ user: String) throws {
        let lab = try Lab()
        for key in ["HomePage", "Proxy", "ZoomLevel", "AppleMeasurementUnits", "Nothing"] {
            let result = try lab.managed("--user", user, "explain", "org.example.Browser", key, "--json")
            let answer = try result.object
            #expect(answer["domain"] as? String == "org.example.Browser")
            #expect(answer["key"] as? String == key)
            let layers = try #require(answer["layers"] as? [[String: Any]])
            #expect(layers.count == 10)
            let winners = layers.filter { $0["wins"] as? Bool == true }
            #expect(winners.count == (result.code == 0 ? 1 : 0))
            #expect(winners.first?["layer"] as? String == answer["layer"] as? String)
            #expect(winners.first?["value"] as? String == answer["value"] as? String)
            #expect(answer["forced"] as? Bool == (winners.first?["layer"] as? String == "forced"))
            #expect(answer["losers"] is [[String: Any]])
            for file in try #require(answer["skipped"] as? [[String: Any]]) {
                #expect(file["file"] is String)
                #expect(file["reason"] is String)
            }
        }
    }

    @Test(arguments: users)
    func `policy list says of each file whether it applies and why not`(_ user: String) throws {
        let files = try Lab().managed("--user", user, "policy", "list", "--json").objects
        let read = files.filter { $0["ignored"] == nil }
        #expect(read.count == 10)
        #expect(files.count == 13)
        for file in read {
            #expect(file["policy"] is String)
            #expect(file["trusted"] as? Bool == true)
            #expect(file["valid"] as? Bool == true)
            #expect(file["inForce"] as? String == "current")
            #expect((file["reason"] == nil) == (file["applies"] as? Bool))
        }
    }

    @Test func `lint findings have place, severity, code and message`() throws {
        let findings = try Lab().managed("policy", "lint", "--json").objects
        #expect(!findings.isEmpty)
        for finding in findings {
            #expect(finding["file"] is String)
            #expect(finding["line"] is Int)
            #expect(finding["column"] is Int)
            #expect(finding["severity"] as? String == "warning")
            #expect(finding["code"] is String)
            #expect(finding["message"] is String)
        }
    }
}
