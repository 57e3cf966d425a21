import Platform
import PropertyList

/// Exchanges the administrator's directory for one that is built beside it, so that every reader finds the old content or
/// the new one as a whole.
///
/// Policy files and their signatures are replaced by the wanted content. Every other file or link (a README, an editor's
/// backup) is carried over: a file gets a second name in the new directory, a link is made anew with the same text. What
/// cannot be carried over refuses the whole. The new directory has one fixed name, so the caller holds the lock of the
/// store. A new directory that did not take its place is gone with this object.
final class DirectoryExchange {
    /// What is wanted under a name.
    enum Item: Hashable, Sendable {
        /// A file with these bytes.
        case file([UInt8])
        /// A link with this text.
        case link(String)
    }

    /// The name of the new directory beside the old one, and of the old one until it is removed.
    static let temporaryName = ".policies.d.new"

    /// The directory.
    private static let path = PolicyPlace.etc.directory
    /// The directory that is built.
    private static let newPath = "\(PolicyPlace.etc.home)/\(temporaryName)"

    /// The root.
    private let root: Root
    /// What lies there: the directory, and each name in it; `nil` if the directory is missing.
    private let old: (status: FileStatus, entries: [Key: FileStatus])?
    /// Whether there may be a new directory that has to be removed.
    private var isBuilding = false

    /// Looks at the directory; what changes in it from here on makes ``commit()`` refuse.
    ///
    /// - Throws: why it cannot be exchanged.
    init(root: Root) throws(OperationError) {
        self.root = root
        do {
            old = try DirectoryExchange.look(root)
        } catch let error as OperationError {
            throw error
        } catch {
            throw DirectoryExchange.refusal("\(error)")
        }
    }

    deinit {
        // Where even this fails, the next exchange removes what is left.
        if isBuilding { try? root.removeDirectoryWithFiles(DirectoryExchange.newPath) }
    }

    /// Builds the new directory, and waits until it is on disk.
    ///
    /// - Parameter wanted: every policy file, signature and link that the directory is to hold.
    /// - Throws: why it cannot be built; nothing was changed.
    func build(_ wanted: [Key: Item]) throws(OperationError) {
        do throws(SystemError) {
            try root.createDirectory(PolicyPlace.etc.home, mode: 0o755)
            // A process that was killed may have left one.
            try root.removeDirectoryWithFiles(DirectoryExchange.newPath)
            isBuilding = true
            try root.createDirectory(DirectoryExchange.newPath, mode: 0o755)
            for (name, item) in wanted.sorted(by: { $0.key < $1.key }) {
                let path = DirectoryExchange.newPath(name)
                switch item {
                case .file(let bytes): try root.replace(path, with: bytes, mode: 0o644, syncsDirectory: false)
                case .link(let text): try root.replaceWithLink(path, to: text)
                }
            }
            for (name, status) in old?.entries ?? [:] where wanted[name] == nil && !Generation.isSource(name.string) {
                let (source, path) = (PolicyPlace.etc.path(name.string), DirectoryExchange.newPath(name))
                if status.kind == .link {
                    try root.replaceWithLink(path, to: try root.linkTarget(source))
                } else {
                    try root.link(source, as: path)
                }
            }
            try root.syncDirectory(DirectoryExchange.newPath)
        } catch {
            throw DirectoryExchange.refusal("\(error)")
        }
    }

    /// Puts the new directory in the place of the old one, and removes the old one.
    ///
    /// - Returns: what could not be done after the exchange.
    /// - Throws: why there was no exchange; the directory is what it was.
    func commit() throws(OperationError) -> [SystemError] {
        let (path, new) = (DirectoryExchange.path, DirectoryExchange.newPath)
        guard isUnchanged(at: path) else { throw changed }
        do throws(SystemError) {
            if old == nil {
                try root.rename(new, to: path, replacing: true)
            } else {
                try root.exchange(new, with: path)
            }
        } catch {
            throw DirectoryExchange.refusal(of: error, shown: root.display(path))
        }
        // What somebody wrote in the moment before the exchange lies in the old directory alone.
        if old != nil, !isUnchanged(at: new), (try? root.exchange(new, with: path)) != nil { throw changed }
        isBuilding = false
        var failures: [SystemError] = []
        do { try root.syncDirectory(PolicyPlace.etc.home) } catch { failures.append(error) }
        do { try removeOld() } catch { failures.append(error) }
        return failures
    }

