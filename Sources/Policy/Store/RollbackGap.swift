import Platform
import PropertyList

/// What the administrator's directory still lacks of a rollback that is not over.
struct RollbackGap: Sendable {
    /// The generation that stands for the directory.
    let generation: Int
    /// The names under which lies something else than the generation has, or nothing.
    private let waiting: Set<Key>
    /// The names that the generation lacks, in byte order.
    private let left: [String]

    /// Compares a generation with what lies in the directory; all of it waits where the directory cannot be listed.
    ///
    /// Complexity: every file of the generation is read once.
    init(_ generation: Generation, root: Root) {
        self.generation = generation.number
        let place = PolicyPlace.etc
        let directory = try? root.trustedDirectory(place.directory)
        let names = ((try? directory?.names()) ?? []).filter(Generation.isSource)
        let known = Set(names.map { Key($0) })
        waiting = Set(
            generation.entries.filter { name, entry in
                // What was never good was not kept, and nothing waits for it.
                guard entry.isMask || entry.written != nil else { return false }
                guard let directory, known.contains(name) else { return true }
                if entry.isMask { return (try? directory.linkTarget(name.string)) != "/dev/null" }
                let content = try? directory.read(name.string, limit: PolicyFile.limits.bytes).bytes
                return content.map { SHA256.hash($0) } != entry.written
            }.keys)
        left = names.filter { name in
            guard generation.entries[Key(name)] == nil, let kind = try? directory?.status(name).kind else {
                return false
            }
            // What is no file, and no link, a rollback leaves alone.
            return kind == .regular || kind == .link
        }
    }

    /// Whether the directory lacks nothing, and has nothing that the generation lacks.
    var isClosed: Bool { waiting.isEmpty && left.isEmpty }

    /// Whether a file is in force otherwise than it lies in the directory.
    func concerns(_ file: ScannedFile) -> Bool { file.place == .etc && waiting.contains(file.name) }

    /// The policy files that lie in the directory and take no part.
    var ignored: [IgnoredFile] {
        let reason = "is not in generation \(generation), which is in force until the rollback to it is over"
        return left.filter { PolicyFileName.signed($0) == nil }.map { name in
            IgnoredFile(path: PolicyPlace.etc.path(name), reason: reason, isPolicy: true)
        }
    }
}
