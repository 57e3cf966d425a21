package import Platform
import PropertyList

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
        /// The paths, each with the content that it had; `nil` for no file.
        fileprivate var files: [(path: String, bytes: [UInt8]?)] = []
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
                // The signature lies there before what it is of.
                if let signature = file.signature { try put(signature, at: "\(file.path).sig", &replaced) }
                try put(file.bytes, at: file.path, &replaced)
            }
        } catch {
            // The first failure is the one to report.
            try? putBack(replaced)
            throw error
        }
        return replaced
    }

    /// Puts one file in place, and remembers what lay there.
    private func put(_ bytes: [UInt8], at path: String, _ replaced: inout Replaced) throws(SystemError) {
        replaced.files.append((path, try content(path)))
        // Nothing of it outlives the boot, so nothing has to wait for a disk.
        try root.replace(path, with: bytes, mode: 0o644, durable: false)
    }

    /// Puts back what lay there before, an earlier grant of the same key for example.
    package func putBack(_ replaced: Replaced) throws(SystemError) {
        for (path, bytes) in replaced.files.reversed() {
            if let bytes {
                try root.replace(path, with: bytes, mode: 0o644, durable: false)
            } else {
                _ = try removeFile(path)
            }
        }
    }

    /// The names of the files that begin with a text, in byte order.
    package func names(_ prefix: String) throws(SystemError) -> [String] {
        do throws(SystemError) {
            return try root.names(in: TemporaryPolicy.directory).filter { name in
                name.utf8.starts(with: prefix.utf8) && PolicyFileName.reasonToIgnore(name) == nil
            }
        } catch {
            if error.isMissing { return [] }
            throw error
        }
    }

    /// Takes a file away, and its signature where it has one.
    ///
    /// - Returns: whether there was one.
    package func remove(_ name: String) throws(SystemError) -> Bool {
        let path = "\(TemporaryPolicy.directory)/\(name)"
        let wasThere = try removeFile(path)
        _ = try removeFile("\(path).sig")
        return wasThere
    }

    /// Removes what may be there; whether it was.
    private func removeFile(_ path: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try root.remove(path)
            return true
        } catch {
            if error.isMissing { return false }
            throw error
        }
    }

    /// What a file holds; `nil` where there is none.
    private func content(_ path: String) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            return try root.read(path, limit: PolicyFile.limits.bytes).bytes
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }
}
