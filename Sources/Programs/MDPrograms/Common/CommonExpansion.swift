package import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
package import MDPropertyList

extension PolicyExpansion {
    /// Expands the common settings of a machine's policy.
    ///
    /// If the data of their meaning cannot be read, and policy has some, policy is unknown: what was in force stays so.
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

/// Something that a policy file says of common settings and that does not reach programs as it is written.
package struct CommonFinding: Sendable {
    /// What is so.
    package enum Kind: Sendable {
        /// There is no such setting, or it cannot have this value.
        case impossible
        /// A program's own key in the same file counts more.
        case overridden
        /// Some programs cannot combine its values.
        case partial
        /// It concerns the common domain alone, or its meaning is not known here.
        case unheard
    }

    package let kind: Kind
    package let origin: Origin
    /// The key of the common domain; `nil` for the whole domain.
    package let key: Key?
    /// A clause.
    package let message: String

    /// The finding as those of programs, for what no program carries out; `nil` for what some do.
    var ofPrograms: ProgramFinding? {
        switch kind {
        case .overridden, .partial: nil
        case .impossible, .unheard:
            ProgramFinding(.unsupported, program: CommonSettings.word, origin: origin, key: key, message)
        }
    }
}

extension CommonSettings {
    /// The word in place of a program's name in findings.
    package static let word = "common"

    /// The common settings that no program gets, and the mistakes in the data of their meaning.
    ///
    /// - Parameters:
    ///   - set: the policy.
    ///   - root: the machine.
    /// - Returns: the findings; none for policy without common settings.
    package static func findings(in set: PolicySet, of root: Root) -> [ProgramFinding] {
        let policies = set.files.compactMap(\.policy).filter(\.hasCommonSettings)
        guard !policies.isEmpty, let settings = try? CommonSettings(root: root) else { return [] }
        return settings.problems.map { problem in
            ProgramFinding(
                .unsupported, program: word,
                origin: Origin(policy: domain.string, file: problem.file, position: problem.position), problem.message)
        } + policies.flatMap { settings.expanded($0).findings.compactMap(\.ofPrograms) }
    }

    /// A policy file with what its common entries are for programs, beside the common entries themselves.
    ///
    /// What the file says of a program's key itself counts more at the same level. What was added before is made again.
    /// Complexity: linear in the entries of both.
    package func expanded(_ policy: PolicyFile) -> (policy: PolicyFile, findings: [CommonFinding]) {
        var expansion = Expansion(settings: self, policy)
        for entry in policy.entries where !entry.origin.source.isExpanded {
            expansion.entries.append(entry)
            if entry.domain == CommonSettings.domain { expansion.add(entry) }
        }
        let combine = policy.combine.filter { !$0.origin.source.isExpanded }.flatMap { expansion.combine($0) }
        let waivers = policy.waivers.filter { !$0.origin.source.isExpanded }.flatMap { waiver in
            [waiver]
                + expansion.targets(of: waiver.key, waiver.domain, waiver.origin).map { domain, key in
                    Waiver(
                        clauses: waiver.clauses, domain: domain, key: key, until: waiver.until, reason: waiver.reason,
                        approvedBy: waiver.approvedBy, origin: expansion.origin(waiver.origin, of: waiver.key))
                }
        }
        let metadata = policy.metadata.filter { !$0.origin.source.isExpanded }.flatMap { item in
            [item]
                + expansion.targets(of: item.key, item.domain, item.origin).map { domain, key in
                    MetadataEntry(
                        domain: domain, key: key, metadata: item.metadata, severity: item.severity,
                        origin: expansion.origin(item.origin, of: item.key))
                }
        }
        for seal in policy.seals where seal.domain == CommonSettings.domain {
            expansion.report(
                .unheard, seal.origin, nil, "common settings cannot be sealed: seal the programs' own domains")
        }
        for constraint in policy.constraints where constraint.domain == CommonSettings.domain {
            expansion.report(
                .unheard, constraint.origin, constraint.key,
                "common settings have no limits: name the programs' own keys")
        }
        return (
            policy.with(entries: expansion.entries, combine: combine, waivers: waivers, metadata: metadata),
            expansion.findings
        )
    }

    /// The entries of one file while it is expanded.
    private struct Expansion {
        /// A key of a program at one level: forced and absent are one.
        struct ProgramKey: Hashable {
            let domain: Key
            let key: Key
            let level: Level

            init(_ domain: Key, _ key: Key, _ level: Level) {
                (self.domain, self.key, self.level) = (domain, key, level == .absent ? .forced : level)
            }
        }

        let settings: CommonSettings
        var entries: [PolicyEntry] = []
        var findings: [CommonFinding] = []
        private var isGapReported = false
        /// What the file says itself.
        private let explicit: [ProgramKey: PolicyEntry]
        private let file: Origin.Source
        /// The sources of what each setting becomes.
        private var sources: [Key: Origin.Source] = [:]

