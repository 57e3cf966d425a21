import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPrograms
import MDPropertyList

/// The output of `explain` for people: the value, the search list, and the files that do not apply.
struct ExplanationText {
    /// The explanation to print.
    private let explanation: Explanation
    /// The user and machine.
    private let session: UserSession
    /// The lines, complete after the initializer.
    private(set) var lines: [String] = []

    /// Whether empty places and every file are shown.
    private let isWhole: Bool
    private let ink: Ink

    /// Writes the lines.
    init(_ explanation: Explanation, _ session: UserSession, isWhole: Bool, _ ink: Ink) {
        (self.explanation, self.session, self.isWhole, self.ink) = (explanation, session, isWhole, ink)
        addHead()
        addMeanings()
        addLayers()
        addWaivers()
        addSkipped()
        addIntroduction()
    }

    /// The root that paths are shown for.
    private var root: Root { session.machine.root }

    /// Adds the value, the layer that decides, and description and contact of its policy file.
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
        if entry.isRecordedCopy {
            lines.append("    From the last good copy of the policy file, which is not in force as it is.")
        }
    }

    /// Adds the description of the key and its constraint.
    private mutating func addRules() {
        lines += EntryText.lines(of: explanation.metadata, indent: 4)
        guard let constraint = explanation.constraint else { return }
        lines += EntryText.lines(of: constraint, in: root, indent: 4)
    }

    /// What a common setting is for programs; empty for any other key.
    static func meanings(_ explanation: Explanation, _ session: UserSession) -> [SettingMeaning] {
        guard explanation.domain == CommonSettings.domain else { return [] }
        let settings = try? CommonSettings(root: session.machine.root)
        return session.resultant.meanings(of: explanation.key, in: explanation.domain, by: settings)
    }

    /// Adds what a common setting is for programs.
    private mutating func addMeanings() {
        let meanings = ExplanationText.meanings(explanation, session)
        guard !meanings.isEmpty else { return }
        lines += ["", "what it is for programs:"] + meanings.flatMap { EntryText.lines(of: $0, in: root, indent: 2) }
    }

    /// Adds the waivers of the key.
    private mutating func addWaivers() {
        guard !explanation.waivers.isEmpty else { return }
        lines += ["", "waivers for \(session.machine.shownName(of: session.account)):"]
        for waiver in explanation.waivers {
            lines += EntryText.lines(of: waiver, in: root, indent: 2, naming: false)
        }
    }

    /// Adds the layers of the search list.
    private mutating func addLayers() {
        let user = session.machine.shownName(of: session.account)
        let host = Printable.escape(session.machine.host.short)
        let shown = explanation.layers.enumerated().filter { isWhole || !isEmpty($0.element, at: $0.offset) }
        guard !shown.isEmpty else {
            lines += ["", "nothing in the search list of \(user) on \(host) has the key; --all shows its places"]
            return
        }
        lines += ["", "search list of \(user) on \(host), in order:"]
        let rows = Layout.table(
            shown.map { index, layer in
                [
                    "  " + Layout.pad(mark(of: layer, at: index), to: 6), layer.kind.rawValue,
                    Printable.escape(layer.domain.string), "",
                ]
            })
        for (layout, (index, layer)) in zip(rows, shown) {
            // A value that does not fit beside its layer is printed below it.
            let row = Layout.beside(layout, content(of: layer), gap: 0, indent: 12)
            lines += index == explanation.winner ? row.map(ink.bold) : row
            if let origin = layer.entry?.origin { lines += origin.lines(in: root, indent: 12) }
            if let contributors = layer.entry?.contributors, !contributors.isEmpty {
                lines.append("            made of:")
                for origin in contributors { lines += origin.lines(in: root, indent: 14) }
            }
            if let path = layer.path { lines.append("            \(Printable.escape(path))") }
            for loser in layer.entry?.losers ?? [] {
                let value = ValueText.entry(loser.value, isSensitive: explanation.metadata.isSensitive)
                lines += Layout.fold("    loses   \(value)", indent: 8)
                lines += loser.origin.lines(in: root, indent: 12)
            }
        }
    }

    /// Whether a layer has nothing of the key, and nothing is wrong with it.
    private func isEmpty(_ layer: ExplainedLayer, at index: Int) -> Bool {
        if case .unreadable = layer.content { return false }
        return mark(of: layer, at: index) == "-"
    }

    /// The state of a layer in one word: it wins, loses to other policy, is hidden, or is barred by a constraint.
    private func mark(of layer: ExplainedLayer, at index: Int) -> String {
        if index == explanation.winner { return "wins" }
        guard layer.value != nil || layer.entry != nil else { return "-" }
        if layer.value != nil, layer.effective == nil { return "barred" }
        return layer.kind == .forced || layer.kind == .recommended ? "loses" : "hidden"
    }

    /// The content of a layer.
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

    /// A value, and its effect under a constraint or before an application has opened the domain.
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

    /// Adds what brought the file that decides, and whom to ask.
    private mutating func addIntroduction() {
        guard let file = explanation.decidingFile else { return }
        let introduction = PolicyIntroduction(of: file.path, file.digest, in: root)
        let sentence =
            introduction.map { $0.sentence { session.machine.moment.words(for: $0) } }
            ?? "Not by install: no generation has the file as it is."
        lines += ["", "why:"] + Layout.wrap(Printable.escape(sentence), indent: 2)
        if file.contact.isEmpty { return }
        lines += Layout.wrap(Printable.escape("To have it changed, ask: \(file.contact)."), indent: 2)
    }

    /// Adds the files that do not apply as written.
    private mutating func addSkipped() {
        let all = InapplicableFile.all(session.machine.policies, session.resultant)
        let skipped = isWhole ? all : all.filter(mayConcern)
        guard !skipped.isEmpty else { return }
        lines += ["", "files that do not apply as they stand:"]
        for file in skipped {
            // The path has a line of its own, so that it can be copied from a narrow terminal.
            lines.append("  " + Printable.escape(root.display(file.path)))
            let policy = file.policy.map { "\($0): " } ?? ""
            lines += Layout.wrap(Printable.escape(policy + file.reason), indent: 6)
        }
    }
}

