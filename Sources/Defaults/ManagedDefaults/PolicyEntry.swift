public import FoundationEssentials
import MDEngine
package import MDPlatform
package import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

extension ManagedDefaults {
    /// The entry of a policy file that forces a key or limits its values: the manager of the key, the reason, the place
    /// in the file, and the contact to ask.
    ///
    /// This one type describes management everywhere: in ``Setting``, ``Change``, ``WriteOutcome`` and ``AllowedValues``,
    /// and as the result of ``forcedEntry(forKey:)``. A settings page shows ``message``, or its own text made of the
    /// fields.
    public struct PolicyEntry: Sendable, Hashable {
        /// The domain of the entry: the application's, a suite's or the global one.
        public let domain: String
        /// The key.
        public let key: String
        /// The identifier of the policy; `nil` while policy is unknown.
        public let policy: String?
        /// A short name of the key, written by the administrator.
        public let title: String?
        /// What the key does, written by the administrator.
        public let keyDescription: String?
        /// The rules that require the entry, for example the number of a CIS or STIG rule.
        public let controls: [String]
        /// The purpose of the policy, written by the administrator; `nil` for a constraint.
        public let summary: String?
        /// The person or office to ask, written by the administrator.
        public let contact: String?
        /// The path of the policy file; of the folder while policy is unknown.
        public let file: String
        /// The line in that file, counted from 1; `nil` for a binary file, and while policy is unknown.
        public let line: Int?
        /// A sentence for the user, in the language of the locale: the key, by its title if it has one, and the contact
        /// to ask.
        public let message: String
        /// Where ``introduction`` is read.
        private let source: IntroductionSource

        /// Describes a forced entry.
        package init(_ entry: ResolvedEntry, in root: Root) {
            self.init(entry, file: root.display(entry.origin.file), message: entry.refusal(in: root), root)
        }

        /// Describes the entry of a refusal, whose texts are ready.
        init(_ refusal: Refusal) {
            self.init(refusal.entry, file: refusal.file, message: refusal.message, refusal.root)
        }

        /// Describes a forced entry with its texts.
        private init(_ entry: ResolvedEntry, file: String, message: String, _ root: Root) {
            self.init(
                entry.domain, entry.key, entry.origin, entry.metadata, entry.fileDigest, root, file: file,
                summary: entry.description, contact: entry.contact, message: message)
        }

        /// Describes a constraint.
        init(_ constraint: ResolvedConstraint, in root: Root) {
            let entry = constraint.entry
            self.init(
                entry.domain, entry.key, entry.origin, constraint.metadata, constraint.fileDigest, root,
                file: root.display(entry.origin.file), summary: "", contact: constraint.contact,
                message: constraint.refusal(in: root))
        }

        /// Describes an entry by its parts; a text that is empty, and the line 0, do not exist.
        private init(
            _ domain: MDPropertyList.Key, _ key: MDPropertyList.Key, _ origin: Origin, _ metadata: KeyMetadata,
            _ digest: Digest, _ root: Root, file: String, summary: String, contact: String, message: String
        ) {
            source = IntroductionSource(path: origin.file, digest: digest, root: root)
            self.domain = domain.string
            self.key = key.string
            policy = origin.policy.ifNotEmpty
            title = metadata.title.ifNotEmpty
            keyDescription = metadata.description.ifNotEmpty
            controls = metadata.controls
            self.summary = summary.ifNotEmpty
            self.contact = contact.ifNotEmpty
            self.file = file
            line = origin.position.line > 0 && !origin.policy.isEmpty ? origin.position.line : nil
            self.message = message
        }
    }
}

extension ManagedDefaults.PolicyEntry {
    /// What brought a policy file as it is, for people who ask why a control is locked.
    public struct Introduction: Sendable, Hashable, CustomStringConvertible {
        /// The number of the generation (`mdefaults policy history`); `nil` for temporary policy, which is in none.
        public let generation: Int?
        /// When it was kept; `nil` for temporary policy.
        public let date: Date?
        /// The person, as the audit log names him or her; `nil` if unknown.
        public let by: String?
        /// Why, with the snapshot of a fleet where there is one; `nil` if not given.
        public let reason: String?
        /// Whether the file was changed by hand, not by `mdefaults policy install`.
        public let isByHand: Bool
        /// A sentence for a tooltip, in English.
        public let description: String

        fileprivate init(_ found: PolicyIntroduction) {
            generation = found.generation
            date = found.time.map { Date(timeIntervalSince1970: Double($0.microseconds) / 1_000_000) }
            by = found.by.ifNotEmpty
            reason = found.reason.ifNotEmpty
            isByHand = found.isByHand
            description = found.sentence()
        }
    }

    /// What brought the policy file as it is: generation, date, person and reason; `nil` if that is unknown, as of a file that
    /// changed since it was recorded.
    ///
    /// Complexity: reads one small file each time; for a tooltip, not for each frame.
    public var introduction: Introduction? {
        PolicyIntroduction(of: source.path, source.digest, in: source.root).map(Introduction.init)
    }
}

extension String {
    /// The text; `nil` if it is empty.
    fileprivate var ifNotEmpty: String? { isEmpty ? nil : self }
}

extension ManagedDefaults {
    /// Whether an administrator decides the value of a key for this user and application.
    ///
    /// True exactly if a forced entry of the application's domain, of one of its suites or of the global domain decides the
    /// lookup, and for every key while policy is unknown. Disable the control of a forced key.
    ///
    /// Complexity: one hash lookup, without a lock.
    public func objectIsForced(forKey key: String) -> Bool {
        read { $0.isForced(key) }
    }

    /// Whether an administrator decides the value of a key in one domain.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - domain: any application's domain or the global one; entries of other domains do not count.
    /// - Returns: whether the domain has a forced entry of the key.
    public func objectIsForced(forKey key: String, inDomain domain: String) -> Bool {
        engine.forcedEntry(domain: MDPropertyList.Key(domain), key: MDPropertyList.Key(key)) != nil
    }

    /// Whether an administrator decides the value of a setting; see ``objectIsForced(forKey:)``.
    public func isForced<Value>(_ key: Key<Value>) -> Bool {
        objectIsForced(forKey: key.name)
    }

    /// The policy entry that forces a key; `nil` if the user decides.
    public func forcedEntry(forKey key: String) -> PolicyEntry? {
        engine.decidingEntry(for: MDPropertyList.Key(key)).map { PolicyEntry($0, in: engine.root) }
    }

    /// The policy entry that forces a setting; `nil` if the user decides.
    public func forcedEntry<Value>(for key: Key<Value>) -> PolicyEntry? {
        forcedEntry(forKey: key.name)
    }
}

/// The policy file of an entry; equal where file and content are.
private struct IntroductionSource: Hashable {
    let path: String
    let digest: Digest
    let root: Root

    static func == (left: Self, right: Self) -> Bool { left.digest == right.digest && left.path == right.path }

    func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