        init(settings: CommonSettings, _ policy: PolicyFile) {
            (self.settings, file) = (settings, policy.source)
            explicit = Dictionary(
                policy.entries.lazy.filter { !$0.origin.source.isExpanded }.map {
                    (ProgramKey($0.domain, $0.key, $0.level), $0)
                }
            ) { $1 }
        }

        mutating func report(_ kind: CommonFinding.Kind, _ origin: Origin, _ key: Key?, _ clause: String) {
            findings.append(CommonFinding(kind: kind, origin: origin, key: key, message: clause))
        }

        /// The origin of what a setting became.
        mutating func origin(_ origin: Origin, of setting: Key) -> Origin {
            let source = sources[setting] ?? Origin.Source(policy: file.policy, file: file.file, setting: setting)
            sources[setting] = source
            return Origin(source, position: origin.position)
        }

        /// The setting of a key; reports a key that is none.
        private mutating func setting(_ key: Key, at origin: Origin) -> CommonSetting? {
            if let setting = settings.settings[key] { return setting }
            if let gap = settings.gap {
                // One cause is one finding, at the first key.
                if !isGapReported { report(.unheard, origin, nil, gap) }
                isGapReported = true
            } else {
                let near = Suggestion.nearest(to: key.string, among: settings.settings.keys.sorted().map(\.string))
                let hint = near.map { "; \($0) is near" } ?? ""
                report(.impossible, origin, key, "there is no such common setting\(hint)")
            }
            return nil
        }

        /// The keys that a setting is about; none for a key of another domain.
        mutating func targets(of key: Key, _ domain: Key, _ origin: Origin) -> [(Key, Key)] {
            guard domain == CommonSettings.domain, let setting = setting(key, at: origin) else { return [] }
            return setting.keys.map { ($0.domain, $0.key) }
        }

        /// Adds what a common entry means.
        mutating func add(_ entry: PolicyEntry) {
            guard let setting = setting(entry.key, at: entry.origin) else { return }
            if let value = entry.value?.value,
                let objection = setting.objection(to: value, hasVariables: entry.hasVariables)
            {
                return report(.impossible, entry.origin, entry.key, objection)
            }
            var isSaid = false
            for (domain, key, template) in setting.keys {
                guard let said = meaning(of: entry, template, domain, key) else { continue }
                isSaid = true
                if let own = explicit[ProgramKey(domain, key, said.level)] {
                    guard said.level.isForcing,
                        own.level != said.level || own.value?.value != said.value?.value
                    else { continue }
                    report(
                        .overridden, entry.origin, entry.key,
                        "never wins in \(domain.string): the file's own \(key.string) at \(own.origin.position) counts"
                            + " more there")
                } else {
                    entries.append(said)
                }
            }
            if !isSaid { report(.impossible, entry.origin, entry.key, "no program has anything for this value") }
        }

        /// The entry for a program; `nil` if it gets none.
        private mutating func meaning(
            of entry: PolicyEntry, _ template: SettingTemplate, _ domain: Key, _ key: Key
        ) -> PolicyEntry? {
            let origin = origin(entry.origin, of: entry.key)
            func said(_ level: Level, _ value: Node?) -> PolicyEntry {
                PolicyEntry(
                    level: level, domain: domain, key: key, value: value,
                    hasVariables: value != nil && entry.hasVariables, rule: entry.rule, origin: origin)
            }
            if case .absent = entry.value.map({ template.choice(for: $0.value) }) ?? template {
                return entry.level.isForcing ? said(.absent, nil) : nil
            }
            guard let node = entry.value else { return said(entry.level, nil) }
            return template.filled(with: node.value).map { said(entry.level, Expansion.node($0, at: node.offset)) }
        }

        /// An operator, and what it is for the programs whose values can be combined in the same way.
        mutating func combine(_ entry: CombineEntry) -> [CombineEntry] {
            guard entry.domain == CommonSettings.domain, let setting = setting(entry.key, at: entry.origin) else {
                return [entry]
            }
            let origin = origin(entry.origin, of: entry.key)
            let able = setting.keys.filter { $0.template.isCombined(by: entry.combine) }
            let domains = Set(able.map(\.domain))
            let unable = setting.programs.keys.filter { !domains.contains($0) }.sorted()
            if entry.combine != .replace, !unable.isEmpty {
                let names = unable.map(\.string).joined(separator: ", ")
                report(
                    able.isEmpty ? .unheard : .partial, entry.origin, entry.key,
                    "the values of several files are not combined in \(names): the one that wins stands alone there")
            }
            return [entry]
                + able.map {
                    CombineEntry(domain: $0.domain, key: $0.key, combine: entry.combine, origin: origin)
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
            source, identifierPosition: identifierPosition, version: version, versionPosition: versionPosition,
            summary: summary, contact: contact, target: target, targetPosition: targetPosition, enforced: enforced,
            onOverride: onOverride,
            temporary: temporary, entries: entries, seals: seals, constraints: constraints, combine: combine,
            waivers: waivers, calendars: calendars, metadata: metadata, acknowledged: acknowledged, digest: digest)
    }
}
