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
        addWaivers()
        addSkipped()
    }

    /// The root that paths are shown for.
    private var root: Root { session.machine.root }

    /// The first lines: the value, the layer that decides, and what its policy file says of itself.
    private mutating func addHead() {
        let name = "\(Printable.escape(explanation.domain.string)) \(Printable.escape(explanation.key.string))"
        defer { addRules() }
        guard let layer = explanation.winningLayer else {
            lines += Layout.beside("\(name) has no value", "(nothing in the search list has the key)", indent: 4)
            return
        }
        if let value = explanation.value {
            let shown = explanation.metadata.isSensitive ? ValueText.sensitive : ValueText.whole(value)
            lines += Layout.beside("\(name) = \(shown)", "(\(layer.kind.rawValue))", indent: 4)
        } else {
            let why =
                layer.entry?.shortfall.map { "(forced, \($0.words))" }
                ?? (layer.isSealed ? "(forced: the domain is sealed)" : "(forced: absent)")
            lines += Layout.beside("\(name) has no value", why, indent: 4)
        }
        guard let entry = layer.entry else { return }
        if !entry.description.isEmpty { lines += Layout.wrap(Printable.escape(entry.description), indent: 4) }
        if entry.isLastGood {
            lines.append("    From the last good copy of the policy file, which is not in force as it is.")
        }
        if layer.kind == .forced, !entry.contact.isEmpty {
            lines += Layout.wrap("To have it changed, ask: \(Printable.escape(entry.contact)).", indent: 4)
        }
    }

    /// What people are told about the key, and what is allowed.
    private mutating func addRules() {
        lines += RuleText.lines(of: explanation.metadata, indent: 4)
        guard let constraint = explanation.constraint else { return }
        lines += RuleText.lines(of: constraint, in: root, indent: 4)
        if constraint.contact.isEmpty { return }
        lines += Layout.wrap("To have it changed, ask: \(Printable.escape(constraint.contact)).", indent: 4)
    }

    /// The waivers of the key.
    private mutating func addWaivers() {
        guard !explanation.waivers.isEmpty else { return }
        lines += ["", "waivers for \(session.machine.shownName(of: session.account)):"]
        for waiver in explanation.waivers {
            lines += RuleText.lines(of: waiver, in: root, indent: 2, naming: false)
        }
    }

    /// The search list.
    private mutating func addLayers() {
        let user = session.machine.shownName(of: session.account)
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
            if let contributors = layer.entry?.contributors, !contributors.isEmpty {
                lines.append("            made of:")
                for origin in contributors { lines += origin.lines(in: root, indent: 14) }
            }
            if let path = layer.path { lines.append("            \(Printable.escape(path))") }
            for loser in layer.entry?.losers ?? [] {
                let value = ValueText.entry(loser.value, isSensitive: explanation.metadata.isSensitive)
                lines.append("    loses   \(value)")
                lines += loser.origin.lines(in: root, indent: 12)
            }
        }
    }

    /// What becomes of a layer: it wins, it loses to other policy, it is hidden, it is not allowed, or it has nothing.
    private func mark(of layer: ExplainedLayer, at index: Int) -> String {
        if index == explanation.winner { return "wins" }
        guard layer.value != nil || layer.entry != nil else { return "-" }
        if layer.value != nil, layer.effective == nil { return "barred" }
        return layer.kind == .forced || layer.kind == .recommended ? "loses" : "hidden"
    }

    /// What a layer holds.
    private func content(of layer: ExplainedLayer) -> String {
        let isPolicy = layer.kind == .forced || layer.kind == .recommended
        return switch layer.content {
        case .value(let value): text(of: value, in: layer)
        case .absent where layer.entry?.shortfall == .variable: "no value (a variable in it is unknown here)"
        case .absent where layer.entry?.shortfall == .user:
            "no value (a file for some users lists it, and who this user is is unknown here)"
        case .absent: layer.isSealed ? "no value (the domain is sealed)" : "no value (absent)"
        case .nothing: "has no such key"
        case .missing: isPolicy ? "no policy" : "no file"
        case .unreadable(let error): "cannot be read: \(error)"
        }
    }

    /// A value, and what becomes of it under a constraint or before an application has opened the domain.
    private func text(of value: Value, in layer: ExplainedLayer) -> String {
        let isSensitive = explanation.metadata.isSensitive
        let shown = ValueText.line(value, isSensitive: isSensitive)
        if layer.isPending { return "\(shown) (set once, when an application opens the domain)" }
        if let shortfall = layer.entry?.shortfall { return "\(shown) (\(shortfall.words))" }
        guard layer.constraint != nil else { return shown }
        guard let effective = layer.effective else { return "\(shown) (not allowed, passed over)" }
        if effective == value { return shown }
        return "\(shown) (counts as \(ValueText.line(effective, isSensitive: isSensitive)))"
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