extension Explanation {
    /// The policy file that decides the key, or limits its values; `nil` without one.
    var decidingFile: (path: String, digest: Digest, contact: String)? {
        if isForced, let entry = winningLayer?.entry, entry.shortfall != .policy {
            return (entry.origin.file, entry.fileDigest, entry.contact)
        }
        return constraint.map { ($0.entry.origin.file, $0.fileDigest, $0.contact) }
    }
}

extension ExplanationText {
    /// Whether a file says something of the key, or may: what is in a broken one is unknown.
    private func mayConcern(_ file: InapplicableFile) -> Bool {
        if file.isIgnored { return false }
        let known = session.machine.policies.files.first { Key($0.path) == Key(file.path) }
        guard let policy = known?.policy else { return true }
        let domains = SearchOrder(ofOther: explanation.domain).forcingDomains
        return policy.names.contains { $0.key == explanation.key && domains.contains($0.domain) }
            || policy.seals.contains { domains.contains($0.domain) }
    }
}

/// The output of `explain --json`.
enum ExplanationJSON {
    /// The document.
    static func document(_ explanation: Explanation, _ session: UserSession) -> JSONWriter {
        let root = session.machine.root
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("domain", explanation.domain.string)
        json.field("key", explanation.key.string)
        let isSensitive = explanation.metadata.isSensitive
        json.value(explanation.value, isSensitive: isSensitive)
        json.field("forced", explanation.isForced)
        json.field("layer", explanation.winningLayer?.kind.rawValue)
        json.shortfall(of: explanation.winningLayer?.entry)
        json.metadata(explanation.metadata)
        if let constraint = explanation.constraint { json.constraint(constraint, in: root) }
        if !explanation.waivers.isEmpty { json.waivers(explanation.waivers, in: root) }
        json.member("layers")
        json.beginArray()
        for (index, layer) in explanation.layers.enumerated() {
            write(layer, wins: index == explanation.winner, isSensitive: isSensitive, to: &json, root)
        }
        json.endArray()
        json.meanings(ExplanationText.meanings(explanation, session), in: root)
        json.member("losers")
        json.beginArray()
        for loss in explanation.losses {
            json.beginObject()
            json.value(loss.value, isSensitive: isSensitive)
            if loss.isPassedOver { json.field("passedOver", true) }
            json.origin(loss.origin, orFile: loss.path, in: root)
            json.field("layer", loss.kind.rawValue)
            json.field("domain", loss.domain.string)
            json.field("level", loss.level?.rawValue)
            json.endObject()
        }
        json.endArray()
        json.member("skipped")
        json.beginArray()
        for file in InapplicableFile.all(session.machine.policies, session.resultant) {
            json.beginObject()
            json.field("policy", file.policy)
            json.field("file", root.display(file.path))
            json.field("reason", file.reason)
            json.field("inForce", file.inForce?.rawValue)
            if file.isIgnored { json.field("ignored", true) }
            json.endObject()
        }
        json.endArray()
        if let file = explanation.decidingFile {
            json.why(PolicyIntroduction(of: file.path, file.digest, in: root), contact: file.contact)
        }
        json.endObject()
        return json
    }

