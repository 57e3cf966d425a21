import MDPlatform
import MDPolicyCore
import MDPolicyStore
import MDPropertyList

/// Which keys the manifests of a machine call sensitive, asked before a value is recorded.
///
/// Lookups never ask. The compiled table has the answer, so that no manifest is read; without a table that agrees with
/// the manifests, a process reads them for each key once, until something in their directory changes.
enum ManifestSecrecy {
    /// What is known of one machine.
    private struct Known {
        /// The directory as it was.
        var directory: FileStatus
        /// The answers.
        var answers: [Key: [Key: Bool]] = [:]
    }

    /// What is known, by the path of the root.
    private static let known = Guarded<[Key: Known]>(resettable: [:])

    /// The directory of the manifests of a machine.
    enum Directory: Hashable, Sendable {
        /// There is none, so no key is sensitive by a manifest.
        case missing
        /// It is there.
        case present(FileStatus)
        /// Whether there is one is unknown.
        case unknown

        /// Looks for the directory.
        init(of root: Root) {
            do throws(SystemError) {
                self = .present(try root.status(ManifestSet.directory, followingLinks: true))
            } catch {
                self = error.isMissing ? .missing : .unknown
            }
        }
    }

    /// Whether manifests call a key sensitive in one of some domains; unknown counts as sensitive.
    static func isSensitive(_ key: Key, in domains: [Key], root: Root) -> Bool {
        let directory: FileStatus
        switch Directory(of: root) {
        case .missing: return false
        case .unknown: return true
        case .present(let status): directory = status
        }
        if let secrets = CompiledTable.manifestSecrets(root: root) {
            return domains.contains { secrets.contains(key, of: $0) }
        }
        return domains.contains { domain in
            let place = Key(root.path)
            let answer = known.withLock { known in
                known[place]?.directory == directory ? known[place]?.answers[domain]?[key] : nil
            }
            if let answer { return answer }
            let found = ManifestSet(root: root, of: [domain]).isSensitive(domain: domain, key: key)
            known.withLock { known in
                if known[place]?.directory != directory { known[place] = Known(directory: directory) }
                known[place]?.answers[domain, default: [:]][key] = found
            }
            return found
        }
    }
}
