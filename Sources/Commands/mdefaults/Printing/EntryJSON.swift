import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPrograms
import MDPropertyList

extension JSONWriter {
    /// Writes the members of an entry in a listing: domain, key, value and origin.
    mutating func entry(_ entry: ResolvedEntry, in root: Root, isSealed: Bool = false) {
        field("domain", entry.domain.string)
        field("key", entry.key.string)
        details(of: entry, in: root, isSealed: isSealed)
    }

    /// Writes the value and the origin of an entry, without domain and key.
    mutating func details(of entry: ResolvedEntry, in root: Root, isSealed: Bool = false) {
        value(entry.value, isSensitive: entry.metadata.isSensitive)
        origin(entry.origin, in: root)
        if !entry.contributors.isEmpty { origins("contributors", entry.contributors, in: root) }
        if isSealed { field("sealed", true) }
        if entry.isRecordedCopy { field("lastGood", true) }
        shortfall(of: entry)
        metadata(entry.metadata)
    }

    /// Writes the members `shortfall` and `unknown`, a word and a sentence, of an entry whose value is unknown.
    mutating func shortfall(of entry: ResolvedEntry?) {
        guard let shortfall = entry?.shortfall else { return }
        field("shortfall", shortfall.rawValue)
        field("unknown", shortfall.words)
    }

    /// Writes the member `value`, or `"sensitive":true` in its place.
    mutating func value(_ value: Value?, isSensitive: Bool) {
        if isSensitive, value != nil { field("sensitive", true) } else { field("value", value) }
    }

    /// Writes title, description and controls of a key, if there are any.
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

    /// Writes the member `constraint`: what is allowed, and its origin; for a sensitive key only the origin.
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
        if constraint.isRecordedCopy { field("lastGood", true) }
        endObject()
    }

    /// Writes the member `waivers`, an array.
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

    /// Writes the member `became`, the keys of programs that a common setting became; nothing if there are none.
    mutating func meanings(_ meanings: [SettingMeaning], in root: Root) {
        if meanings.isEmpty { return }
        member("became")
        beginArray()
        for meaning in meanings {
            beginObject()
            entry(meaning.entry, in: root)
            field("level", meaning.entry.level.rawValue)
            field("inForce", meaning.isInForce)
            endObject()
        }
        endArray()
    }

    /// Writes the members of a waiver: its key, state, end, reason and approval, and what it lifts.
    mutating func waiverMembers(_ waiver: ResolvedWaiver, in root: Root) {
        let own = waiver.waiver
        field("domain", own.domain.string)
        field("key", own.key.string)
        field("state", waiver.state.rawValue)
        field("until", own.until?.rfc3339)
        let reason = GrantReason.shown(own, in: root)
        field("reason", reason.isEmpty ? nil : reason)
        field("approvedBy", own.approvedBy.isEmpty ? nil : own.approvedBy)
        origin(own.origin, in: root)
        origins("lifted", waiver.lifted, in: root)
        if let obstacle = waiver.obstacle {
            member("heldBy")
            originObject(obstacle.origin, in: root)
        }
    }

    /// Writes the member `origin` of a layer's value: that of a policy entry, or the file of a stored value.
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

extension JSONWriter {
    /// Writes the member `origin`: policy, file, line and column; the byte offset in a binary file.
    mutating func origin(_ origin: Origin, in root: Root) {
        member("origin")
        originObject(origin, in: root)
    }

    /// Writes an origin as a value.
    mutating func originObject(_ origin: Origin, in root: Root) {
        beginObject()
        field("policy", origin.policy)
        field("file", root.display(origin.file))
        field("line", origin.position.line)
        field("column", origin.position.column)
        if origin.position.isBinary { field("offset", origin.position.offset) }
        endObject()
    }
}

extension JSONWriter {
    /// Writes the member `signature`; nothing if a file has none and needs none.
    mutating func signature(_ state: SignatureState) {
        if state == .none { return }
        member("signature")
        beginObject()
        switch state {
        case .none: break
        case .notVerified: field("state", "not verified")
        case .verified(let signer):
            field("state", "verified")
            field("signer", signer)
        case .refused(let reason):
            field("state", "refused")
            field("reason", reason)
        }
        endObject()
    }
}

extension JSONWriter {
    /// Writes an array of findings.
    ///
    /// - Parameters:
    ///   - findings: the findings.
    ///   - withFile: whether each names its file; false inside of a file's own object.
    mutating func findings(_ findings: [Diagnostic], withFile: Bool) {
        beginArray()
        for finding in findings {
            beginObject()
            if withFile { field("file", finding.file) }
            field("line", finding.position.line)
            field("column", finding.position.column)
            if finding.position.isBinary { field("offset", finding.position.offset) }
            field("severity", finding.severity.rawValue)
            field("code", finding.code)
            field("message", finding.message)
            endObject()
        }
        endArray()
    }
}

extension JSONWriter {
    /// Writes the member `why`: what brought a policy file, and whom to ask; nothing if neither is known.
    mutating func why(_ found: PolicyIntroduction?, contact: String) {
        if found == nil, contact.isEmpty { return }
        member("why")
        beginObject()
        field("generation", found?.generation)
        field("time", found?.time?.rfc3339)
        if let found {
            if !found.isByHand {
                field("by", found.by)
                field("reason", found.reason)
            }
            field("byHand", found.isByHand)
        }
        if !contact.isEmpty { field("contact", contact) }
        endObject()
    }
}
