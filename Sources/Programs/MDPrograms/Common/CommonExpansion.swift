package import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
import MDPropertyList
import MDTools

extension PolicyExpansion {
    /// Expands the common settings of a machine's policy.
    ///
    /// If it is not known what they mean, and policy has some, policy is unknown: what was in force stays so.
    package static func commonSettings(of root: Root) -> PolicyExpansion {
        PolicyExpansion(of: CommonSettings.domain) { set in
            guard set.files.contains(where: { $0.policy?.hasCommonSettings ?? false }) else { return set }
            do {
                let settings = try CommonSettings(root: root)
                let files = set.files.map { state in
                    guard let policy = state.policy, policy.hasCommonSettings else { return state }
                    return PolicyFileState(state, policy: settings.expanded(policy).policy)
                }
                return set.with(files: files, knowledge: set.knowledge)
            } catch {
                return set.with(
                    files: set.files,
                    knowledge: PolicyKnowledge(
                        failure: set.knowledge.failure
                            ?? "policy has entries of \(CommonSettings.domain), and \(error)"))
            }
        }
    }
}

extension CommonSettings {
    /// The common settings that no program gets.
    ///
    /// - Parameters:
    ///   - set: policy that was expanded.
    ///   - root: the machine.
    /// - Returns: a finding for each entry that means nothing to any program.
    package static func findings(in set: PolicySet, of root: Root) -> [ProgramFinding] {
        let policies = set.files.compactMap(\.policy).filter(\.hasCommonSettings)
        guard !policies.isEmpty, let settings = try? CommonSettings(root: root) else { return [] }
        return policies.flatMap { settings.expanded($0).findings }
    }

    /// A policy file with programs' entries in place of common ones; those that mean nothing stay, each with a finding.
    ///
    /// What the file says of a program's key itself counts more. Complexity: linear in the entries of both.
    package func expanded(_ policy: PolicyFile) -> (policy: PolicyFile, findings: [ProgramFinding]) {
        var expansion = Expansion(settings: settings, gap: gap, policy)
        for entry in policy.entries {
            if entry.domain == CommonSettings.domain { expansion.add(entry) } else { expansion.entries.append(entry) }
        }
        let combine = policy.combine.flatMap { entry -> [CombineEntry] in
            guard entry.domain == CommonSettings.domain else { return [entry] }
            let targets = settings[entry.key].map { setting in
                setting.programs.sorted { $0.key < $1.key }.flatMap { domain, keys in
                    keys.filter(\.template.isWholeValue).map {
                        CombineEntry(domain: domain, key: $0.key, combine: entry.combine, origin: entry.origin)
                    }
                }
            }
            guard let targets, !targets.isEmpty else {
                expansion.report(entry.origin, entry.key, "no program has a value of this that can be combined")
                return [entry]
            }
            return targets
        }
        let waivers = policy.waivers.flatMap { waiver -> [Waiver] in
            guard waiver.domain == CommonSettings.domain else { return [waiver] }
            guard let targets = expansion.targets(of: waiver.key) else {
                expansion.report(waiver.origin, waiver.key, "there is no such common setting")
                return [waiver]
            }
            return targets.map { domain, key in
                Waiver(
                    clauses: waiver.clauses, domain: domain, key: key, until: waiver.until, reason: waiver.reason,
                    approvedBy: waiver.approvedBy, origin: waiver.origin)
            }
        }
        let metadata = policy.metadata.flatMap { item -> [MetadataEntry] in
            guard item.domain == CommonSettings.domain, let targets = expansion.targets(of: item.key) else {
                return [item]
            }
            return targets.map { domain, key in
                MetadataEntry(domain: domain, key: key, metadata: item.metadata, origin: item.origin)
            }
        }
        for seal in policy.seals where seal.domain == CommonSettings.domain {
            expansion.report(seal.origin, nil, "common settings cannot be sealed: seal the programs' own domains")
        }
        for constraint in policy.constraints where constraint.domain == CommonSettings.domain {
            expansion.report(
                constraint.origin, constraint.key, "common settings have no limits: name the programs' own keys")
        }
        return (
            policy.with(entries: expansion.entries, combine: combine, waivers: waivers, metadata: metadata),
            expansion.findings
        )
    }

    /// The entries of one file while it is expanded.
    private struct Expansion {
        /// A key of a program.
        struct ProgramKey: Hashable {
            let domain: Key
            let key: Key
        }

        let settings: [Key: CommonSetting]
        /// Why settings of the package are unknown.
        let gap: String?
        var entries: [PolicyEntry] = []
        var findings: [ProgramFinding] = []
        /// What the file says itself.
        private let explicit: Set<ProgramKey>
        /// Marks the made entries as expanded.
        private let source: Origin.Source
        /// Where the entries are that were made so far.
        private var made: [ProgramKey: Int] = [:]

