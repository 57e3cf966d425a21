import Platform
import PropertyList

/// What is left to write, and to remove, until the files of a generation lie in the administrator's directory.
///
/// Only names are touched under which lies what lay there when the rollback began. Whatever the administrator has written,
/// or removed, since then stays as it is.
struct RollbackPlan {
    /// What is done to a name.
    enum Step {
        /// A file takes it.
        case write(Digest)
        /// A link to `/dev/null` takes it.
        case mask
        /// What lies there goes.
        case remove
    }

    /// What lay under each name when the rollback began.
    let origin: [Key: Generation.Entry]
    /// The generation that is put back.
    let target: Generation
    /// The root.
    let root: Root

    /// Goes through what is left to do, new files first, removals last; each step is decided when it comes.
    ///
    /// Where the directory is missing, every file of the generation is left to write.
    ///
    /// Complexity: every file is read once.
    ///
    /// - Parameter step: does one step.
    /// - Throws: where the directory cannot be listed, and what `step` throws.
    func forEach(_ step: (String, Step) throws -> Void) throws {
        let directory: TrustedDirectory?
        do throws(TrustError) {
            directory = try root.trustedDirectory(PolicyPlace.etc.directory)
        } catch {
            guard error.isMissing else { throw error }
            directory = nil
        }
        let names = try directory?.names().filter(Generation.isSource) ?? []
        let known = Set(names.map { Key($0) })
        let wanted = target.entries.sorted { $0.key < $1.key }
        for (name, entry) in wanted where !known.contains(name) && !isRemoved(name) {
            if let next = self.step(to: entry, name.string, directory) { try step(name.string, next) }
        }
        guard let directory else { return }
        for (name, entry) in wanted where known.contains(name) && isUntouched(name, directory) {
            if let next = self.step(to: entry, name.string, directory) { try step(name.string, next) }
        }
        for name in names where target.entries[Key(name)] == nil {
            // What is no file, and no link, belongs to somebody else.
            let kind = try directory.status(name).kind
            guard kind == .regular || kind == .link, isUntouched(Key(name), directory) else { continue }
            try step(name, .remove)
        }
    }

    /// Whether somebody removed since what lay under a name that is free now, so that it stays so.
    ///
    /// Whoever clears away what was no signature makes room for one.
    private func isRemoved(_ name: Key) -> Bool {
        guard let entry = origin[name] else { return false }
        return entry.bytes != nil || entry.isMask || PolicyFileName.signed(name.string) == nil
    }

    /// Whether under a name lies what lay there when the rollback began.
    private func isUntouched(_ name: Key, _ directory: TrustedDirectory) -> Bool {
        guard let entry = origin[name] else { return false }
        if entry.isMask { return (try? directory.linkTarget(name.string)) == "/dev/null" }
        return RollbackPlan.digest(name.string, directory) == entry.bytes
    }

    /// What puts one file or link in place; `nil` where it is there.
    private func step(to entry: Generation.Entry, _ name: String, _ directory: TrustedDirectory?) -> Step? {
        if entry.isMask { return (try? directory?.linkTarget(name)) == "/dev/null" ? nil : .mask }
        // A link whose target has the bytes stays one.
        guard let digest = entry.written, directory.flatMap({ RollbackPlan.digest(name, $0) }) != digest else {
            return nil
        }
        return .write(digest)
    }

    /// The digest of a file; `nil` where it cannot be read.
    private static func digest(_ name: String, _ directory: TrustedDirectory) -> Digest? {
        (try? directory.read(name, limit: PolicyFile.limits.bytes).bytes).map { SHA256.hash($0) }
    }
}

extension RollbackPlan {
    /// Finds out whether the directory can be written, by making the largest of the files there under a name that nobody
    /// reads, and removing it.
    ///
    /// Where nothing is left to do, nothing is tried. A single file that cannot be replaced is not noticed.
    ///
    /// - Throws: why it cannot be written.
    func requireWritable(_ store: GenerationStore) throws {
        var largest: [UInt8]?
        try forEach { _, step in
            var bytes: [UInt8] = []
            if case .write(let digest) = step { bytes = try store.file(digest).bytes }
            if bytes.count >= largest?.count ?? 0 { largest = bytes }
        }
        guard let largest else { return }
        // A directory that is missing is made later: whoever lists it meanwhile would find everything removed.
        let folder = [PolicyPlace.etc.directory, PolicyPlace.etc.home, "/etc"].first { root.mayHave($0) }
        let trial = "\(folder ?? "")/\(RollbackTrial.name)"
        do throws(SystemError) {
            try root.replace(trial, with: largest, mode: 0o600, durable: false)
        } catch {
            throw OperationError("\(root.display(folder ?? "/")) cannot be written: \(error.text)")
        }
        try root.remove(trial)
    }

    /// Does what is left to do; the generation is in force already.
    func carryOut(_ store: GenerationStore) throws {
        let place = PolicyPlace.etc
        try root.createDirectory(place.directory, mode: 0o755)
        try forEach { name, step in
            let path = place.path(name)
            switch step {
            case .write(let digest): try root.replace(path, with: try store.file(digest).bytes, mode: 0o644)
            case .mask: try root.replaceWithLink(path, to: "/dev/null")
            case .remove: try root.remove(path)
            }
        }
    }
}
