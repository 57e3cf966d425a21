package import Platform
package import PropertyList

/// Everything that the two policy directories hold at one moment.
package struct PolicySet: Sendable {
    /// The files in order of application.
    package let files: [LoadedFile]
    /// What lies in the directories and takes no part, and why.
    package let ignored: [IgnoredFile]
    /// What is wrong beside the files themselves: directories, copies, the table.
    package internal(set) var problems: [Diagnostic]
    /// Whether one of `/etc/managed-defaults` and `/run/managed-defaults` exists.
    package let isManaged: Bool
    /// What differs from what was recorded.
    package let changes: [PolicyChange]
    /// Whether ``changes`` have just been recorded, so that nobody will see them again: who gets them reports them.
    package let areChangesRecorded: Bool
    /// The ids of the names that targets use.
    package let names: NameTable
    /// The words of the machine's tags file; `nil` where it cannot be read and none were recorded.
    package let tags: Set<Key>?
    /// The host name that was recorded with the table, for `Machine.hostName`.
    package let recordedHostName: String?
    /// Why policy may be in force of which nothing could be read, neither files nor good copies, as a clause; `nil` where
    /// all of it is known.
    ///
    /// Whoever has too few descriptors, or may not read what is there, must not take a key for free.
    package let uncertainty: String?
    /// Whether what is known may be what somebody chose: in a user namespace whoever hides a file chooses which, and what
    /// others say of its keys does not count either.
    package internal(set) var isBlind = false
    /// Whether it cannot be told of some file whether it counts, in a user namespace.
    package var isInDoubt: Bool { files.contains { $0.doubt != nil } }
    /// Whether the look was held to a record that has the ids of the first user namespace.
    package internal(set) var hasRecord = false
    /// The digests that were recorded of the files of time zones; the machine's own zone stands under an empty name.
    package internal(set) var zones: [Key: Digest] = [:]
    /// Whether the look held each good copy to its digest.
    package internal(set) var isThorough = false
    /// What of the record, the table, the copies and the generations not everybody could read, and everybody can now.
    package internal(set) var mended: [KeptFault] = []

    /// Makes a set.
    package init(
        files: [LoadedFile], ignored: [IgnoredFile] = [], problems: [Diagnostic] = [], isManaged: Bool = true,
        changes: [PolicyChange] = [], areChangesRecorded: Bool = false, names: NameTable = NameTable(),
        tags: Set<Key>? = [], recordedHostName: String? = nil, uncertainty: String? = nil
    ) {
        self.files = files
        self.ignored = ignored
        self.problems = problems
        self.isManaged = isManaged
        self.changes = changes
        self.areChangesRecorded = areChangesRecorded
        self.names = names
        self.tags = tags
        self.recordedHostName = recordedHostName
        self.uncertainty = uncertainty
    }

    /// The set of a machine without policy.
    package static let unmanaged = PolicySet(files: [], isManaged: false)

    /// The same set behind one that was recorded shortly before, with the changes of both.
    func following(_ earlier: PolicySet) -> PolicySet {
        var set = PolicySet(
            files: files, ignored: ignored, problems: problems, isManaged: isManaged,
            changes: earlier.changes + changes,
            areChangesRecorded: changes.isEmpty ? earlier.areChangesRecorded : areChangesRecorded, names: names,
            tags: tags, recordedHostName: recordedHostName, uncertainty: uncertainty)
        set.mended = earlier.mended + mended
        (set.isThorough, set.isBlind, set.hasRecord, set.zones) = (isThorough, isBlind, hasRecord, zones)
        return set
    }

    /// The same with what became of the modes of what is kept.
    func taking(_ faults: [KeptFault], root: Root) -> PolicySet {
        if faults.isEmpty { return self }
        var set = self
        set.mended = faults.filter { !$0.isStuck }
        set.problems += faults.filter(\.isStuck).map { $0.finding(writer: LintAccess.writer(of: root)) }
        return set
    }

    /// Every finding: those of the directories, then those of the files.
    package var diagnostics: [Diagnostic] { problems + files.flatMap(\.diagnostics) }

    /// One digest of what is in force: of each file in order its identifier, path and digest, each ended by a NUL.
    ///
    /// - Complexity: all of that is hashed on each call.
    package var digest: Digest {
        var bytes: [UInt8] = []
        for policy in files.lazy.compactMap(\.policy) {
            bytes.append(contentsOf: policy.identifier.utf8)
            bytes.append(0)
            bytes.append(contentsOf: policy.path.utf8)
            bytes.append(0)
            policy.digest.appendHex(to: &bytes)
            bytes.append(0)
        }
        return SHA256.hash(bytes)
    }
}