        init(settings: [Key: CommonSetting], gap: String?, _ policy: PolicyFile) {
            (self.settings, self.gap) = (settings, gap)
            source = Origin.Source(policy: policy.identifier, file: policy.path, isExpanded: true)
            explicit = Set(policy.entries.map { ProgramKey(domain: $0.domain, key: $0.key) })
        }

        /// The keys that a setting is about; `nil` if there is no such setting.
        func targets(of key: Key) -> [(Key, Key)]? {
            settings[key].map { setting in
                setting.programs.sorted { $0.key < $1.key }.flatMap { domain, keys in keys.map { (domain, $0.key) } }
            }
        }

        mutating func report(_ origin: Origin, _ key: Key?, _ clause: String) {
            findings.append(ProgramFinding(.unsupported, program: "common", origin: origin, key: key, clause))
        }

        /// Adds what a common entry means; the entry itself if it means nothing.
        mutating func add(_ entry: PolicyEntry) {
            guard let setting = settings[entry.key] else {
                entries.append(entry)
                return report(entry.origin, entry.key, gap ?? "there is no such common setting")
            }
            let value = entry.value?.value
            if let value, !setting.type.fits(value) {
                entries.append(entry)
                return report(
                    entry.origin, entry.key, "this setting is \(setting.type.noun), and here it is \(value.typeName)")
            }
            var isSaid = false
            for (domain, keys) in setting.programs.sorted(by: { $0.key < $1.key }) {
                for (key, template) in keys {
                    guard let said = meaning(of: entry, template, as: ProgramKey(domain: domain, key: key)) else {
                        continue
                    }
                    isSaid = true
                    put(said)
                }
            }
            if isSaid { return }
            entries.append(entry)
            report(entry.origin, entry.key, "no program has anything for this value")
        }

        /// The entry for a program; `nil` if it gets none.
        private func meaning(of entry: PolicyEntry, _ template: SettingTemplate, as target: ProgramKey) -> PolicyEntry?
        {
            let origin = Origin(source, position: entry.origin.position)
            func said(_ level: Level, _ value: Node?) -> PolicyEntry {
                PolicyEntry(
                    level: level, domain: target.domain, key: target.key, value: value,
                    hasVariables: value != nil && entry.hasVariables, rule: entry.rule, origin: origin)
            }
            if case .absent = template {
                return entry.level == .forced || entry.level == .absent ? said(.absent, nil) : nil
            }
            guard let node = entry.value else { return said(entry.level, nil) }
            return template.filled(with: node.value).map { said(entry.level, Expansion.node($0, at: node.offset)) }
        }

        /// Adds a program's entry, in place of what an earlier common one said of the same key.
        private mutating func put(_ entry: PolicyEntry) {
            let target = ProgramKey(domain: entry.domain, key: entry.key)
            if explicit.contains(target) { return }
            if let index = made[target] {
                entries[index] = entry
            } else {
                made[target] = entries.count
                entries.append(entry)
            }
        }

        /// A value as a node, all at one place.
        private static func node(_ value: Value, at offset: Int) -> Node {
            switch value {
            case .array(let elements): Node(.array(elements.map { node($0, at: offset) }), offset: offset)
            case .dictionary(let members):
                Node(
                    .dictionary(
                        members.sorted { $0.key < $1.key }.map {
                            Node.Entry(key: $0.key, keyOffset: offset, value: node($0.value, at: offset))
                        }), offset: offset)
            default: Node(.scalar(value), offset: offset)
            }
        }
    }
}

extension PolicyFile {
    /// Whether the file says something of the common domain.
    package var hasCommonSettings: Bool {
        let domain = CommonSettings.domain
        return entries.contains { $0.domain == domain } || seals.contains { $0.domain == domain }
            || constraints.contains { $0.domain == domain } || combine.contains { $0.domain == domain }
            || waivers.contains { $0.domain == domain } || metadata.contains { $0.domain == domain }
    }

    /// The same file with other entries.
    fileprivate func with(
        entries: [PolicyEntry], combine: [CombineEntry], waivers: [Waiver], metadata: [MetadataEntry]
    ) -> PolicyFile {
        PolicyFile(
            source, identifierPosition: identifierPosition, version: version, summary: summary, contact: contact,
            target: target, targetPosition: targetPosition, enforced: enforced, onOverride: onOverride,
            temporary: temporary, entries: entries, seals: seals, constraints: constraints, combine: combine,
            waivers: waivers, calendars: calendars, metadata: metadata, digest: digest)
    }
}
