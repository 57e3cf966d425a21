import MDPlatform
import MDReport
import MDTools

/// A fleet as text for people: a sentence, the alarms, and rooms with their hosts.
package struct FleetText: TextPage {
    private let view: FleetView
    package var lines: [String] = []

    /// The text, which ends with a line feed.
    package static func render(_ view: FleetView) -> String {
        var text = FleetText(view: view)
        text.paragraph(view.sentence(), first: "")
        text.alarms()
        for room in view.rooms { text.room(room) }
        text.line()
        for words in FleetView.meanings("host") { text.paragraph(words, first: "", indent: 2) }
        text.paragraph("Made \(view.madeWords); published: \(view.publishedWords).", first: "")
        return text.text
    }

    private init(view: FleetView) { self.view = view }

    private mutating func alarms() {
        if !view.alarms.isEmpty || view.closedAlarms > 0 { heading("Alarms, the newest first") }
        for alarm in view.alarms {
            paragraph(
                "\(Printable.escape(alarm.sentence)) (\(alarm.word.rawValue)\(alarm.isDispute ? ", in dispute" : ""))",
                first: "  \(FleetTime.words(alarm.time))  \(alarm.host)  ", indent: 4)
        }
        if let words = view.closedWords { paragraph(words, first: "  ") }
        guard !view.problems.isEmpty else { return }
        heading("What could not be read")
        for problem in view.problems { paragraph("\(Printable.escape(problem)).", first: "  ", indent: 4) }
    }

    private mutating func room(_ room: FleetView.Room) {
        heading("\(Printable.escape(room.title)): \(room.count(.good)) of \(room.hosts.count) in order")
        columns(room.hosts.map { [$0.host.name, $0.state.rawValue, words(of: $0)] })
    }

    /// What is said of a host: what is wrong, else what is known and what it says.
    private func words(of host: FleetHostView) -> String {
        guard host.findings.isEmpty else { return Printable.escape(host.findingWords(at: view.time)) }
        let seen = host.head.seen.map { "seen \(FleetTime.age($0, at: view.time)) ago" } ?? "never seen"
        let exams = host.status?.exams ?? []
        let taken = !exams.isEmpty ? ", exams \(exams.joined(separator: ", "))" : ""
        return "\(seen), \(Plural.count(host.head.size, "record")); says "
            + Printable.escape("\(host.verdictWords), snapshot \(host.snapshot.map { "\($0)" } ?? "none")\(taken)")
    }
}
