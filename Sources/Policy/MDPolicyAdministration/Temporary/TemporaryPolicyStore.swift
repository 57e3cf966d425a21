package import MDPlatform
import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
package import MDPropertyList

/// Writes and removes temporary policy: files in `/run`, which follow those of ``StorePath/temporary`` that outlast a
/// boot.
///
/// That folder is written first and removed first, so a process that is killed in between leaves what the next recording
/// command completes.
package struct TemporaryPolicyStore: Sendable {
    let root: Root

    package init(root: Root) {
        self.root = root
    }

    /// The two folders of temporary policy.
    enum Place: CaseIterable {
        /// The folder of what outlasts a boot.
        case lasting
        /// The policy directory that the next boot empties.
        case run

        /// The path of the directory above it, and its name.
        var parts: (home: String, name: String) {
            switch self {
            case .lasting: (StorePath.home, "temporary")
            case .run: (PolicyDirectory.run.home, "policies.d")
            }
        }

        /// The path of a file in it.
        func path(_ name: String) -> String { "\(parts.home)/\(parts.name)/\(name)" }
    }

    /// What files were before, so that they can be restored.
    package struct Replaced: Sendable {
        /// A file and its reason, or that there was none.
        fileprivate struct File {
            let name: String
            let contents: [Place: [UInt8]]
            let reason: [UInt8]?
            /// Who else may read the reason.
            let user: UInt32?
        }

        fileprivate var files: [File] = []

        /// The names that had no file.
        package var added: [String] { files.filter { $0.contents.isEmpty }.map(\.name) }
    }

    /// Writes files and removes others, each folder at once, while no other process records policy.
    ///
    /// - Parameters:
    ///   - files: the files to write.
    ///   - removed: the names of other files, which go.
    ///   - isLasting: whether they outlast the next boot.
    /// - Returns: what was there before.
    /// - Throws: why nothing was changed.
    func put(_ files: [TemporaryPolicy], removing removed: [String], isLasting: Bool) throws(SystemError) -> Replaced {
        var replaced = Replaced()
        let reasons = Dictionary(files.map { (Key($0.name), $0.reason) }) { one, _ in one }
        for name in files.map(\.name) + removed {
            var contents: [Place: [UInt8]] = [:]
            for place in Place.allCases { contents[place] = try content(name, in: place) }
            replaced.files.append(
                Replaced.File(
                    name: name, contents: contents, reason: GrantReason.read(name, in: root),
                    user: reasons[Key(name)]??.user))
        }
        do {
            for file in files {
                guard let reason = file.reason else { continue }
                try GrantReason.put(Array(reason.text.utf8), as: file.name, for: reason.user, in: root)
            }
            let wanted = Dictionary(files.map { (Key($0.name), $0.bytes) }) { one, _ in one }
            if isLasting { try change(.lasting, writing: wanted, removing: removed) }
            try change(.run, writing: wanted, removing: removed)
        } catch {
            // The first failure is the one to report.
            try? restore(replaced)
            throw error
        }
        return replaced
    }

    /// Changes one of the folders, at once if its file system can, else file by file.
    func change(_ place: Place, writing: [Key: [UInt8]], removing: [String]) throws(SystemError) {
        let (home, name) = place.parts
        var gone: [String] = []
        for name in removing where writing[Key(name)] == nil {
            if try content(name, in: place) != nil { gone.append(name) }
        }
        if writing.count + gone.count > 1 {
            let names = Set(gone.map { Key($0) })
            do throws(OperationError) {
                let exchange = try DirectoryExchange(root: root, in: home, name)
                try exchange.build(writing.mapValues { .file($0) }) { names.contains($0) }
                // Of what follows on an exchange nothing matters here: the next one removes what is left over.
                _ = try exchange.commit()
                return
            } catch {
                // One by one it may work, and says why not.
            }
        }
        if !writing.isEmpty { try root.createDirectory("\(home)/\(name)", mode: 0o755) }
        for (name, bytes) in writing.sorted(by: { $0.key < $1.key }) {
            // What does not survive a boot need not be synced.
            try root.replace(place.path(name.string), with: bytes, mode: 0o644, durable: place == .lasting)
        }
        for name in gone {
            do throws(SystemError) { try root.remove(place.path(name)) } catch { if !error.isMissing { throw error } }
        }
        if place == .lasting, !gone.isEmpty { try root.syncDirectory("\(home)/\(name)") }
    }

    /// Restores what files replaced, for example an earlier grant of the same key, while no other process records policy.
    func restore(_ replaced: Replaced) throws(SystemError) {
        for file in replaced.files {
            try GrantReason.put(file.reason, as: file.name, for: file.user, in: root)
        }
        for place in Place.allCases {
            var writing: [Key: [UInt8]] = [:]
            for file in replaced.files { writing[Key(file.name)] = file.contents[place] }
            try change(
                place, writing: writing, removing: replaced.files.filter { $0.contents[place] == nil }.map(\.name))
        }
    }

    /// Removes files with their reasons, while no other process records policy.
    func remove(_ names: [String]) throws(SystemError) {
        for place in Place.allCases { try change(place, writing: [:], removing: names) }
        for name in names { try GrantReason.put(nil, as: name, for: nil, in: root) }
    }

    /// The readable temporary policy files, in byte order of their names: those of `/run`, and those that should be there.
    package func files() throws(SystemError) -> [(name: String, policy: PolicyFile)] {
        var names: Set<Key> = []
        for place in Place.allCases {
            do throws(SystemError) {
                names.formUnion(try root.names(in: place.path("")).map { Key($0) })
            } catch {
                if !error.isMissing { throw error }
            }
        }
        return names.sorted().map(\.string).filter(TemporaryPolicy.isPolicyFile).compactMap { name in
            (policy(name, in: .run) ?? policy(name, in: .lasting)).map { (name, $0) }
        }
    }

    /// The content of a temporary policy file; `nil` for any other file, or if there is none.
    func policy(_ name: String, in place: Place) -> PolicyFile? {
        let path = PolicyDirectory.run.path(name)
        guard let bytes = try? content(name, in: place), let policy = PolicyFile.parse(bytes: bytes, path: path).file
        else { return nil }
        return policy.temporary == nil ? nil : policy
    }

    /// The names of files that outlast a boot; a name is unequal if `/run` has another content or none.
    ///
    /// - Throws: why they cannot be listed; none if their folder does not exist.
    package func lasting() throws(TrustError) -> (names: [String], unequal: [String]) {
        let names: [String]
        do throws(TrustError) {
            names = try root.trustedNames(in: StorePath.temporary).filter(TemporaryPolicy.isPolicyFile)
        } catch {
            if error.isMissing { return ([], []) }
            throw error
        }
        var unequal: [String] = []
        do throws(SystemError) {
            for name in names where try content(name, in: .lasting) != content(name, in: .run) { unequal.append(name) }
        } catch {
            throw .system(error)
        }
        return (names, unequal)
    }

    /// Whether a file outlasts the next boot.
    package func isLasting(_ name: String) throws(SystemError) -> Bool { try content(name, in: .lasting) != nil }

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
            if try content(file.name, in: .run) != nil { return file }
        }
        return nil
    }

    /// The content of a file; `nil` if it does not exist.
    func content(_ name: String, in place: Place) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            return try root.read(place.path(name), limit: PolicyFile.limits.bytes).bytes
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }
}
