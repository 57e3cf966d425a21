package import MDPlatform
import MDPolicyFormats
package import MDPolicyModel
package import MDPropertyList

/// All policy files of the two policy directories at one moment.
package struct PolicySet: Sendable {
    /// The files in order of application.
    package let files: [PolicyFileState]
    /// The ignored files of the directories, and why.
    package let ignored: [IgnoredFile]
    /// The findings about directories, recorded copies and the policy record.
    package var problems: [Diagnostic]
    /// Whether the machine can have policy: one of the directories of policy and of its record exists.
    package let isManaged: Bool
    /// The differences from the policy record.
    package let changes: [PolicyChange]
    /// The ids of the names that targets use.
    package let names: AccountIDs
    /// The words of the machine's tags file; `nil` if it cannot be read and none were recorded.
    package let tags: Set<Key>?
    /// The host's name when this was read; `nil` if no machine was.
    package let hostName: HostName?
    /// What is known of the policy in force.
    package let knowledge: PolicyKnowledge
    /// The files that the policy record names.
    package let recorded: RecordedFiles

    package init(
        files: [PolicyFileState], ignored: [IgnoredFile] = [], problems: [Diagnostic] = [], isManaged: Bool = true,
        changes: [PolicyChange] = [], names: AccountIDs = AccountIDs(), tags: Set<Key>? = [],
        hostName: HostName? = nil, knowledge: PolicyKnowledge = .known, recorded: RecordedFiles = .missing
    ) {
        self.files = files
        self.ignored = ignored
        self.problems = problems
        self.isManaged = isManaged
        self.changes = changes
        self.names = names
        self.tags = tags
        self.hostName = hostName
        self.knowledge = knowledge
        self.recorded = recorded
    }

    /// The same set with other files and another state of knowledge.
    package func with(files: [PolicyFileState], knowledge: PolicyKnowledge) -> PolicySet {
        PolicySet(
            files: files, ignored: ignored, problems: problems, isManaged: isManaged, changes: changes, names: names,
            tags: tags, hostName: hostName, knowledge: knowledge, recorded: recorded)
    }

    /// The set of a machine without policy.
    package static let unmanaged = PolicySet(files: [], isManaged: false)

    /// Whether every file itself is in force.
    package var isSound: Bool { files.allSatisfy { $0.source == .current } }

    /// All findings: those of the directories, then those of the files.
    package var diagnostics: [Diagnostic] { problems + files.flatMap(\.diagnostics) }

    /// The digest of the policy in force: of the identifier, path and digest of each file in order, each ended by a
    /// NUL.
    ///
    /// - Complexity: all of them are hashed on each call.
    package var digest: Digest {
        PolicySet.digest(files.lazy.compactMap(\.policy).map { ($0.identifier, $0.path, $0.digest) })
    }

    /// The digest of a policy that has such files in force.
    package static func digest(
        _ files: some Sequence<(identifier: String, path: String, digest: Digest)>
    ) -> Digest {
        var bytes: [UInt8] = []
        for file in files {
            bytes.append(contentsOf: file.identifier.utf8)
            bytes.append(0)
            bytes.append(contentsOf: file.path.utf8)
            bytes.append(0)
            file.digest.appendHex(to: &bytes)
            bytes.append(0)
        }
        return SHA256.hash(bytes)
    }
}

extension PolicySet {
    /// The programs that should ask for each key; a key that no file names programs for is not there.
    package var programs: [Key: [Key: [HostPattern]]] { FilesInForce.programs(of: files.lazy.compactMap(\.policy)) }

    /// How grave it is if each key is not as it is required; the gravest word of all files, and nothing without any.
    package var severities: [Key: [Key: RuleSeverity]] {
        var result: [Key: [Key: RuleSeverity]] = [:]
        for entry in files.lazy.compactMap(\.policy).flatMap(\.metadata) {
            guard let own = entry.severity else { continue }
            result[entry.domain, default: [:]][entry.key] = max(own, result[entry.domain]?[entry.key] ?? own)
        }
        return result
    }

    /// Resolves policy for a subject.
    ///
    /// Of the entries of one key, the first one from an `Enforced` file wins, else the last one. This holds for forced
    /// and absent entries together, and for each other kind by itself: a file is enforced as a whole.
    ///
    /// Complexity: O(n log n) of the number of entries.
    ///
    /// - Parameters:
    ///   - subject: the user, host and time.
    ///   - domains: the domains that are asked about; `nil` for all, with reasons for each file.
    /// - Returns: what is left in these domains.
    package func resolve(for subject: Subject, in domains: Set<Key>? = nil) -> ResultantSet {
        let policies = files.lazy.compactMap(\.policy)
        let calendars = FilesInForce.calendars(of: policies)
        var candidates: [CandidateFile] = []
        var keys: [Key: [Key: KeyCandidates]] = [:]
        var seals: [Key: SealCandidates] = [:]
        func isAsked(_ domain: Key) -> Bool { domains?.contains(domain) ?? true }
        for loaded in files {
            guard let policy = loaded.policy else { continue }
            let file = CandidateFile(
                policy, isRecordedCopy: loaded.isStandIn, index: candidates.count, for: subject, names: names,
                inWords: domains == nil
            ) { calendars }
            candidates.append(file)
            guard file.applies else { continue }
            for entry in policy.entries where isAsked(entry.domain) {
                PolicySet.change(&keys, entry.domain, entry.key) { $0.add(entry, of: file) }
            }
            for entry in policy.constraints where isAsked(entry.domain) {
                PolicySet.change(&keys, entry.domain, entry.key) {
                    $0.constraints.append(CandidateItem(item: entry, file: file))
                }
            }
            for entry in policy.combine where isAsked(entry.domain) {
                PolicySet.change(&keys, entry.domain, entry.key) {
                    $0.operators.append(CandidateItem(item: entry.combine, file: file))
                }
            }
            for (ordinal, waiver) in policy.waivers.enumerated() where isAsked(waiver.domain) {
                PolicySet.change(&keys, waiver.domain, waiver.key) {
                    $0.add(waiver, ordinal: ordinal, of: file, for: subject, names: names)
                }
            }
            for seal in policy.seals where isAsked(seal.domain) {
                seals[seal.domain, default: SealCandidates(domain: seal.domain)].seals.append(
                    CandidateItem(item: seal, file: file))
            }
        }
        let metadata = FilesInForce.metadata(of: policies).filter { isAsked($0.key) }
        for (domain, facts) in metadata where keys[domain] != nil {
            for (key, fact) in facts { keys[domain]?[key]?.metadata = fact }
        }
        var builder = ResultantBuilder(subject: subject, files: candidates, seals: seals)
        for domain in keys.values {
            for candidates in domain.values { builder.add(candidates) }
        }
        return builder.resultant(metadata: metadata, domains: domains).limited(to: knowledge)
    }

