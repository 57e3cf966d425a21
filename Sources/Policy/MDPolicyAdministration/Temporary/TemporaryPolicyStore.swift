package import MDPlatform
import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
package import MDPropertyList

/// Writes and removes temporary policy: files in `/run`, which the next boot empties.
package struct TemporaryPolicyStore: Sendable {
    private let root: Root

    package init(root: Root) {
        self.root = root
    }

    /// The files that were replaced, so that they can be restored.
    package struct Replaced: Sendable {
        /// The names with their earlier content; `nil` if there was no file.
        fileprivate var files: [(name: String, bytes: [UInt8]?, reason: [UInt8]?, user: UInt32?)] = []

        package var added: [String] { files.filter { $0.bytes == nil }.map(\.name) }
    }

    /// Writes files, all of them or none.
    ///
    /// Each file appears complete; the directory is made if it is missing. The ids of the users and groups in the files
    /// are recorded first: for programs that see a name for the first time it would be unknown.
    ///
    /// - Returns: the replaced files.
    package func put(_ files: [TemporaryPolicy]) throws(SystemError) -> Replaced {
        let policies = PolicyStore(root: root)
        let result: Result<Replaced, SystemError>
        do throws(SystemError) {
            result = try policies.locked {
                policies.recordIDs(
                    ofNamesIn: files.compactMap { PolicyFile.parse(bytes: $0.bytes, path: $0.path).file })
                return Result { () throws(SystemError) in try putAll(files) }
            }
        } catch {
            // Files of `/run` apply even if nothing can be recorded.
            return try putAll(files)
        }
        return try result.get()
    }

    /// Writes files while no other process records policy.
    private func putAll(_ files: [TemporaryPolicy]) throws(SystemError) -> Replaced {
        try root.createDirectory(TemporaryPolicy.directory, mode: 0o755)
        var replaced = Replaced()
        do {
            for file in files {
                let reason = GrantReason.read(file.name, in: root)
                replaced.files.append((file.name, try content(file.name), reason, file.reason?.user))
                if let reason = file.reason {
                    try GrantReason.put(Array(reason.text.utf8), as: file.name, for: reason.user, in: root)
                }
                try put(file.bytes, as: file.name)
            }
        } catch {
            // The first failure is the one to report.
            try? putBack(replaced)
            throw error
        }
        return replaced
    }

    /// Writes one file.
    private func put(_ bytes: [UInt8], as name: String) throws(SystemError) {
        // The file does not survive a boot, so it need not be synced.
        try root.replace(path(name), with: bytes, mode: 0o644, durable: false)
    }

    private func path(_ name: String) -> String { "\(TemporaryPolicy.directory)/\(name)" }

    /// Restores the replaced files, for example an earlier grant of the same key.
    package func putBack(_ replaced: Replaced) throws(SystemError) {
        for (name, bytes, reason, user) in replaced.files.reversed() {
            if let bytes {
                try GrantReason.put(reason, as: name, for: user, in: root)
                try put(bytes, as: name)
            } else {
                _ = try remove(name)
            }
        }
    }

    /// The readable temporary policy files, in byte order of their names.
    package func files() throws(SystemError) -> [(name: String, policy: PolicyFile)] {
        let names: [String]
        do throws(SystemError) {
            names = try root.names(in: TemporaryPolicy.directory)
        } catch {
            if error.isMissing { return [] }
            throw error
        }
        return names.filter(TemporaryPolicy.isPolicyFile).compactMap { name in
            policy(name).map { (name, $0) }
        }
    }

    /// The content of a temporary policy file; `nil` for any other file, or if there is none.
    private func policy(_ name: String) -> PolicyFile? {
        guard let bytes = try? content(name), let policy = PolicyFile.parse(bytes: bytes, path: path(name)).file
        else { return nil }
        return policy.temporary == nil ? nil : policy
    }

    /// The first of some files whose path is taken; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - files: the files to write.
    ///   - replaceable: the names of the existing files that they may replace.
    /// - Returns: the file that cannot be written.
    /// - Throws: if an existing file cannot be read.
    package func obstacle(
        to files: [TemporaryPolicy], replacing replaceable: Set<Key>
    ) throws(SystemError) -> TemporaryPolicy? {
        for file in files where !replaceable.contains(Key(file.name)) {
            if try content(file.name) != nil { return file }
        }
        return nil
    }

    /// Removes a file.
    ///
    /// - Returns: whether there was one.
    package func remove(_ name: String) throws(SystemError) -> Bool {
        var isThere = true
        do throws(SystemError) {
            try root.remove(path(name))
        } catch {
            if !error.isMissing { throw error }
            isThere = false
        }
        try GrantReason.put(nil, as: name, for: nil, in: root)
        return isThere
    }

    /// The content of a file; `nil` if it does not exist.
    private func content(_ name: String) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            return try root.read(path(name), limit: PolicyFile.limits.bytes).bytes
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }
}
