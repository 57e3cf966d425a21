package import Platform
package import PropertyList

/// Everything that the two policy directories hold at one moment.
package struct PolicySet: Sendable {
    /// The files in order of application.
    package let files: [LoadedFile]
    /// What lies in the directories and takes no part, and why.
    package let ignored: [IgnoredFile]
    /// What is wrong beside the files themselves: directories, copies, the record.
    package internal(set) var problems: [Diagnostic]
    /// Whether there can be policy at all: one of the folders of policy and of its record exists.
    package let isManaged: Bool
    /// What differs from what is recorded.
    package let changes: [PolicyChange]
    /// The ids of the names that targets use.
    package let names: NameTable
    /// The words of the machine's tags file; `nil` if it cannot be read and none were recorded.
    package let tags: Set<Key>?
    /// The host name that was recorded, for `Machine.hostName`.
    package let recordedHostName: String?
    /// Why what is in force is unknown, as a clause; `nil` if it is known.
    ///
    /// While it is unknown every key counts as forced without a value.
    package let uncertainty: String?

    /// Makes a set.
    package init(
        files: [LoadedFile], ignored: [IgnoredFile] = [], problems: [Diagnostic] = [], isManaged: Bool = true,
        changes: [PolicyChange] = [], names: NameTable = NameTable(), tags: Set<Key>? = [],
        recordedHostName: String? = nil, uncertainty: String? = nil
    ) {
        self.files = files
        self.ignored = ignored
        self.problems = problems
        self.isManaged = isManaged
        self.changes = changes
        self.names = names
        self.tags = tags
        self.recordedHostName = recordedHostName
        self.uncertainty = uncertainty
    }

    /// The set of a machine without policy.
    package static let unmanaged = PolicySet(files: [], isManaged: false)

    /// Whether every file is in force as it is.
    package var isSound: Bool { files.allSatisfy { $0.source == .current } }

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