    /// Removes the old directory, unless it has what the new one lacks.
    private func removeOld() throws(SystemError) {
        let new = DirectoryExchange.newPath
        guard old != nil else { return }
        guard isUnchanged(at: new) else {
            throw SystemError(
                operation: "remove", path: root.display(new), code: DirectoryExchange.staleCode,
                reason: "it was changed meanwhile")
        }
        try root.removeDirectoryWithFiles(new)
    }

    /// ESTALE: what is asked about is not there any more as it was.
    private static let staleCode: Int32 = 116

    /// The path of a name in the new directory.
    private static func newPath(_ name: Key) -> String { "\(newPath)/\(name.string)" }

    /// What lies in the directory; `nil` if it is missing.
    private static func look(_ root: Root) throws -> (status: FileStatus, entries: [Key: FileStatus])? {
        let shown = root.display(path)
        let status: FileStatus
        do throws(SystemError) {
            status = try root.status(path, followingLinks: false)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
        guard status.kind == .directory else {
            throw refusal("\(shown) is \(status.kind.noun), and only a directory can be exchanged")
        }
        if try root.isMountPoint(path) { throw refusal(mountWords(shown)) }
        let directory = try root.trustedDirectory(path)
        var entries: [Key: FileStatus] = [:]
        for name in try directory.names() {
            let status = try directory.status(name)
            guard status.kind == .regular || status.kind == .link else {
                throw refusal(
                    "\(root.display(PolicyPlace.etc.path(name))) is \(status.kind.noun), and only files and links can be "
                        + "carried over; move it out of \(shown)")
            }
            entries[Key(name)] = status
        }
        return (status, entries)
    }

    /// Whether what lies at a path is the old directory with what it held.
    private func isUnchanged(at path: String) -> Bool {
        guard let old else { return !root.mayHave(path) }
        guard let status = try? root.status(path, followingLinks: false), status.isSameFile(as: old.status),
            let names = try? root.names(in: path), names.count == old.entries.count
        else { return false }
        return names.allSatisfy { name in
            guard let known = old.entries[Key(name)],
                let now = try? root.status("\(path)/\(name)", followingLinks: false)
            else { return false }
            // A second name changes the time of the change of state, so that one tells nothing.
            return now.isSameFile(as: known) && now.kind == known.kind && now.size == known.size
                && now.modified == known.modified
        }
    }

    /// That somebody else wrote in the directory.
    private var changed: OperationError {
        DirectoryExchange.refusal("\(root.display(DirectoryExchange.path)) was changed meanwhile")
    }

    /// Why two directories cannot be exchanged.
    static func refusal(of error: SystemError, shown: String) -> OperationError {
        if error.isUnsupported || error.isOtherFileSystem {
            return refusal("the file system of \(shown) cannot exchange it for another directory (\(error.text))")
        }
        return refusal(error.isBusy ? mountWords(shown) : "\(error)")
    }

    /// Why a mount point cannot be exchanged.
    private static func mountWords(_ shown: String) -> String {
        "\(shown) is a mount point, and only a directory of the file system that it lies in can be exchanged"
    }

    /// A refusal, as a clause.
    private static func refusal(_ reason: String) -> OperationError {
        OperationError("\(reason), so nothing was changed")
    }
}

extension PolicyStore {
    /// The name of the directory that a rollback builds beside the administrator's, and that a killed one leaves behind.
    package static var newDirectoryName: String { DirectoryExchange.temporaryName }
}
