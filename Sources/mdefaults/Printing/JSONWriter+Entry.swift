import Engine
import Platform
import Policy
import PropertyList

extension JSONWriter {
    /// Writes the members that every listing of entries has: domain, key, value and origin.
    mutating func entry(_ entry: ResolvedEntry, in root: Root, isSealed: Bool = false) {
        field("domain", entry.domain.string)
        field("key", entry.key.string)
        details(of: entry, in: root, isSealed: isSealed)
    }

    /// Writes what an entry says of its key, and who says so.
    mutating func details(of entry: ResolvedEntry, in root: Root, isSealed: Bool = false) {
        value(entry.value, isSensitive: entry.metadata.isSensitive)
        origin(entry.origin, in: root)
        if !entry.contributors.isEmpty { origins("contributors", entry.contributors, in: root) }
        if isSealed { field("sealed", true) }
        if entry.isLastGood { field("lastGood", true) }
        shortfall(of: entry)
        metadata(entry.metadata)
    }

    /// Writes the members `shortfall` and `unknown`, a word and a sentence, of an entry whose value nobody can tell.
    mutating func shortfall(of entry: ResolvedEntry?) {
        guard let shortfall = entry?.shortfall else { return }
        field("shortfall", shortfall.rawValue)
        field("unknown", shortfall.words)
    }

    /// Writes the member `value`; of a value that is shown to nobody, only that there is one: `"sensitive":true`.
    mutating func value(_ value: Value?, isSensitive: Bool) {
        if isSensitive, value != nil { field("sensitive", true) } else { field("value", value) }
    }

    /// Writes what people are told about a key, as far as somebody tells anything.
    mutating func metadata(_ metadata: KeyMetadata) {
        if !metadata.title.isEmpty { field("title", metadata.title) }
        if !metadata.description.isEmpty { field("description", metadata.description) }
        if metadata.controls.isEmpty { return }
        member("controls")
        beginArray()
        for control in metadata.controls { string(control) }
        endArray()
    }

    /// Writes a member with some origins.
    mutating func origins(_ name: String, _ origins: [Origin], in root: Root) {
        member(name)
        beginArray()
        for origin in origins { originObject(origin, in: root) }
        endArray()
    }

    /// Writes the member `losers`: value, level and origin of each entry that lost, the strongest first.
    mutating func losers(_ losers: [Loser], isSensitive: Bool, in root: Root) {
        member("losers")
        beginArray()
        for loser in losers {
            beginObject()
            field("level", loser.level.rawValue)
            value(loser.value, isSensitive: isSensitive)
            origin(loser.origin, in: root)
            endObject()
        }
        endArray()
    }

    /// Writes the member `constraint`: what is allowed, and who says so; of a sensitive key only the latter.
    mutating func constraint(_ constraint: ResolvedConstraint, in root: Root) {
        member("constraint")
        constraintObject(constraint, in: root)
    }

    /// Writes a constraint as a value.
    mutating func constraintObject(_ constraint: ResolvedConstraint, in root: Root) {
        beginObject()
        if constraint.metadata.isSensitive {
            field("sensitive", true)
        } else {
            let rule = constraint.entry.constraint
            field("allowed", rule.words)
            field("minimum", rule.minimum)
            field("maximum", rule.maximum)
            field("oneOf", rule.oneOf.map { .array($0) })
            field("pattern", rule.pattern?.text)
        }
        origin(constraint.entry.origin, in: root)
        if !constraint.losers.isEmpty { origins("losers", constraint.losers.map(\.origin), in: root) }
        field("contact", constraint.contact.isEmpty ? nil : constraint.contact)
        if constraint.isLastGood { field("lastGood", true) }
        endObject()
    }

    /// Writes waivers as an array: for which key, until when, why, who approved it, whether it is in force, what it lifts.
    mutating func waivers(_ waivers: [ResolvedWaiver], in root: Root) {
        member("waivers")
        beginArray()
        for waiver in waivers {
            beginObject()
            waiverMembers(waiver, in: root)
            endObject()
        }
        endArray()
    }

    /// Writes the members of a waiver.
    mutating func waiverMembers(_ waiver: ResolvedWaiver, in root: Root) {
        let own = waiver.waiver
        field("domain", own.domain.string)
        field("key", own.key.string)
        field("state", waiver.state.rawValue)
        field("until", own.until?.rfc3339)
        field("reason", own.reason.isEmpty ? nil : own.reason)
        field("approvedBy", own.approvedBy.isEmpty ? nil : own.approvedBy)
        origin(own.origin, in: root)
        origins("lifted", waiver.lifted, in: root)
        if let obstacle = waiver.obstacle {
            member("heldBy")
            originObject(obstacle.origin, in: root)
        }
    }

    /// Writes the origin of something that a layer holds: the policy entry's, or the file of a stored value.
    mutating func origin(_ origin: Origin?, orFile path: String?, in root: Root) {
        if let origin {
            self.origin(origin, in: root)
        } else if let path {
            member("origin")
            beginObject()
            field("file", path)
            endObject()
        }
    }
}
