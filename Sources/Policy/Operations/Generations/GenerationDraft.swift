import Platform
import PropertyList

/// The sources as a look found them, gathered for a generation.
struct GenerationDraft {
    /// What lies under each name.
    private(set) var entries: [Key: Generation.Entry] = [:]
    /// The bytes that were read when the names were gathered: those of signatures.
    private var kept: [Digest: [UInt8]] = [:]
    /// The names under which other bytes lie, or of whose copies they are.
    private var names: [Digest: Key] = [:]
    /// Whether there is no directory although files of it are in force, by their copies.
    private(set) var isWithoutDirectory = false
    /// Where they lie.
    private var place: (directory: TrustedDirectory, copies: GoodCopies)?

    /// The sources of a generation whose bytes are stored already, as a rollback puts them in place.
    init(of generation: Generation) {
        entries = generation.entries.filter { $0.value.isMask || $0.value.restored != nil }
    }

    /// Gathers the administrator's directory.
    ///
    /// - Parameters:
    ///   - pass: a look at everything, taken under the lock.
    ///   - mayLackDirectory: whether a directory that is gone has no sources, although files of it are in force.
    /// - Throws: where the directory cannot be listed, or something changed since the look.
    init(_ pass: PolicyPass, mayLackDirectory: Bool = false) throws(TrustError) {
        let place = PolicyPlace.etc
        let directory: TrustedDirectory
        do {
            directory = try pass.root.trustedDirectory(place.directory)
        } catch {
            // A directory that is not there, and never was, has no sources.
            guard error.isMissing, mayLackDirectory || pass.etc.files.isEmpty else { throw error }
            isWithoutDirectory = !pass.etc.files.isEmpty
            return
        }
        self.place = (directory, GoodCopies(root: pass.root))
        for name in try directory.names() where Generation.isSource(name) {
            var entry = Generation.Entry()
            if let file = pass.etc.files[Key(name)] {
                add(file, to: &entry, pass.reading.record)
            } else if pass.etc.masks.contains(Key(name)) {
                entry.link = "/dev/null"
            } else if PolicyFileName.signed(name) != nil {
                entry.link = try directory.linkTarget(name)
                // What can be no signature is not kept; that it lies there is, so that a rollback can replace it.
                if let content = try? directory.read(name, limit: SignatureCheck.sizeLimit).bytes {
                    let digest = SHA256.hash(content)
                    kept[digest] = content
                    entry.bytes = digest
                }
            } else {
                throw GenerationDraft.changed(pass.root, name)
            }
            entries[Key(name)] = entry
        }
        // What the look found and is gone by now would be missing in the generation without a word.
        for name in pass.etc.listing.files.map(\.name) where entries[name] == nil {
            throw GenerationDraft.changed(pass.root, name.string)
        }
    }

    /// Adds a policy file: its bytes where they can be trusted, and what is in force of it.
    private mutating func add(_ file: LoadedFile, to entry: inout Generation.Entry, _ record: PolicyRecord) {
        entry.link = file.linkTarget
        // What is not trusted is never written back.
        if file.trusted, let digest = file.content?.digest {
            entry.bytes = digest
            names[digest] = file.name
        }
        guard let digest = file.policy?.digest else { return }
        entry.inForce = digest
        entry.isSigned = file.content?.verification != nil || record.verified[digest] != nil
        names[digest] = file.name
    }

    /// The digests of everything that is to be kept.
    var digests: Set<Digest> { Set(kept.keys).union(names.keys) }

    /// The bytes of everything that is to be kept.
    ///
    /// - Parameter stored: the digests whose bytes nobody needs.
    /// - Returns: the bytes by their digest.
    /// - Throws: where something changed since the look.
    func bytes(without stored: Set<Digest>) throws(TrustError) -> [Digest: [UInt8]] {
        var bytes = kept.filter { !stored.contains($0.key) }
        guard let (directory, copies) = place else { return bytes }
        for (digest, name) in names where !stored.contains(digest) && bytes[digest] == nil {
            // Whoever can read the file gets the same bytes as the look, unless somebody wrote it meanwhile.
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

    /// The failure of a file that changed while it was gathered.
    private static func changed(_ root: Root, _ name: String) -> TrustError {
        // ESTALE: what is asked about is not there any more as it was.
        .system(
            SystemError(
                operation: "keep", path: root.display(PolicyPlace.etc.path(name)), code: 116,
                reason: "it changed meanwhile"))
    }
}
