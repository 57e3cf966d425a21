import MDFleet
import MDPlatform
import MDTestSupport
import Testing

/// The pages of a fleet.
@Suite struct FleetPagesTests {
    private static func centre() throws -> HandMadeCentre {
        let centre = try HandMadeCentre()
        try centre.add("alpha1") { $0.dispute = .rewritten }
        try centre.say("alpha2", seen: 7_200) {
            $0.refusal = HostStatus.Refusal(file: "20-gina.json", line: 3, reason: "gina & <b> are unknown")
            $0.exams = ["maths"]
        }
        try centre.add("alpha3", seen: nil)
        try centre.root.createDirectory("\(CentreFolder.hosts)/ALPHA4", mode: 0o755)
        try centre.alarms([try HandMadeCentre.alarm("alpha1", .rewritten, 60, isDispute: true)])
        return centre
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `the page for a headmaster has no name`() throws {
        let page = FleetPagesTests.text(
            FleetPages.headmaster(try FleetPagesTests.centre().view(), version: "0.1.0")
        ).lowercased()
        for word in ["alpha", "gina", "maths", "0a0a", "managed-defaults/"] { #expect(!page.contains(word), "\(word)") }
        #expect(page.contains("0 of 3 computers are in order; 1 has an alarm, 2 are silent."))
        #expect(page.contains("room1"))
        // The ring and the box have no green.
        #expect(!page.contains("stroke=\"var(--good)\""))
        #expect(page.contains("<div class=\"verdict bad\">"))
    }

    @Test func `the page for administrators has alarms first and everything of each host`() throws {
        let view = try FleetPagesTests.centre().view()
        let page = FleetPagesTests.text(FleetPages.administrator(view, version: "0.1.0"))
        for words in [
            "alpha1 is a test.", "silent since 2026-11-18 09:06:40 UTC, 2 hours", "never seen",
            "refused 20-gina.json:3: gina &amp; &lt;b&gt; are unknown; room: room1; exams: maths; version 0.1.0",
            "ALPHA4",
            "The centre&#39;s machine has no checkpoint", "Made 2026-11-18 11:06:40 UTC, clock given.",
        ] {
            #expect(page.contains(words), "\(words)")
        }
        let order = ["<h2 id=\"results\">Alarms", "<h2>To look at", "<h2>Hosts"].compactMap { page.firstRange(of: $0) }
        #expect(order.count == 3 && order.map(\.lowerBound) == order.map(\.lowerBound).sorted())
    }

    @Test func `a page has no script`() throws {
        let view = try FleetPagesTests.centre().view()
        for page in [FleetPages.headmaster(view, version: "1"), FleetPages.administrator(view, version: "1")] {
            #expect(!FleetPagesTests.text(page).contains("script"))
        }
    }

    @Test func `JSON keeps what is known apart from what a host says`() throws {
        let text = FleetPagesTests.text(FleetJSON.render(try FleetPagesTests.centre().view()))
        #expect(text.contains("\"known\": {\n        \"seen\""))
        #expect(text.contains("\"says\": {\n        \"time\""))
        #expect(text.contains("\"published\": null"))
    }

    @Test func `metrics name no host`() throws {
        let text = FleetPagesTests.text(FleetMetrics.render(try FleetPagesTests.centre().view()))
        #expect(!text.contains("alpha"))
        #expect(text.contains("mdefaults_centre_hosts{room=\"room1\",state=\"silent\"} 1\n"))
        #expect(text.contains("mdefaults_centre_in_order 0\n"))
    }
}
