package import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
package import MDPropertyList

/// The entries for one program's domains that hold for one audience.
package struct ProgramPolicy: Sendable {
    /// The entries, by domain and key in byte order.
    package let entries: [ProgramEntry]
    /// The keys of sealed domains that waivers free.
    package let unsealed: [Key: Set<Key>]

    package init(_ entries: [ProgramEntry], unsealed: [Key: Set<Key>] = [:]) {
        (self.entries, self.unsealed) = (entries, unsealed)
    }

    /// Takes the entries for a program out of the policy of one audience.
    package init(of resultant: ResultantSet, for program: some Program) {
        // What a user may choose is no default of a key that is forced.
        var entries = resultant.entries(ofDomains: program.takes).filter {
            $0.level.isForcing || resultant.forcedEntry(domain: $0.domain, key: $0.key) == nil
        }.map(ProgramEntry.init)
        for (domain, keys) in resultant.constraints where program.takes(domain) {
            entries += keys.map { key, constraint in
                ProgramEntry(
                    domain: domain, key: key, level: .constraint(constraint.entry.constraint),
                    origin: constraint.entry.origin, digest: constraint.fileDigest)
            }
        }
        self.entries = entries.sorted { left, right in
            left.domain == right.domain ? left.key < right.key : left.domain < right.domain
        }
        unsealed = resultant.unsealed.filter { program.takes($0.key) }
    }

    /// Takes the entries for a program out of one policy file, whatever its target, with variables as written.
    package init(of file: PolicyFile, for program: some Program) {
        // Entries of one domain mostly follow each other.
        var known: (domain: Key, isTaken: Bool)?
        func takes(_ domain: Key) -> Bool {
            if let known, known.domain == domain { return known.isTaken }
            let isTaken = program.takes(domain)
            known = (domain, isTaken)
            return isTaken
        }
        let taken = file.entries.filter { takes($0.domain) }
        let (seals, constraints) = (
            file.seals.filter { takes($0.domain) }, file.constraints.filter { takes($0.domain) }
        )
        // Most files have nothing for most programs.
        if taken.isEmpty, seals.isEmpty, constraints.isEmpty {
            self.init([])
            return
        }
        // As in a resultant set, a key has one forced entry, and then no other.
        var forced: [Key: [Key: PolicyEntry]] = [:]
        for entry in taken where entry.level.isForcing { forced[entry.domain, default: [:]][entry.key] = entry }
        let sealed = Set(seals.map(\.domain))
        let own = taken.filter {
            !$0.level.isForcing && forced[$0.domain]?[$0.key] == nil && !sealed.contains($0.domain)
        }
        var entries = (own + forced.values.flatMap(\.values)).map { entry in
            let level: ProgramEntry.Level
            switch (entry.level, entry.value?.value) {
            case (.forced, let value?): level = .forced(value)
            case (.recommended, let value?): level = .recommended(value)
            case (.setOnce, let value?): level = .setOnce(value)
            default: level = .absent
            }
            return ProgramEntry(
                domain: entry.domain, key: entry.key, level: level, origin: entry.origin, digest: file.digest)
        }
        entries += seals.map {
            ProgramEntry(domain: $0.domain, key: "", level: .sealed, origin: $0.origin, digest: file.digest)
        }
        entries += constraints.map {
            ProgramEntry(
                domain: $0.domain, key: $0.key, level: .constraint($0.constraint), origin: $0.origin,
                digest: file.digest)
        }
        self.init(
            entries.sorted { left, right in
                left.domain == right.domain ? left.key < right.key : left.domain < right.domain
            })
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// The entry of a key.
    ///
    /// Complexity: O(log entries).
    package func entry(domain: Key, key: Key) -> ProgramEntry? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            let entry = entries[middle]
            if entry.domain == domain && entry.key == key { return entry }
            let isBefore = entry.domain == domain ? entry.key < key : entry.domain < domain
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// The entries that another policy has not, or has with something else.
    package func entries(notIn other: ProgramPolicy) -> [ProgramEntry] {
        entries.filter { entry in !other.entries.contains { $0.isSame(as: entry) } }
    }

    /// Whether two policies make the same files: all but where the entries come from.
    package func isSame(as other: ProgramPolicy) -> Bool {
        unsealed == other.unsealed && entries.count == other.entries.count
            && zip(entries, other.entries).allSatisfy { $0.isSame(as: $1) }
    }
}

/// One entry for a program.
package struct ProgramEntry: Sendable {
    /// What is said of the key.
    package enum Level: Equatable, Sendable {
        /// The value, which the user cannot change.
        case forced(Value)
        /// No value, which the user cannot change.
        case absent
        /// The value unless the user chooses another one.
        case recommended(Value)
        /// A value that the user gets once.
        case setOnce(Value)
        /// A limit to the user's choice.
        case constraint(Constraint)
        /// Every other key of the domain has no value.
        case sealed
        /// A value that is unknown for this audience, because a variable in it is.
        case unknown

        /// The word for it.
        package var word: String {
            switch self {
            case .forced: "forced"
            case .recommended: "recommended"
            case .absent: "absent"
            case .setOnce: "set once"
            case .constraint: "constraint"
            case .sealed: "sealed"
            case .unknown: "unknown"
            }
        }

        /// Whether the user cannot change what it says.
        var isLocking: Bool {
            switch self {
            case .forced, .absent, .sealed: true
            case .recommended, .setOnce, .constraint, .unknown: false
            }
        }

        /// Whether both make the same file: a program distinguishes `true` from 1, which are equal as values.
        package static func == (left: Level, right: Level) -> Bool {
            switch (left, right) {
            case (.forced(let left), .forced(let right)), (.recommended(let left), .recommended(let right)),
                (.setOnce(let left), .setOnce(let right)):
                left.isIdentical(to: right)
            case (.constraint(let left), .constraint(let right)): left.isIdentical(to: right)
            case (.absent, .absent), (.sealed, .sealed), (.unknown, .unknown): true
            default: false
            }
        }
    }

    package let domain: Key
    package let key: Key
    package let level: Level
    package let origin: Origin
    /// The digest of the policy file.
    package let digest: Digest
    /// Whether the value is never printed.
    package let isSensitive: Bool

    package init(domain: Key, key: Key, level: Level, origin: Origin, digest: Digest, isSensitive: Bool = false) {
        (self.domain, self.key, self.level, self.origin, self.digest) = (domain, key, level, origin, digest)
        self.isSensitive = isSensitive
    }

    init(_ entry: ResolvedEntry) {
        let level: Level
        switch (entry.level, entry.value) {
        case _ where entry.shortfall != nil: level = .unknown
        case _ where entry.isSeal: level = .sealed
        case (.forced, let value?): level = .forced(value)
        case (.recommended, let value?): level = .recommended(value)
        case (.setOnce, let value?): level = .setOnce(value)
        default: level = .absent
        }
        self.init(
            domain: entry.domain, key: entry.key, level: level, origin: entry.origin, digest: entry.fileDigest,
            isSensitive: entry.metadata.isSensitive)
    }

    /// Whether two entries say the same of the same key.
    package func isSame(as other: ProgramEntry) -> Bool {
        domain == other.domain && key == other.key && level == other.level
    }
}

/// Something about a program's policy that an administrator should know.
package struct ProgramFinding: Hashable, Sendable {
    /// How it matters.
    package enum Kind: String, Hashable, Sendable {
        /// An entry that the program cannot carry out.
        case unsupported = "not supported"
        /// An entry that names what the program is not known to have.
        case notKnown = "not known"
        /// A forced entry whose value the program takes once, and users may then change.
        case firstState = "first state only"
        /// A common setting for a desktop that is not here.
        case idle = "not installed"
        /// Entries for some users that programs do not get.
        case notEnforced = "not enforced"
        /// An entry that the program itself says not to obey.
        case denied
        /// A file that is not as it was written.
        case drift
        /// A foreign file that decides, or may be changed by users.
        case rival
        /// A value of another product that policy displaces.
        case displaced
        /// A file that could not be written, or an effect that could not be had.
        case failed
        /// What cannot be known here: a file that only root may look at, or a key that no package describes.
        case unknown
    }

    /// The word for login sessions in place of a program's.
    package static let sessions = "sessions"
    /// The command that gives sessions each user's policy.
    static let enabling = "mdefaults programs enable"

    package let kind: Kind
    /// The word for the program.
    package let program: String
    /// The entry concerned, or the first of several; `nil` if it is about a file.
    package let origin: Origin?
    /// The key concerned; `nil` if it is about a file or several keys.
    package let key: Key?
    /// The file concerned, under the root; `nil` if it is about an entry.
    package let path: String?
    /// The command that mends it; `nil` if none does.
    package let remedy: String?
    /// What is so, as a clause.
    package let message: String

    package init(
        _ kind: Kind, program: String, origin: Origin? = nil, key: Key? = nil, path: String? = nil,
        remedy: String? = nil, _ message: String
    ) {
        (self.kind, self.program, self.origin, self.key, self.path) = (kind, program, origin, key, path)
        (self.remedy, self.message) = (remedy, message)
    }

    /// A finding about an entry.
    package init(_ kind: Kind, program: some Program, _ entry: ProgramEntry, _ message: String) {
        self.init(kind, program: program.name, origin: entry.origin, key: entry.key, message)
    }
}
