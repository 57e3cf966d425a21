import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

/// The policy files as a scan found them, gathered for a generation.
struct GenerationDraft {
    /// The state of each name.
    private(set) var entries: [Key: Generation.Entry] = [:]
    /// The bytes that were read: those of signatures, and of the files of a recording scan.
    private var known: [Digest: [UInt8]] = [:]
    /// The names whose files or recorded copies have the other bytes, by digest.
    private var names: [Digest: Key] = [:]
    /// Whether the directory is missing although its recorded copies are in force.
    private(set) var isWithoutDirectory = false
    /// The directory and the recorded copies, for reading the bytes.
    private var place: (directory: TrustedDirectory, copies: RecordedCopies)?

    /// Makes the draft of an existing generation, whose bytes are stored already; for a rollback.
    init(of generation: Generation) {
        entries = generation.entries.filter { $0.value.isMask || $0.value.restored != nil }
    }

    /// Gathers the files of the administrator's directory.
    ///
    /// - Parameters:
    ///   - scan: a scan under the lock.
    ///   - mayLackDirectory: whether a missing directory counts as empty, although its files are in force.
    /// - Throws: if the directory cannot be listed or has changed since the scan.
    init(_ scan: PolicyScan, mayLackDirectory: Bool = false) throws(TrustError) {
        let place = PolicyDirectory.etc
        let directory: TrustedDirectory
        do {
            directory = try scan.root.trustedDirectory(place.directory)
        } catch {
            // A directory that never existed counts as empty.
            guard error.isMissing, mayLackDirectory || scan.etc.files.isEmpty else { throw error }
            isWithoutDirectory = !scan.etc.files.isEmpty
            return
        }
        self.place = (directory, RecordedCopies(root: scan.root))
        for name in try directory.names() where Generation.isSource(name) {
            var entry = Generation.Entry()
            if let file = scan.etc.files[Key(name)] {
                add(file, to: &entry, scan.inspection.record)
            } else if scan.etc.masks.contains(Key(name)) {
                entry.link = "/dev/null"
            } else if PolicyFileName.signed(name) != nil {
                entry.link = try directory.linkTarget(name)
                // The content of an invalid signature is not stored; its name is, so that a rollback can replace it.
                if let content = try? directory.read(name, limit: SignatureCheck.sizeLimit).bytes {
                    let digest = SHA256.hash(content)
                    known[digest] = content
                    entry.bytes = digest
                }
            } else {
                throw GenerationDraft.changed(scan.root, name)
            }
            entries[Key(name)] = entry
        }
        // Files that have disappeared since the scan would be missing in the generation.
        for name in scan.etc.listing.files.map(\.name) where entries[name] == nil {
            throw GenerationDraft.changed(scan.root, name.string)
        }
    }

    /// Adds a policy file: its bytes if they can be trusted, and its effective content.
    private mutating func add(_ file: PolicyFileState, to entry: inout Generation.Entry, _ record: PolicyRecord) {
        entry.link = file.linkTarget
        // Untrusted bytes are never written back.
        if file.trusted, let digest = file.content?.digest {
            entry.bytes = digest
            names[digest] = file.name
            if let bytes = file.content?.bytes, !bytes.isEmpty { known[digest] = bytes }
        }
        guard let digest = file.policy?.digest else { return }
        entry.inForce = digest
        entry.isSigned = file.content?.verification != nil || record.verified[digest] != nil
        names[digest] = file.name
    }

    /// The digests of all bytes of the generation.
    var digests: Set<Digest> { Set(known.keys).union(names.keys) }

    /// Reads all bytes of the generation.
    ///
    /// - Parameter stored: the digests whose bytes are stored already.
    /// - Returns: the bytes by their digest.
    /// - Throws: if something changed since the scan.
    func bytes(without stored: Set<Digest>) throws(TrustError) -> [Digest: [UInt8]] {
        var bytes = known.filter { !stored.contains($0.key) }
        guard let (directory, copies) = place else { return bytes }
        for (digest, name) in names where !stored.contains(digest) && bytes[digest] == nil {
            // The file has the bytes that the scan found, unless it was written since.
            let own = try? directory.read(name.string, limit: PolicyFile.limits.bytes).bytes
            if let own, SHA256.hash(own) == digest {
                bytes[digest] = own
            } else if let copy = try? copies.bytes(digest) {
                bytes[digest] = copy
            } else {
                throw GenerationDraft.changed(copies.root, name.string)
            }
        }
        return bytes
    }

    /// The error of a file that changed after the scan.
    private static func changed(_ root: Root, _ name: String) -> TrustError {
        // ESTALE: the file has changed.
        .system(
            SystemError(
                operation: "keep", path: root.display(PolicyDirectory.etc.path(name)), code: 116,
                reason: "it changed meanwhile"))
    }
}
