import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Replaces a directory of policy files, as the administrator's, atomically with one that is built beside it, so that
/// every reader finds either the old or the new content.
///
/// Policy files and their signatures are replaced by the wanted content, unless the caller keeps some. Every other file
/// or link (a README, an editor's backup) is carried over: a file gets a hard link in the new directory, a symbolic
/// link is made again with the same text. If something cannot be carried over, the exchange is refused. The new
/// directory has one fixed name, so the caller must hold the lock of the store. The deinitializer removes a new
/// directory that was not committed.
final class DirectoryExchange {
    /// The wanted content of a name.
    enum Item: Hashable, Sendable {
        /// A file with these bytes.
        case file([UInt8])
        /// A link with this text.
        case link(String)
    }

    /// The name of the new directory beside the old one, and of the old one until it is removed.
    static let temporaryName = ".policies.d.new"

    private let root: Root
    /// The path of the directory.
    private let path: String
    /// The path of the directory above it.
    private let home: String
    /// The path of the new directory.
    private let newPath: String
    /// The old directory and the names in it; `nil` if it is missing.
    private let old: (status: FileStatus, entries: [Key: FileStatus])?
    /// Whether there may be a new directory to remove.
    private var isBuilding = false

    /// Inspects the directory; later changes in it make ``commit()`` refuse.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - home: the directory above it.
    ///   - name: its name.
    /// - Throws: why it cannot be exchanged.
    init(
        root: Root, in home: String = PolicyDirectory.etc.home, _ name: String = "policies.d"
    ) throws(OperationError) {
        self.root = root
        (path, self.home) = ("\(home)/\(name)", home)
        newPath = DirectoryExchange.newPath(of: name, in: home)
        do {
            old = try DirectoryExchange.inspect(root, path)
        } catch let error as OperationError {
            throw error
        } catch {
            throw DirectoryExchange.refusal("\(error)")
        }
    }

    deinit {
        // If this fails, the next exchange removes the rest.
        if isBuilding { try? root.removeDirectoryWithFiles(newPath) }
    }

    /// Builds the new directory and syncs it to disk.
    ///
    /// - Parameters:
    ///   - wanted: policy files, signatures and links of the new directory.
    ///   - isDropped: which other names are left out; those that are not are carried over.
    /// - Throws: why it cannot be built; the old directory is unchanged.
    func build(
        _ wanted: [Key: Item], dropping isDropped: (Key) -> Bool = { Generation.isSource($0.string) }
    ) throws(OperationError) {
        // A killed process may have left one, and an exchange whose old directory could not be removed.
        do throws(SystemError) { try root.removeDirectoryWithFiles(newPath) } catch {
            guard error.isForbidden else { throw DirectoryExchange.refusal("\(error)") }
            throw OperationError("nothing was changed: \(leftoverWords(error))")
        }
        isBuilding = true
        do throws(SystemError) {
            try root.createDirectory(home, mode: 0o755)
            try root.createDirectory(newPath, mode: 0o755)
            for (name, item) in wanted.sorted(by: { $0.key < $1.key }) {
                let path = newPath(name)
                switch item {
                case .file(let bytes): try root.replace(path, with: bytes, mode: 0o644, syncsDirectory: false)
                case .link(let text): try root.replaceWithLink(path, to: text)
                }
            }
            for (name, status) in old?.entries ?? [:] where wanted[name] == nil && !isDropped(name) {
                let (source, new) = ("\(path)/\(name.string)", newPath(name))
                if status.kind == .link {
                    try root.replaceWithLink(new, to: try root.linkTarget(source))
                } else {
                    try root.link(source, as: new)
                }
            }
            try root.syncDirectory(newPath)
        } catch {
            let remedy = error.isForbidden ? "; an immutable file (lsattr shows i or a) needs chattr -ia first" : ""
            throw DirectoryExchange.refusal("\(error)\(remedy)")
        }
    }

    /// Exchanges the directories and removes the old one.
    ///
    /// - Returns: the errors after the exchange, as clauses.
    /// - Throws: why there was no exchange; the directory is unchanged.
    func commit() throws(OperationError) -> [String] {
        let new = newPath
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
        // A file written just before the exchange is in the old directory only.
        if old != nil, !isUnchanged(at: new), (try? root.exchange(new, with: path)) != nil { throw changed }
        isBuilding = false
        var failures: [String] = []
        do { try root.syncDirectory(home) } catch { failures.append(error.description) }
        do { try removeOld() } catch {
            failures.append(error.isForbidden ? leftoverWords(error) : error.description)
        }
        return failures
    }