    /// Writes a layer of the search list.
    private static func write(
        _ layer: ExplainedLayer, wins: Bool, isSensitive: Bool, to json: inout JSONWriter, _ root: Root
    ) {
        json.beginObject()
        json.field("layer", layer.kind.rawValue)
        json.field("domain", layer.domain.string)
        json.value(layer.value, isSensitive: isSensitive)
        if let value = layer.value, layer.constraint != nil {
            if let effective = layer.effective {
                if !isSensitive, effective != value { json.field("clamped", effective) }
            } else {
                json.field("passedOver", true)
            }
        }
        if case .absent = layer.content { json.field("absent", true) }
        if layer.isSealed { json.field("sealed", true) }
        if layer.isPending { json.field("pending", true) }
        if case .unreadable(let error) = layer.content { json.field("problem", error.description) }
        json.field("wins", wins)
        // A missing file is no origin.
        if case .missing = layer.content {
            json.field("missing", true)
        } else {
            json.origin(layer.entry?.origin, orFile: layer.path, in: root)
        }
        if let contributors = layer.entry?.contributors, !contributors.isEmpty {
            json.origins("contributors", contributors, in: root)
        }
        if layer.entry?.isRecordedCopy == true { json.field("lastGood", true) }
        json.shortfall(of: layer.entry)
        json.endObject()
    }
}

/// A file in a policy directory that does not apply as written, and why.
struct InapplicableFile {
    /// The identifier of the policy; `nil` if the file was never valid.
    let policy: String?
    /// The path beneath the root.
    let path: String
    /// Why, as the rest of a sentence that begins with the file's name.
    let reason: String
    /// Which copy of it is in force nevertheless; `nil` if none is.
    var inForce: PolicyFileState.Source?
    /// Whether the file is not read at all.
    var isIgnored = false

    /// All such files: those that do not apply to the user, those that are not in force as written, and those that are not
    /// read.
    static func all(_ policies: PolicySet, _ resultant: ResultantSet) -> [InapplicableFile] {
        let skipped = resultant.skipped.map { InapplicableFile(policy: $0.policy, path: $0.file, reason: $0.reason) }
        let broken = policies.files.compactMap { file in
            PolicyNotes.note(about: file).map { note in
                InapplicableFile(
                    policy: file.policy?.identifier, path: file.path, reason: note,
                    inForce: file.isStandIn ? file.source : nil)
            }
        }
        let ignored = policies.ignored.map { file in
            InapplicableFile(policy: nil, path: file.path, reason: file.reason, isIgnored: true)
        }
        return skipped + broken + ignored
    }
}
