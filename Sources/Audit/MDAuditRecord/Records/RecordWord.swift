/// A value of a field whose set may grow: a reader retains a word that it does not know instead of refusing the record.
package protocol RecordWord: RawRepresentable, Hashable, Sendable, CustomStringConvertible where RawValue == String {
    /// The words that this version writes.
    static var known: [Self] { get }
    /// Makes a word from its spelling in the log.
    init(rawValue: String)
}

extension RecordWord {
    /// Whether this version writes the word.
    package var isKnown: Bool { Self.known.contains(self) }
    /// The spelling in the log.
    package var description: String { rawValue }
}

/// The event that a record is about (`kind`).
package struct RecordKind: RecordWord {
    /// An attempt to give a forced key another value.
    package static let override = Self(rawValue: "override")
    /// What is in force changed: a policy file was added, removed or changed.
    package static let policy = Self(rawValue: "policy")
    /// A temporary policy or a waiver was used.
    package static let grant = Self(rawValue: "grant")
    /// A policy or preference file could not be read, or a write was refused because policy is unknown.
    package static let damaged = Self(rawValue: "damaged")
    /// A number of records was not stored.
    package static let drop = Self(rawValue: "drop")
    /// Recording began.
    package static let start = Self(rawValue: "start")
    /// Recording ended as planned.
    package static let stop = Self(rawValue: "stop")
    /// The log was mended, or a new one begun, after a crash or tampering.
    package static let recover = Self(rawValue: "recover")
    /// Nothing could be recorded for some time.
    package static let gap = Self(rawValue: "gap")

    /// The words that this version writes.
    package static let known: [Self] = [
        .override, .policy, .grant, .damaged, .drop, .start, .stop, .recover, .gap,
    ]

    /// The spelling in the log.
    package let rawValue: String

    /// Makes a word from its spelling in the log.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The source that a record is based on (`src`).
package struct RecordSource: RecordWord {
    /// The process reported its own action; its identity comes from the kernel, if the audit service stored the record.
    package static let client = Self(rawValue: "client")
    /// The same, but the program's path comes from the process itself, because the root process did not say.
    package static let claim = Self(rawValue: "claim")
    /// A change of a file was observed.
    package static let observed = Self(rawValue: "observed")
    /// Stored values were compared with policy.
    package static let scan = Self(rawValue: "scan")
    /// The kernel reported it.
    package static let kernel = Self(rawValue: "kernel")
    /// The user's own process spooled it because it could not write the log; weaker evidence than the others.
    package static let spool = Self(rawValue: "spool")

    /// Whether the sender alone says what was done, how often and when.
    package var isOfSender: Bool { [.client, .claim, .spool].contains(self) }

    /// The words that this version writes.
    package static let known: [Self] = [
        .client, .claim, .observed, .scan, .kernel, .spool,
    ]

    /// The spelling in the log.
    package let rawValue: String

    /// Makes a word from its spelling in the log.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The way in which a value was written (`via`).
package struct WriteVia: RecordWord {
    /// One value was set by code.
    package static let set = Self(rawValue: "set")
    /// One value was removed by code.
    package static let remove = Self(rawValue: "remove")
    /// A whole domain was replaced.
    package static let domain = Self(rawValue: "domain")
    /// A volatile domain was set by code.
    package static let volatile = Self(rawValue: "volatile")
    /// A command-line argument of the application.
    package static let argument = Self(rawValue: "argument")
    /// The command line tool.
    package static let cli = Self(rawValue: "cli")
    /// A file was imported.
    package static let `import` = Self(rawValue: "import")
    /// A preference file was edited without the library.
    package static let file = Self(rawValue: "file")
    /// An environment variable.
    package static let environment = Self(rawValue: "environment")

    /// The words that this version writes.
    package static let known: [Self] = [
        .set, .remove, .domain, .volatile, .argument, .cli, .import, .file, .environment,
    ]

    /// The spelling in the log.
    package let rawValue: String

    /// Makes a word from its spelling in the log.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The result of an override attempt (`outcome`).
package struct AttemptOutcome: RecordWord {
    /// Nothing changed.
    package static let refused = Self(rawValue: "refused")
    /// The value was stored, hidden by the forced one.
    package static let shadowed = Self(rawValue: "shadowed")
    /// The value was changed to one that the constraint allows.
    package static let clamped = Self(rawValue: "clamped")
    /// A stored value remains hidden by the forced one, or was removed.
    package static let hidden = Self(rawValue: "hidden")

    /// The words that this version writes.
    package static let known: [Self] = [
        .refused, .shadowed, .clamped, .hidden,
    ]

    /// The spelling in the log.
    package let rawValue: String

    /// Makes a word from its spelling in the log.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
