import Platform
import PropertyList

/// What a running process had last of files that nobody has recorded yet.
///
/// A file that is saved twice in a moment, the second time broken, was in force here in a version of which no good copy
/// was made. That version then takes part in everything as the file itself would, until the file is mended or removed, or
/// a newer copy of it is made.
package final class PolicyMemory: Sendable {
    /// A version of a file.
    struct Version: Sendable {
        /// What the file said.
        let policy: PolicyFile
        /// Its bytes.
        let bytes: [UInt8]
        /// The digest of the newest good copy that there was beside it; `nil` where there was none.
        let copy: Digest?

        /// Whether a good copy is no newer than the version.
        func isNewer(than copy: Digest?) -> Bool { (copy == self.copy || copy == nil) && copy != policy.digest }
    }

    /// The versions by the path of the file.
    private let versions = Guarded<[Key: Version]>([:])

    /// Remembers nothing yet.
    package init() {}

    /// The version of a file that stands for it while it cannot be used.
    ///
    /// - Parameters:
    ///   - path: the path of the file beneath the root.
    ///   - copy: the digest of its newest good copy; `nil` where there is none.
    /// - Returns: `nil` where nothing is remembered, or the copy is as new.
    func version(of path: String, beside copy: Digest?) -> Version? {
        versions.withLock { $0[Key(path)] }.flatMap { $0.isNewer(than: copy) ? $0 : nil }
    }

    /// Remembers what a look found, and forgets what has been recorded, mended or removed.
    ///
    /// Complexity: O(files).
    func learn(_ scans: [DirectoryScan]) {
        versions.withLock { known in
            var next: [Key: Version] = [:]
            for scan in scans {
                for file in scan.sorted {
                    let copy = file.unrecordedBytes == nil && known.isEmpty ? nil : scan.store.newest(file.name)
                    if let policy = file.current {
                        guard let bytes = file.unrecordedBytes else { continue }
                        next[Key(file.path)] = Version(policy: policy, bytes: bytes, copy: copy)
                    } else if let version = known[Key(file.path)], version.isNewer(than: copy) {
                        next[Key(file.path)] = version
                    }
                }
            }
            known = next
        }
    }

    /// Whether a compiled table says all that is remembered; what it knows better is forgotten.
    package func yields(to table: CompiledTable) -> Bool {
        versions.withLock { known in
            if known.isEmpty { return true }
            guard let broken = try? table.broken() else { return false }
            let copies = Dictionary(broken.map { ($0.path, $0.copy) }) { first, _ in first }
            known = known.filter { path, version in copies[path].map { version.isNewer(than: $0) } ?? false }
            return known.isEmpty
        }
    }
}
