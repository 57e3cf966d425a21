import Engine
import Platform
import Policy
import Preferences
import PropertyList

/// `explain` for people: the value, then the search list, then the files that do not apply.
struct ExplanationText {
    /// What is explained.
    private let explanation: Explanation
    /// Whose settings.
    private let session: UserSession
    /// The lines so far.
    private(set) var lines: [String] = []

    /// Writes the lines.
    init(_ explanation: Explanation, _ session: UserSession) {
        self.explanation = explanation
        self.session = session
        addHead()
        addLayers()
        addSkipped()
    }

    /// The root that paths are shown for.
    private var root: Root { session.machine.root }

    /// The first lines: the value, the layer that decides, and what its policy file says of itself.
    private mutating func addHead() {
        let name = "\(Printable.escape(explanation.domain.string)) \(Printable.escape(explanation.key.string))"
        guard let layer = explanation.winningLayer else {
            lines += Layout.beside("\(name) has no value", "(nothing in the search list has the key)", indent: 4)
            return
        }
        if let value = layer.value {
            lines += Layout.beside("\(name) = \(ValueText.whole(value))", "(\(layer.kind.rawValue))", indent: 4)
        } else {
            lines += Layout.beside("\(name) has no value", "(forced: absent)", indent: 4)
        }
        guard let entry = layer.entry else { return }
        if !entry.description.isEmpty { lines += Layout.wrap(Printable.escape(entry.description), indent: 4) }
        if entry.isLastGood { lines.append("    From the last good copy of the policy file, which is broken now.") }
        if layer.kind == .forced, !entry.contact.isEmpty {
            lines += Layout.wrap("To have it changed, ask: \(Printable.escape(entry.contact)).", indent: 4)
        }
    }

    /// The search list.
    private mutating func addLayers() {
        let user = Printable.escape(session.account.name)
        let host = Printable.escape(session.machine.host.short)
        lines += ["", "search list of \(user) on \(host), in order:"]
        let rows = Layout.table(
            explanation.layers.enumerated().map { index, layer in
                [
                    "  " + Layout.pad(mark(of: layer, at: index), to: 6), layer.kind.rawValue,
                    Printable.escape(layer.domain.string), "",
                ]
            })
        for (layout, layer) in zip(rows, explanation.layers) {
            // What does not fit beside its layer stands below.
            let row = Layout.beside(layout, content(of: layer), gap: 0, indent: 12)
            lines += row
            if let origin = layer.entry?.origin { lines += origin.lines(in: root, indent: 12) }
            if let path = layer.path { lines.append("            \(Printable.escape(path))") }
            for loser in layer.entry?.losers ?? [] {
                lines.append("    loses   \(ValueText.entry(loser.value))")
                lines += loser.origin.lines(in: root, indent: 12)
            }
        }
    }

    /// What becomes of a layer: it wins, it loses to other policy, it is hidden, or it has nothing.
    private func mark(of layer: ExplainedLayer, at index: Int) -> String {
        if index == explanation.winner { return "wins" }
        guard layer.value != nil || layer.entry != nil else { return "-" }
        return layer.kind == .forced || layer.kind == .recommended ? "loses" : "hidden"
    }

    /// What a layer holds.
    private func content(of layer: ExplainedLayer) -> String {
        let isPolicy = layer.kind == .forced || layer.kind == .recommended
        return switch layer.content {
        case .value(let value): ValueText.line(value)
        case .absent: "no value (absent)"
        case .nothing: "has no such key"
        case .missing: isPolicy ? "no policy" : "no file"
        case .unreadable(let error): "cannot be read: \(error)"
        }
    }

    /// The files that do not apply as they stand.
    private mutating func addSkipped() {
        let skipped = SkippedText.all(session.machine.policies, session.resultant)
        guard !skipped.isEmpty else { return }
        lines += ["", "files that do not apply as they stand:"]
        for file in skipped {
            // The path stands alone, so that it can be copied where a terminal is narrow.
            lines.append("  " + Printable.escape(root.display(file.path)))
            let policy = file.policy.map { "\($0): " } ?? ""
            lines += Layout.wrap(Printable.escape(policy + file.reason), indent: 6)
        }
    }
}
