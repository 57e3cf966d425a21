import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList
import MDTools

extension ResultantSet {
    /// The set as text that a person can check, and that tells any two sets apart.
    var rendered: String {
        var lines: [String] = []
        for entry in entries { lines += ResultantSet.lines(of: entry) }
        for (domain, keys) in unsealed.sorted(by: { $0.key < $1.key }) {
            lines.append("unsealed \(domain) \(keys.sorted().map(\.string).joined(separator: ", "))")
        }
        for keys in constraints.sorted(by: { $0.key < $1.key }).map(\.value) {
            for constraint in keys.sorted(by: { $0.key < $1.key }).map(\.value) {
                lines += ResultantSet.lines(of: constraint)
            }
        }
        for waiver in waivers {
            let until = waiver.waiver.until.map { " until \($0)" } ?? ""
            lines.append(
                "waiver \(waiver.waiver.domain) \(waiver.waiver.key)\(until)\(waiver.isExpired ? " (expired)" : "")")
            lines.append("    \(waiver.waiver.origin.policy) \(waiver.waiver.origin)")
            if !waiver.waiver.reason.isEmpty || !waiver.waiver.approvedBy.isEmpty {
                lines.append("    \(waiver.waiver.reason), approved by \(waiver.waiver.approvedBy)")
            }
            lines += waiver.lifted.map { "    lifts \($0)" }
            if let obstacle = waiver.obstacle { lines.append("    \(obstacle.origin), \(obstacle.clause)") }
        }
        for (domain, keys) in metadata.sorted(by: { $0.key < $1.key }) {
            for (key, facts) in keys.sorted(by: { $0.key < $1.key }) {
                lines.append("metadata \(domain) \(key)\(ResultantSet.text(of: facts))")
            }
        }
        for file in applied where file.nextChange != nil {
            lines.append("applied \(file.policy) \(file.file)\(ResultantSet.text(until: file.nextChange))")
        }
        for file in skipped {
            let next = ResultantSet.text(until: file.nextChange)
            lines.append("skipped \(file.policy) \(file.file): \(file.reason)\(next)")
        }
        if let nextChange { lines.append("next change \(nextChange)") }
        lines += problems.map(\.description)
        return lines.joined(separator: "\n") + "\n"
    }

    /// An entry.
    static func lines(of entry: ResolvedEntry) -> [String] {
        let mode = entry.onOverride == .shadow ? " (shadow)" : ""
        let level = entry.isSeal ? "sealed" : entry.level.rawValue
        var lines = ["\(level) \(entry.domain) \(entry.key) = \(text(entry.value))\(mode)"]
        lines.append("    \(entry.origin.policy) \(entry.origin)")
        if entry.level == .setOnce, entry.rule != .eachVersion { lines.append("    \(entry.rule)") }
        for origin in entry.contributors { lines.append("    joined from \(origin)") }
        for loser in entry.losers {
            lines.append("    beats \(loser.level.rawValue) \(text(loser.value)) of \(loser.origin)")
        }
        if !entry.metadata.isEmpty { lines.append("   \(text(of: entry.metadata))") }
        return lines
    }

    /// A constraint.
    private static func lines(of constraint: ResolvedConstraint) -> [String] {
        let entry = constraint.entry
        return ["constraint \(entry.domain) \(entry.key): \(entry.constraint.words)"]
            + ["    \(entry.origin.policy) \(entry.origin)"]
            + constraint.losers.map { "    beats \($0.constraint.words) of \($0.origin)" }
            + (constraint.metadata.isEmpty ? [] : ["   \(text(of: constraint.metadata))"])
    }

    /// Metadata, behind a blank.
    private static func text(of metadata: KeyMetadata) -> String {
        " \"\(metadata.title)\" \"\(metadata.description)\" \(metadata.controls)"
            + (metadata.isSensitive ? " sensitive" : "")
    }

    /// When something changes, behind a comma.
    private static func text(until moment: Timestamp?) -> String { moment.map { ", until \($0)" } ?? "" }

    /// A value in JSON, or a dash for none.
    private static func text(_ value: Value?) -> String {
        guard let value else { return "-" }
        var writer = JSONWriter()
        writer.value(value)
        return writer.text
    }
}

extension ResolvedEntry {
    /// Everything that the entry says, as text.
    var everything: String {
        let words = [
            contact, policyVersion?.description ?? "-", description, fileDigest.hex, isRecordedCopy ? "last good" : "",
            value?.typeName ?? "",
        ]
        return (ResultantSet.lines(of: self) + words).joined(separator: "\n")
    }
}

extension ResultantSet {
    /// Everything that the set says of its domains, as text: without files, and without when anything changes.
    var ofDomains: String {
        ResultantSet(
            forced: forced, recommended: recommended, setOnce: setOnce, constraints: constraints, seals: seals,
            unsealed: unsealed, waivers: waivers, metadata: metadata
        ).everything
    }

    /// What the set says of some domains.
    func only(_ domains: Set<Key>) -> ResultantSet {
        /// Those of some entries whose domain is asked for.
        func only<Content>(_ level: [Key: Content]) -> [Key: Content] { level.filter { domains.contains($0.key) } }
        return ResultantSet(
            domains: domains, forced: only(forced), recommended: only(recommended), setOnce: only(setOnce),
            constraints: only(constraints), seals: only(seals), unsealed: only(unsealed),
            waivers: waivers.filter { domains.contains($0.waiver.domain) }, metadata: only(metadata))
    }

    /// Everything that the set says, as text.
    var everything: String {
        let facts = constraints.values.flatMap(\.values).map {
            "\($0.contact) \($0.fileDigest.hex) \($0.isRecordedCopy)"
        }
        return rendered + entries.map(\.everything).joined(separator: "\n") + facts.sorted().joined(separator: "\n")
            + applied.map { "\($0.policy) \($0.file)" }.joined(separator: "\n")
    }
}
