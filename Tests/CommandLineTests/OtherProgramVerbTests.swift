import Foundation
import Testing

/// What `forced` and `report` say of keys of programs that do not ask this library.
struct OtherProgramVerbTests {
    /// A lab that forces keys of Chromium, and one that is everybody's.
    private func lab() throws -> Lab {
        let lab = try Lab()
        try lab.add(
            policy: "70-browser.json",
            #"""
            { "Identifier": "edu.example.browser", "Forced": { "org.chromium.Chromium": { "A": 1, "B": 2 },
              "org.example.Own": { "A": 1 } } }
            """#)
        return lab
    }

    /// What is said of Chromium.
    private static let sentence =
        "No program obeys what is said of org.chromium.Chromium: Chromium does not ask this library and reads"
        + " /etc/chromium/policies."

    @Test func `forced says that the program does not obey`() throws {
        let lab = try lab()
        let all = try lab.run(["forced"])
        #expect(all.code == 0 && all.error == "mdefaults: \(Self.sentence)\n")
        #expect(all.output.contains("org.chromium.Chromium A = 1\n"))
        let key = try lab.run(["forced", "org.chromium.Chromium", "A"])
        #expect(key.code == 0 && key.output == "forced\n" && key.error == "mdefaults: \(Self.sentence)\n")
        let free = try lab.run(["forced", "org.chromium.Chromium", "Free"])
        #expect(free.code == 1 && free.error == "")
        let own = try lab.run(["forced", "org.example.Own", "A"])
        #expect(own.code == 0 && own.error == "")
    }

    @Test func `forced says it to programs as well`() throws {
        let lab = try lab()
        let all = try lab.run(["forced", "--json"])
        #expect(all.error == "")
        let entries = try #require(try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [[String: Any]])
        let said = entries.filter { $0["notObeyed"] != nil }
        #expect(said.map { $0["key"] as? String } == ["A", "B"])
        #expect(said.allSatisfy { $0["notObeyed"] as? String == Self.sentence })
        let key = try lab.run(["forced", "org.chromium.Chromium", "A", "--json"])
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(key.output.utf8)) as? [String: Any])
        #expect(answer["forced"] as? Bool == true && answer["notObeyed"] as? String == Self.sentence)
    }

    @Test func `report says it beside its result`() throws {
        let result = try lab().run(["report"])
        #expect(result.code == 0)
        let words = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            words.contains(
                "COMPLIANT. Policy is in force as written; no program obeys what is said of 1 domain, see the warnings below."
            ))
        #expect(words.contains("70-browser.json:1:79: no program obeys what is said of org.chromium.Chromium: "))
    }
}