    /// Why the directory beside the one in force could not be removed, and what to do: it blocks the next exchange.
    private func leftoverWords(_ error: SystemError) -> String {
        let path = root.display(newPath)
        return "the directory \(path) is left over and could not be removed (\(error)): "
            + DirectoryExchange.leftoverRemedy(path)
    }

    /// How a directory that is left over is removed, as a clause.
    ///
    /// Root may not remove a file that `chattr` made immutable or append-only.
    static func leftoverRemedy(_ path: String) -> String {
        "remove it with rm -r \(path), after chattr -R -ia \(path) if a file in it is immutable (lsattr shows i or a)"
    }

    /// Removes the old directory, or sets it aside if it has files that the new one lacks.
    private func removeOld() throws(SystemError) {
        let new = newPath
        guard old != nil else { return }
        if isUnchanged(at: new) { return try root.removeDirectoryWithFiles(new) }
        // Under its name the next apply would remove it.
        let aside = "\(path).\(Clock.now().microseconds)"
        try root.rename(new, to: aside, replacing: false)
        throw SystemError(
            operation: "remove", path: root.display(new), code: DirectoryExchange.staleCode,
            reason: "it was changed meanwhile, and is \(root.display(aside)) now")
    }

    /// Removes a directory that a killed process left behind; the caller holds the lock.
    ///
    /// One that has anything but files and links, or belongs to another user, is none of ours and stays.
    static func removeLeftover(root: Root, in home: String = PolicyDirectory.etc.home, _ name: String = "policies.d") {
        let newPath = newPath(of: name, in: home)
        guard let status = try? root.status(newPath, followingLinks: false), status.kind == .directory,
            status.owner == root.owner, let names = try? root.names(in: newPath),
            names.allSatisfy({ name in
                let kind = try? root.status("\(newPath)/\(name)", followingLinks: false).kind
                return kind == .regular || kind == .link
            })
        else { return }
        // `doctor` names what stays.
        try? root.removeDirectoryWithFiles(newPath)
    }

    /// ESTALE: the directory has changed.
    private static let staleCode: Int32 = 116

    private static func newPath(of name: String, in home: String) -> String { "\(home)/.\(name).new" }
    private func newPath(_ name: Key) -> String { "\(newPath)/\(name.string)" }

    /// Reads the status of the directory and its names; `nil` if it is missing.
    private static func inspect(_ root: Root, _ path: String) throws -> (
        status: FileStatus, entries: [Key: FileStatus]
    )? {
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
                    "\(root.display("\(path)/\(name)")) is \(status.kind.noun), and only files and links can be "
                        + "carried over; move it out of \(shown)")
            }
            entries[Key(name)] = status
        }
        return (status, entries)
    }

    /// Whether a path is the old directory with unchanged content.
    private func isUnchanged(at path: String) -> Bool {
        guard let old else { return !root.mayExist(path) }
        guard let status = try? root.status(path, followingLinks: false), status.isSameFile(as: old.status),
            let names = try? root.names(in: path), names.count == old.entries.count
        else { return false }
        return names.allSatisfy { name in
            guard let known = old.entries[Key(name)],
                let now = try? root.status("\(path)/\(name)", followingLinks: false)
            else { return false }
            // A new hard link changes the status change time, so that is not compared.
            return now.isSameFile(as: known) && now.kind == known.kind && now.size == known.size
                && now.modified == known.modified
        }
    }

    /// The error of a concurrent change of the directory.
    private var changed: OperationError {
        DirectoryExchange.refusal("\(root.display(path)) was changed meanwhile")
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

    private static func refusal(_ reason: String) -> OperationError {
        OperationError("\(reason), so nothing was changed")
    }
}

extension PolicyStore {
    /// The name of the directory that a rollback builds beside the administrator's; a killed rollback leaves it behind.
    package static var newDirectoryName: String { DirectoryExchange.temporaryName }

    /// How that directory is removed where nothing else removes it, as a clause.
    package static func newDirectoryRemedy(_ path: String) -> String { DirectoryExchange.leftoverRemedy(path) }
}
