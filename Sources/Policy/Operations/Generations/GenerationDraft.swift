import Platform
import PropertyList

/// The sources as they are now, gathered for a generation.
struct GenerationDraft {
    /// What lies under each name.
    private(set) var entries: [Key: Generation.Entry] = [:]
    /// The bytes of everything that is to be kept.
    private(set) var bytes: [Digest: [UInt8]] = [:]

    /// The sources of a generation whose bytes are stored already.
    init(of generation: Generation) {
        entries = generation.entries
    }

    /// Gathers the administrator's directory.
    ///
    /// - Parameter pass: a look at everything, taken under the lock.
    /// - Throws: where the directory cannot be listed, or something changed since the look.
    init(_ pass: PolicyPass) throws(TrustError) {
        let place = PolicyPlace.etc
        let directory: TrustedDirectory
        do {
            directory = try pass.root.trustedDirectory(place.directory)
        } catch {
            // A directory that is not there, and never was, has no sources.
            if error.isMissing, pass.etc.files.isEmpty { return }
            throw error
        }
        for name in try directory.names() where Generation.isSource(name) {
            var entry = Generation.Entry()
            if let file = pass.etc.files[Key(name)] {
                try add(file, to: &entry, directory, pass.etc.store)
            } else if pass.etc.masks.contains(Key(name)) {
                entry.link = "/dev/null"
            } else if PolicyFileName.signed(name) != nil {
                guard try directory.status(name).kind == .regular else { continue }
                // A signature that cannot be read signs nothing, and is none to be kept.
                guard let content = try? directory.read(name, limit: SignatureCheck.sizeLimit).bytes else { continue }
                entry.bytes = keep(content)
            } else {
                throw GenerationDraft.changed(directory, name, pass.root)
            }
            entries[Key(name)] = entry
        }
    }

    /// Adds a policy file: its bytes where they can be trusted, and what is in force of it.
    private mutating func add(
        _ file: ScannedFile, to entry: inout Generation.Entry, _ directory: TrustedDirectory, _ store: GoodStore
    ) throws(TrustError) {
        entry.link = try? directory.linkTarget(file.name.string)
        // Whoever can read it gets the same bytes as the look; what is not trusted is never written back.
        if file.trusted, let content = try? directory.read(file.name.string, limit: PolicyFile.limits.bytes).bytes {
            let digest = SHA256.hash(content)
            guard file.digest == nil || file.digest == digest else {
                throw GenerationDraft.changed(directory, file.name.string, store.root)
            }
            entry.bytes = keep(content)
        }
        guard let digest = file.policy?.digest else { return }
        entry.inForce = digest
        entry.isSigned = file.current == nil ? store.isSigned(file.name, digest: digest) : file.verification != nil
        if bytes[digest] == nil, let content = store.bytes(of: file.name, digest: digest) { bytes[digest] = content }
        if bytes[digest] == nil { throw GenerationDraft.changed(directory, file.name.string, store.root) }
    }

    /// Keeps bytes under their digest.
    private mutating func keep(_ content: [UInt8]) -> Digest {
        let digest = SHA256.hash(content)
        bytes[digest] = content
        return digest
    }

    /// The failure of a file that changed while it was gathered.
    private static func changed(_ directory: TrustedDirectory, _ name: String, _ root: Root) -> TrustError {
        // ESTALE: what is asked about is not there any more as it was.
        .system(
            SystemError(
                operation: "keep", path: root.display(PolicyPlace.etc.path(name)), code: 116,
                reason: "it changed meanwhile"))
    }
}
