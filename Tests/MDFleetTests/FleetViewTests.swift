import MDFleet
import MDPlatform
import MDReport
import MDTestSupport
import Testing

/// What a centre's folder says of its hosts: what is known, what is only said, and what is neither.
@Suite struct FleetViewTests {
    @Test func `a fleet is in order only if every host is`() throws {
        let centre = try HandMadeCentre()
        #expect(try !centre.view().isGood)
        #expect(try centre.view().sentence() == "No host is enrolled.")
        try centre.add("pc1")
        #expect(try centre.view().isGood)
        try centre.add("pc2", seen: nil)
        let view = try centre.view()
        #expect(!view.isGood)
        #expect(view.sentence("computer") == "1 of 2 computers is in order; 1 is silent.")
    }

    @Test func `a host is silent after fifteen minutes of the collector's clock`() throws {
        let centre = try HandMadeCentre()
        try centre.add("pc1", seen: HostHead.silentAfter)
        // Its own clock says that it was just there.
        try centre.say("pc2", seen: HostHead.silentAfter + 1) { $0.time = HandMadeCentre.now }
        try centre.add("pc3", seen: nil)
        try centre.add("pc4", seen: -HostHead.silentAfter - 1)
        try centre.add("pc5", status: nil)
        #expect(try centre.findings("pc1") == [])
        #expect(try centre.findings("pc2") == ["silent"])
        #expect(try centre.findings("pc3") == ["never-seen"])
        #expect(try centre.findings("pc4") == ["seen-later"])
        #expect(try centre.findings("pc5") == ["no-status"])
    }

    @Test func `what a host says of itself is a finding unless all is as it should be`() throws {
        let centre = try HandMadeCentre()
        try centre.say("pc1") { $0.verdict = nil }
        try centre.say("pc2") { $0.verdict = "nothing to comply with" }
        try centre.say("pc3") {
            $0.refusal = HostStatus.Refusal(file: "20-a.json", line: 7, reason: "a key is unknown")
        }
        try centre.say("pc4") { $0.isStale = true }
        try centre.say("pc5") { ($0.waiting, $0.waitingSince) = (3, HandMadeCentre.before(3_700)) }
        try centre.say("pc6") { ($0.waiting, $0.waitingSince) = (3, HandMadeCentre.before(3_600)) }
        try centre.add("pc7") { $0.waits = "over its budget of the day" }
        let expected = [
            ["no-verdict"], ["verdict"], ["refused"], ["stale"], ["records-wait"], [], ["acknowledgement-waits"],
        ]
        #expect(try centre.view().hosts.map { $0.findings.map(\.code) } == expected)
        let words = try centre.view().hosts[2].findingWords(at: HandMadeCentre.now)
        #expect(words == "says that it refused 20-a.json:7: a key is unknown.")
    }

    @Test func `what cannot be read makes nothing green`() throws {
        let centre = try HandMadeCentre()
        try centre.add("pc1")
        try centre.root.replace(
            "\(CentreFolder.hosts)/pc1/head", with: Array("{".utf8), mode: 0o644, durable: false)
        #expect(try centre.findings("pc1") == ["unreadable"])
        try centre.add("pc2")
        let other = try HostStatus(centre.root.read("\(CentreFolder.hosts)/pc2/status", limit: 1_024).bytes)
        try centre.root.replace(
            "\(CentreFolder.hosts)/pc1/status", with: other.bytes, mode: 0o644, durable: false)
        #expect(try centre.findings("pc1") == ["unreadable"])
        try centre.root.createDirectory("\(CentreFolder.hosts)/PC 3", mode: 0o755)
        let view = try centre.view()
        #expect(view.problems.count == 1)
        #expect(view.sentence().hasSuffix("1 file of the centre could not be read, so this is not all."))
        let empty = try TemporaryFolder()
        let root = try Root(directory: empty.path)
        #expect(throws: FleetFault.self) { try FleetView.read(root, clock: .given(HandMadeCentre.now)) }
    }

    @Test func `an alarm is open while its dispute goes on, any other for a week`() throws {
        let centre = try HandMadeCentre()
        for name in ["pc1", "pc2", "pc4"] { try centre.add(name) }
        try centre.add("pc3") { $0.dispute = .rewritten }
        let week = FleetView.alarmDays * 86_400
        try centre.alarms([
            try HandMadeCentre.alarm("pc1", .rolledBack, week + 1), try HandMadeCentre.alarm("pc2", .rolledBack, week),
            try HandMadeCentre.alarm("pc3", .rewritten, 2 * week, isDispute: true),
            // Accepted since: the host is in dispute no more.
            try HandMadeCentre.alarm("pc4", .altered, 60, isDispute: true),
            try HandMadeCentre.alarm("pc9", .copied, 90), try HandMadeCentre.alarm("pc9", .copied, 60),
        ])
        let view = try centre.view()
        #expect(view.alarms.map(\.host.name) == ["pc9", "pc3", "pc2"])
        #expect(view.closedAlarms == 3)
        #expect(view.hosts.map { $0.findings.map(\.code) } == [[], ["alarm"], ["disputed"], []])
        #expect(view.sentence().hasSuffix("2 have an alarm. 1 alarm of a name that is not enrolled."))
        #expect(view.state == .alarm)
    }