    /// Changes the candidates of a key in place.
    private static func change(
        _ keys: inout [Key: [Key: KeyCandidates]], _ domain: Key, _ key: Key, _ body: (inout KeyCandidates) -> Void
    ) {
        body(&keys[domain, default: [:]][key, default: KeyCandidates(domain: domain, key: key)])
    }
}

/// The files that a policy record names.
package enum RecordedFiles: Hashable, Sendable {
    /// There is no record.
    case missing
    /// The record names no file.
    case none
    /// The record names files, or cannot be read.
    case some
}

/// A file in a policy directory that is ignored, and why.
package struct IgnoredFile: Hashable, Sendable {
    /// The path beneath the root.
    package let path: String
    /// Why, in words.
    package let reason: String
    /// Whether it is a policy file that another file switches off or replaces.
    package let isPolicy: Bool
    /// Whether that policy file is `Enforced`; `nil` for any other file, and if it cannot be read.
    package let isEnforced: Bool?

    package init(path: String, reason: String, isPolicy: Bool = false, isEnforced: Bool? = nil) {
        self.isEnforced = isEnforced
        self.path = path
        self.reason = reason
        self.isPolicy = isPolicy
    }
}

/// A difference between the policy in force and the policy record, for audit records of the kind `policy`.
package struct PolicyChange: Hashable, Sendable {
    /// The path of the file beneath the root.
    package let path: String
    /// The digest of the file that was in force; `nil` if none was.
    package let from: Digest?
    /// The digest of the file that is in force; `nil` if none is.
    package let to: Digest?
    /// The kind of change, in words.
    package let note: String

    package init(path: String, from: Digest?, to: Digest?, note: String) {
        self.path = path
        self.from = from
        self.to = to
        self.note = note
    }
}

/// The parts of policy files that apply to every user, whatever the target of their file.
enum FilesInForce {
    /// The windows of each calendar: of two with one name, those of the first enforced file, else of the last.
    static func calendars(of files: some Sequence<PolicyFile>) -> [Key: [Window]] {
        var result: [Key: (windows: [Window], isEnforced: Bool)] = [:]
        for file in files {
            for calendar in file.calendars where result[calendar.name]?.isEnforced != true {
                result[calendar.name] = (calendar.windows, file.enforced)
            }
        }
        return result.mapValues(\.windows)
    }

    /// The description of each key: title and description of the strongest file that has them, all controls in order,
    /// and sensitive if any file says so.
    static func metadata(of files: some Sequence<PolicyFile>) -> [Key: [Key: KeyMetadata]] {
        var result: [Key: [Key: Merge]] = [:]
        for file in files {
            for entry in file.metadata {
                result[entry.domain, default: [:]][entry.key, default: Merge()].add(
                    entry.metadata, isEnforced: file.enforced)
            }
        }
        return result.mapValues { keys in keys.mapValues(\.metadata).filter { !$0.value.isEmpty } }
            .filter { !$0.value.isEmpty }
    }

    /// The programs that should ask for each key, by all files.
    static func programs(of files: some Sequence<PolicyFile>) -> [Key: [Key: [HostPattern]]] {
        var result: [Key: [Key: [HostPattern]]] = [:]
        for entry in files.lazy.flatMap(\.metadata) where !entry.programs.isEmpty {
            result[entry.domain, default: [:]][entry.key, default: []] += entry.programs
        }
        return result
    }

    /// The merged metadata of several files.
    private struct Merge {
        /// The metadata so far.
        private(set) var metadata = KeyMetadata()
        /// Whether the title comes from an enforced file.
        private var isTitleEnforced = false
        /// Whether the description comes from an enforced file.
        private var isDescriptionEnforced = false

        /// Merges the metadata of the next file.
        mutating func add(_ other: KeyMetadata, isEnforced: Bool) {
            if !other.title.isEmpty, !isTitleEnforced {
                (metadata.title, isTitleEnforced) = (other.title, isEnforced)
            }
            if !other.description.isEmpty, !isDescriptionEnforced {
                (metadata.description, isDescriptionEnforced) = (other.description, isEnforced)
            }
            for control in other.controls where !metadata.controls.contains(where: { Key($0) == Key(control) }) {
                metadata.controls.append(control)
            }
            if other.isSensitive { metadata.isSensitive = true }
        }
    }
}
