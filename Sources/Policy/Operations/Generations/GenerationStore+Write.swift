import Platform
import PropertyList

extension GenerationStore {
    /// Those of some digests whose bytes are stored; what was damaged since is not among them.
    func whole(_ digests: Set<Digest>) -> Set<Digest> {
        guard let directory = try? root.trustedDirectory(StorePath.objects), let names = try? directory.names() else {
            return []
        }
        var whole: Set<Digest> = []
        for name in names {
            guard let digest = Digest(hex: name), digests.contains(digest), digest.hex == name,
                let content = try? directory.read(name, limit: PolicyFile.limits.bytes),
                SHA256.hash(content.bytes) == digest
            else { continue }
            whole.insert(digest)
        }
        return whole
    }

    /// Stores the bytes of a generation, then its manifest; the bytes are on disk before the manifest is written.
    ///
    /// - Parameters:
    ///   - generation: the manifest.
    ///   - bytes: what it consists of, as far as that is not stored yet.
    /// - Throws: what the system says; the generation then does not exist.
    func store(_ generation: Generation, _ bytes: [Digest: [UInt8]]) throws(SystemError) {
        try root.createDirectory(StorePath.objects, mode: 0o755)
        for (digest, content) in bytes.sorted(by: { $0.key.hex < $1.key.hex }) {
            // Policy can be read by everybody, and so can what it was.
            try root.replace(GenerationStore.path(digest), with: content, mode: 0o644, syncsDirectory: false)
        }
        // All names are on disk before the manifest that speaks of them.
        try root.syncDirectory(StorePath.objects)
        try root.replace(GenerationStore.path(generation.number), with: generation.encoded(), mode: 0o644)
    }

    /// Removes the oldest manifests, and what no manifest needs any more.
    ///
    /// Nothing that may be needed is removed while a manifest cannot be read: what it consists of is not known then.
    func prune(keeping limit: Int) throws(SystemError) {
        let store = GenerationStore(root: root)
        // A machine whose directory never had a file has nothing to keep.
        if store.numbers.isEmpty { return }
        for number in store.numbers.dropLast(max(limit, 1)) { try root.remove(GenerationStore.path(number)) }
        var needed: Set<Digest> = []
        for number in store.numbers.suffix(max(limit, 1)) {
            guard let generation = try? store.generation(number) else { return }
            needed.formUnion(generation.objects)
        }
        for name in try root.names(in: StorePath.objects) {
            if let digest = Digest(hex: name), needed.contains(digest) { continue }
            try root.remove("\(StorePath.objects)/\(name)")
        }
    }
}
