package import Platform
package import PropertyList

/// Puts temporary policy in force and takes it away: files in `/run`, which the next boot empties.
package struct TemporaryPolicyStore: Sendable {
    /// The root of the machine.
    private let root: Root

    /// Makes a store.
    package init(root: Root) {
        self.root = root
    }

    /// What lay where files were put, so that it can be put back.
    package struct Replaced: Sendable {
        /// The names, each with the content that it had; `nil` for no file.
        fileprivate var files: [(name: String, bytes: [UInt8]?)] = []

        /// The names of the files that did not exist before.
        package var added: [String] { files.filter { $0.bytes == nil }.map(\.name) }
    }

    /// Puts files in force, all of them or none.
    ///
    /// Each appears whole; the directory is made where it is missing. The ids of the users and groups that they name are
    /// recorded before: programs that see a name for the first time would have to take anybody for whoever it means.
    ///
    /// - Returns: what lay there before.
    package func put(_ files: [TemporaryPolicy]) throws(SystemError) -> Replaced {
        let policies = PolicyStore(root: root)
        let result: Result<Replaced, SystemError>
        do throws(SystemError) {
            result = try policies.locked {
                policies.learn(namesOf: files.compactMap { PolicyFile.parse(bytes: $0.bytes, path: $0.path).file })
                return Result { () throws(SystemError) in try putAll(files) }
            }
        } catch {
            // Where nothing can be recorded, files of `/run` are obeyed all the same.
            return try putAll(files)
        }
        return try result.get()
    }

    /// Puts files in place, while nobody else records what is in force.
    private func putAll(_ files: [TemporaryPolicy]) throws(SystemError) -> Replaced {
        try root.createDirectory(TemporaryPolicy.directory, mode: 0o755)
        var replaced = Replaced()
        do {
            for file in files {
                replaced.files.append((file.name, try content(file.name)))
                try put(file.bytes, as: file.name)
            }
        } catch {
            // The first failure is the one to report.
            try? putBack(replaced)
            throw error
        }
        return replaced
    }

    /// Puts one file in place.
    private func put(_ bytes: [UInt8], as name: String) throws(SystemError) {
        // Nothing of it outlives the boot, so nothing has to wait for a disk.
        try root.replace(path(name), with: bytes, mode: 0o644, durable: false)
    }

    /// The path of a file.
    private func path(_ name: String) -> String { "\(TemporaryPolicy.directory)/\(name)" }

    /// Puts back what lay there before, an earlier grant of the same key for example.
    package func putBack(_ replaced: Replaced) throws(SystemError) {
        for (name, bytes) in replaced.files.reversed() {
            if let bytes {
                try put(bytes, as: name)
            } else {
                _ = try remove(name)
            }
        }
    }

    /// The files that call themselves temporary policy, in byte order of their names; what cannot be read is none.
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

    /// What a file says that calls itself temporary policy; `nil` for any other file, and for none.
    private func policy(_ name: String) -> PolicyFile? {
        guard let bytes = try? content(name), let policy = PolicyFile.parse(bytes: bytes, path: path(name)).file
        else { return nil }
        return policy.temporary == nil ? nil : policy
    }

    /// The first of some files in whose place something lies; `nil` where there is none.
    ///
    /// - Parameters:
    ///   - files: the files that are to be put in force.
    ///   - replaceable: the names of the files that they may replace.
    /// - Returns: the file that is to be put there.
    /// - Throws: where what lies there cannot be read.
    package func obstacle(
        to files: [TemporaryPolicy], replacing replaceable: Set<Key>
    ) throws(SystemError) -> TemporaryPolicy? {
        for file in files where !replaceable.contains(Key(file.name)) {
            if try content(file.name) != nil { return file }
        }
        return nil
    }

    /// Takes a file away.
    ///
    /// - Returns: whether there was one.
    package func remove(_ name: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try root.remove(path(name))
            return true
        } catch {
            if error.isMissing { return false }
            throw error
        }
    }

    /// What a file holds; `nil` where there is none.
    private func content(_ name: String) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            return try root.read(path(name), limit: PolicyFile.limits.bytes).bytes
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }
}
