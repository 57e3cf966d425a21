import Platform
import PropertyList

/// Where the files of a policy directory are read from.
enum SourceFolder: Sendable {
    /// The directory itself.
    case directory(TrustedDirectory)
    /// The generation that a rollback, which is not over, puts in its place: from one moment to the next, although its
    /// files are written one by one.
    case generation(Generation, GenerationStore)
    /// What root's commands recorded as in force, where the directory itself tells this process nothing.
    case record([Key: Digest], PolicyPlace, GoodStore)

    /// What was recorded of a place.
    ///
    /// - Parameters:
    ///   - place: which of the two directories.
    ///   - recorded: the record, which is whole.
    ///   - store: the good copies of the place.
    /// - Returns: the files that were in force, by the digest of what was in force of them.
    static func recorded(_ place: PolicyPlace, _ recorded: PolicyTable, _ store: GoodStore) -> SourceFolder {
        var files: [Key: Digest] = [:]
        for (file, record) in recorded.files where file.place == place && store.isOfNow(place) {
            files[file.name] = record.inForce
        }
        return .record(files, place, store)
    }

    /// A directory that is read itself, with its names, or why it is not.
    typealias Listing = Result<(folder: SourceFolder, names: [String]), TrustError>

    /// Opens a directory and lists it.
    static func list(_ place: PolicyPlace, root: Root) -> Listing {
        do throws(TrustError) {
            let directory = try root.trustedDirectory(place.directory)
            return .success((.directory(directory), try directory.names()))
        } catch {
            return .failure((error.isMissing ? obstacle(place, root: root) : nil) ?? error)
        }
    }

    /// Why a directory cannot be had although something has its name, or that of the directory above it; `nil` where
    /// nothing has.
    ///
    /// A link to a disk that is not mounted yet removes no policy.
    private static func obstacle(_ place: PolicyPlace, root: Root) -> TrustError? {
        for path in [place.home, place.directory] {
            guard let status = try? root.status(path, followingLinks: false) else { return nil }
            let target = try? root.status(path, followingLinks: true)
            let reason: String? =
                switch target?.kind {
                case nil: status.kind == .link ? "is a link that leads to nothing" : nil
                case .directory: nil
                default: "is no directory"
                }
            if let reason { return .untrusted(path: root.display(path), reason: reason) }
        }
        return nil
    }

    /// The names, complete and in byte order.
    func names() throws(TrustError) -> [String] {
        switch self {
        case .directory(let directory): try directory.names()
        case .generation(let generation, _):
            generation.entries.filter { $0.value.isMask || $0.value.written != nil }.keys.sorted().map(\.string)
        case .record(let files, _, _): files.keys.sorted().map(\.string)
        }
    }

    /// Whether it is the directory itself.
    var isDirectory: Bool {
        if case .directory = self { return true }
        return false
    }

    /// Whether what is read was held to its signature by whoever recorded it.
    var isChecked: Bool {
        if case .record = self { return true }
        return false
    }

    /// What is allowed and yet worth saying of the directory.
    var warnings: [String] {
        if case .directory(let directory) = self { return directory.warnings }
        return []
    }

    /// Where a link leads; `nil` where the name is none.
    func linkTarget(_ name: String) throws(TrustError) -> String? {
        switch self {
        case .directory(let directory): try directory.linkTarget(name)
        case .generation(let generation, _): generation.entries[Key(name)]?.isMask == true ? "/dev/null" : nil
        case .record: nil
        }
    }

    /// Reads a file; `nil` where the name is a link.
    func readUnlinked(_ name: String, limit: Int) throws(TrustError) -> TrustedFile? {
        if case .directory(let directory) = self { return try directory.readUnlinked(name, limit: limit) }
        return try linkTarget(name) == nil ? try read(name, limit: limit) : nil
    }

    /// Reads a file.
    func read(_ name: String, limit: Int) throws(TrustError) -> TrustedFile {
        switch self {
        case .directory(let directory): return try directory.read(name, limit: limit)
        case .generation(let generation, let store):
            guard let digest = generation.entries[Key(name)]?.written else {
                throw .system(
                    SystemError(operation: "open", path: store.root.display(PolicyPlace.etc.path(name)), code: 2))
            }
            return try store.file(digest)
        case .record(let files, let place, let store):
            guard let digest = files[Key(name)],
                let copy = store.file(of: Key(name), digest: digest) ?? own(name, digest, place, store.root)
            else {
                throw .system(SystemError(operation: "open", path: "the good copy of \(name)", code: 2))
            }
            return copy
        }
    }

    /// A file of the directory itself, where it still is what was recorded; `nil` otherwise.
    private func own(_ name: String, _ digest: Digest, _ place: PolicyPlace, _ root: Root) -> TrustedFile? {
        let file = try? root.trustedDirectory(place.directory).read(name, limit: PolicyFile.limits.bytes)
        return file.flatMap { SHA256.hash($0.bytes) == digest ? $0 : nil }
    }

    /// The last good copy that a generation has of a file: `nil` for a directory, which has none itself.
    func lastGood(_ name: Key, shown: String) -> (policy: PolicyFile?, problems: [Diagnostic])? {
        guard case .generation(let generation, let store) = self else { return nil }
        guard let digest = generation.entries[name]?.inForce, let bytes = try? store.object(digest) else {
            return (nil, [])
        }
        let path = PolicyPlace.etc.path(name.string)
        return (PolicyFile.parse(bytes: bytes, path: path, shownPath: shown, digest: digest).file, [])
    }
}

extension Generation.Entry {
    /// The digest of what a rollback writes: the file as it was, or what was in force of it where it was not trusted.
    var written: Digest? { bytes ?? inForce }
}
