import MDTestSupport
import Testing

/// The output of the verbs about policy on the classroom machine, byte for byte.
struct GoldenOutputTests {
    /// A command line, its output's file, and its exit code.
    struct Case: Sendable, CustomTestStringConvertible {
        /// The file in `Golden`.
        let name: String
        /// The exit code.
        var code: Int32 = 0
        /// The words behind `mdefaults --root lab`.
        let words: String

        /// The command line.
        var testDescription: String { words }
    }

    @Test(arguments: [
        Case(name: "forced-alice.txt", words: "--user alice forced"),
        Case(name: "forced-alice.json", words: "--user alice forced --json"),
        Case(name: "forced-browser.txt", words: "--user alice forced org.example.Browser"),
        Case(name: "forced-key.json", words: "--user alice --json forced org.example.Browser HomePage"),
        Case(name: "forced-absent.json", words: "--user exam01 --json forced org.example.Browser Proxy"),
        Case(name: "not-forced.json", code: 1, words: "--user alice --json forced org.example.Browser ZoomLevel"),
        Case(name: "explain-alice.txt", words: "--user alice explain org.example.Browser HomePage"),
        Case(name: "explain-alice.json", words: "--user alice explain org.example.Browser HomePage --json"),
        Case(name: "explain-exam.txt", words: "--user chen explain org.example.Browser HomePage"),
        Case(name: "explain-absent.txt", words: "--user exam01 explain org.example.Browser Proxy"),
        Case(name: "explain-absent.json", words: "--user exam01 explain org.example.Browser Proxy --json"),
        Case(name: "explain-hidden-recommended.txt", words: "--user alice explain -g AppleMeasurementUnits"),
        Case(name: "explain-nothing.txt", code: 1, words: "--user bob explain org.example.Editor Nothing"),
        Case(name: "policy-lint.txt", words: "policy lint"),
        Case(name: "policy-lint.json", words: "policy lint --format json"),
        Case(name: "policy-list-alice.txt", words: "--user alice policy list"),
        Case(name: "policy-list-alice.json", words: "--user alice policy list --json"),
        Case(name: "policy-show-chen.txt", words: "--user chen policy show"),
        Case(name: "policy-show-chen.json", words: "--user chen policy show --json"),
        Case(name: "policy-show-room2.txt", words: "--user alice --host room2-pc01 policy show"),
    ])
    func `prints what is kept`(_ example: Case) throws {
        let lab = try Lab()
        try lab.apply()
        let result = try lab.managed(example.words.split(separator: " ").map(String.init))
        #expect(result.code == example.code)
        if !example.words.contains("policy lint"), !example.words.hasSuffix(" Nothing") { #expect(result.error == "") }
        try Golden.expect(Golden.withoutTimes(result.output), example.name)
    }

    @Test(arguments: [
        ("audit-list.txt", "audit list"), ("audit-list.json", "audit list --json"),
        ("audit-list-bob.txt", "audit list --user bob --host room1-pc03 --kind override"),
    ])
    func `lists the audit log as it is kept`(_ name: String, _ words: String) throws {
        let lab = try Lab()
        try lab.recordAttempts()
        let result = try lab.managed(words.split(separator: " ").map(String.init))
        #expect(result.code == 0)
        #expect(result.error == "")
        try Golden.expect(result.output, name)
    }
}