    @Test func `a host that has another snapshot than the published one is not in order`() throws {
        let centre = try HandMadeCentre()
        func publish(_ issued: String) throws {
            let text = """
                {"Fleet":"school","Epoch":1,"Serial":7,"Issued":"\(issued)","Expires":"2030-01-01T00:00:00Z","Files":{}}
                """
            try centre.root.createDirectory(CentreFolder.published, mode: 0o755)
            let signature = "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n"
            try centre.root.replace(
                CentreFolder.snapshot, with: Array("\(text)\n\(signature)".utf8), mode: 0o644, durable: false)
        }
        for (name, serial) in [("pc1", 6), ("pc2", 7), ("pc3", 8)] {
            try centre.say(name) { ($0.epoch, $0.serial) = (1, serial) }
        }
        try centre.add("pc4")
        func findings() throws -> [[String]] { try centre.view().hosts.map { $0.findings.map(\.code) } }
        try publish(HandMadeCentre.before(FleetHostView.installedAfter + 1).rfc3339)
        #expect(try findings() == [["behind"], [], ["not-published"], ["behind"]])
        // Nobody can have it at once.
        try publish(HandMadeCentre.before(FleetHostView.installedAfter).rfc3339)
        #expect(try findings() == [[], [], ["not-published"], []])
        try publish("yesterday")
        #expect(try centre.view().problems.count == 1)
    }

    @Test func `rooms and hosts are in natural order`() throws {
        let centre = try HandMadeCentre()
        for (name, room) in [("pc10", "room10"), ("pc2", "room2"), ("pc1", "room2")] {
            try centre.say(name) { $0.room = room }
        }
        try centre.add("pc3", seen: nil)
        #expect(try centre.view().rooms.map(\.name) == ["room2", "room10", ""])
        #expect(try centre.view().hosts.map(\.host.name) == ["pc1", "pc2", "pc3", "pc10"])
    }

    @Test func `a room is that of the enrolment, and what a host says instead is named`() throws {
        let centre = try HandMadeCentre()
        for (name, room) in [("pc1", "room2"), ("pc2", "gina-smith"), ("pc3", "room-7b"), ("pc4", "roomgina")] {
            try centre.say(name) { $0.room = room }
        }
        for (name, room) in [("pc1", "Physics 2"), ("pc5", "../x")] {
            let host = try #require(FleetHost(name))
            try centre.root.createDirectory(CentreFolder.folder(host), mode: 0o755)
            try centre.root.replace(CentreFolder.room(host), with: Array("\(room)\n".utf8), mode: 0o644)
        }
        let view = try centre.view()
        #expect(view.rooms.map(\.name) == ["Physics 2", "gina-smith", "room-7b", "roomgina", ""])
        #expect(view.publicRooms.map(\.name) == ["Physics 2", "room-7b", ""])
        #expect(view.hosts.map { $0.findings.map(\.code) } == [["other-room"], [], [], [], ["unreadable"]])
        #expect(view.hosts[3].furtherWords.hasPrefix("room: roomgina; "))
        for bytes in [FleetPages.headmaster(view, version: "1"), FleetMetrics.render(view)] {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("gina") && text.contains("Physics 2"))
        }
    }

    @Test func `the text says what is wrong first`() throws {
        let centre = try HandMadeCentre()
        try centre.add("pc1")
        try centre.add("pc2", seen: 7_200)
        try centre.add("pc3")
        try centre.alarms([try HandMadeCentre.alarm("pc3", .rolledBack, 60)])
        let text = FleetText.render(try centre.view())
        #expect(
            text.hasPrefix(
                """
                1 of 3 hosts is in order; 1 has an alarm, 1 is silent.

                Alarms, the newest first
                ------------------------
                  2026-11-18 11:05:40 UTC  pc3  pc3 is a test. (rolled-back)

                room1: 1 of 3 in order
                ----------------------
                  pc1  in order  seen 1 minute ago, 12 records; says compliant, snapshot none
                  pc2  silent    silent since 2026-11-18 09:06:40 UTC, 2 hours.
                  pc3  alarm     rolled back: it was set back to an earlier state (2026-11-18
                                 11:05:40 UTC).

                In order: something of the host arrived in the last 15 minutes, it contradicts

                """), "\(text)")
    }
}
