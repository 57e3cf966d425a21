import Engine
import Platform
import Policy
import Preferences
import PropertyList

/// `explain --json`.
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
        for file in SkippedText.all(session.machine.policies, session.resultant) {
            json.beginObject()
            json.field("policy", file.policy)
            json.field("file", root.display(file.path))
            json.field("reason", file.reason)
            json.field("inForce", file.inForce?.rawValue)
            if file.isIgnored { json.field("ignored", true) }
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json
    }

    /// Writes a place of the search list.
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
        // A file that is not there is the origin of nothing.
        if case .missing = layer.content {
            json.field("missing", true)
        } else {
            json.origin(layer.entry?.origin, orFile: layer.path, in: root)
        }
        if let contributors = layer.entry?.contributors, !contributors.isEmpty {
            json.origins("contributors", contributors, in: root)
        }
        if layer.entry?.isLastGood == true { json.field("lastGood", true) }
        json.shortfall(of: layer.entry)
        json.endObject()
    }
}
