import MDPlatform
import MDReport
import MDTools

/// The pages of a fleet: static, without script, by the writer of reports.
package enum FleetPages {
    /// The page for people that answer for a school: a sentence and rooms, and no name of a host or user.
    package static func headmaster(_ view: FleetView, version: String) -> [UInt8] {
        var html = begin("The computers of this school", "For heads of school", view, noun: "computer")
        html.markup("<h2 id=\"results\">Rooms</h2>\n")
        html.donut(shares(view))
        html.table(
            "Rooms and their computers", ["Room", "In order", "Others"], short: [1],
            view.publicRooms.map { room in
                let others = HostCondition.allCases.filter { $0 != .good && room.count($0) > 0 }
                return [
                    room.title, "\(room.count(.good)) of \(room.hosts.count)",
                    others.isEmpty ? "none" : others.map { "\(room.count($0)) \($0.title)" }.joined(separator: ", "),
                ]
            })
        meaning(&html, "computer")
        end(&html, view, version)
        return html.bytes
    }

    /// The page for administrators: alarms, then hosts by room with what is known of each and what it says.
    package static func administrator(_ view: FleetView, version: String) -> [UInt8] {
        var html = begin(
            "Hosts of the fleet", "For administrators", view, noun: "host",
            facts: [("Published", view.publishedWords)])
        html.markup("<h2 id=\"results\">Alarms</h2>\n")
        if view.alarms.isEmpty { html.element("p", "No alarm is open.") }
        html.table(
            HTMLWriter.title("Alarms, the newest first", first: alarmLimit, of: view.alarms.count),
            ["Host", "What", "Time", "In words"], short: [1],
            view.alarms.prefix(alarmLimit).map { alarm in
                [
                    alarm.host.name, alarm.word.rawValue + (alarm.isDispute ? ", in dispute" : ""),
                    FleetTime.words(alarm.time), alarm.sentence,
                ]
            })
        if let words = view.closedWords { html.element("p", words) }
        if !view.problems.isEmpty {
            html.markup("<h2>What could not be read</h2>\n")
            html.list(view.problems.map { $0 + "." })
        }
        html.markup("<h2>To look at</h2>\n")
        let found = view.hosts.filter { !$0.findings.isEmpty }
        if found.isEmpty { html.element("p", "Nothing is known that somebody should look at.") }
        html.table(
            "Hosts that are not in order", ["Host", "Room", "State", "Why"], short: [1],
            found.map { [$0.host.name, $0.room, $0.state.rawValue, $0.findingWords(at: view.time)] })
        html.markup("<h2>Hosts</h2>\n")
        html.donut(shares(view))
        for room in view.rooms {
            html.element("h3", "\(room.title): \(room.count(.good)) of \(room.hosts.count) in order")
            table(of: room, view, &html)
        }
        meaning(&html, "host")
        end(&html, view, version)
        return html.bytes
    }

    /// The most alarms on a page.
    private static let alarmLimit = 1_000

    private static func table(of room: FleetView.Room, _ view: FleetView, _ html: inout HTMLWriter) {
        html.table(
            "\(room.title): what the centre knows of each host, and what the host says",
            [
                "Host", "State", "Last seen", "Records here", "Says: verdict", "Says: snapshot", "Says further",
            ], short: [1, 2, 3, 4],
            room.hosts.map { host in
                [
                    host.host.name, host.state.rawValue, host.seenWords(at: view.time), host.recordWords(at: view.time),
                    host.verdictWords, host.snapshotWords(view.published, at: view.time), host.furtherWords,
                ]
            })
    }

    private static func begin(
        _ title: String, _ subject: String, _ view: FleetView, noun: String, facts: [(String, String)] = []
    ) -> HTMLWriter {
        var html = HTMLWriter(isScripted: false)
        html.begin(
            title: title, subject: subject, time: FleetTime.words(view.time),
            facts: [("Made", view.madeWords)] + facts, header: "Fleet:")
        let (words, kind): (String, StaticString) =
            switch view.state {
            case .alarm: ("ALARM", "bad")
            case .silent: ("NOT ALL ANSWER", "warn")
            case .mend: ("NOT ALL IN ORDER", "warn")
            case .good: ("IN ORDER", "good")
            }
        html.verdict(words, "At \(FleetTime.words(view.time)): \(view.sentence(noun))", kind: kind)
        return html
    }

    private static func shares(_ view: FleetView) -> [HTMLWriter.Share] {
        [(HostCondition.good, "good"), (.mend, "warn"), (.silent, "none"), (.alarm, "bad")].map { state, color in
            HTMLWriter.Share(name: state.title, count: view.count(state), color: color)
        }
    }

    private static func meaning(_ html: inout HTMLWriter, _ noun: String) {
        html.markup("<h2>What the words mean</h2>\n")
        html.list(FleetView.meanings(noun))
    }

    private static func end(_ html: inout HTMLWriter, _ view: FleetView, _ version: String) {
        html.end(
            version: version,
            foot: [
                "Made \(view.madeWords). This page does not change by itself: what it says is of that moment.",
                view.checkpointWords,
            ])
    }
}
