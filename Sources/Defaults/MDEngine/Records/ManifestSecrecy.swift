import MDPlatform
import MDPolicyCore
import MDPolicyStore
import MDPropertyList

/// Which keys the manifests of a machine call sensitive, asked before a value is recorded.
///
/// Lookups never ask. The compiled table has the answer, so that no manifest is read; without a table that agrees with
/// the manifests, a process reads them for each key once, until something in their directories changes.
enum ManifestSecrecy {
    /// What is known of one machine.
    private struct Known {
        /// The directories as they were.
        var directories: Directories
        /// The answers.
        var answers: [Key: [Key: Bool]] = [:]
    }

    /// What is known, by the path of the root.
    private static let known = Guarded<[Key: Known]>(resettable: [:])

    /// The directories of the manifests of a machine.
    enum Directories: Hashable, Sendable {
        /// There is none, so no key is sensitive by a manifest.
        case missing
        /// One is there, or both.
        case present([FileStatus?])
        /// Whether there is one is unknown.
        case unknown

        /// Looks for the directories.
        init(of root: Root) {
            var found: [FileStatus?] = []
            for path in ManifestSet.directories {
                do throws(SystemError) {
                    found.append(try root.status(path, followingLinks: true))
                } catch {
                    guard error.isMissing else {
                        self = .unknown
                        return
                    }
                    found.append(nil)
                }
            }
            self = found.contains { $0 != nil } ? .present(found) : .missing
        }
    }

    /// Whether manifests call a key sensitive in one of some domains; unknown counts as sensitive.
    static func isSensitive(_ key: Key, in domains: [Key], root: Root) -> Bool {
        let directories = Directories(of: root)
        switch directories {
        case .missing: return false
        case .unknown: return true
        case .present: break
        }
        if let secrets = CompiledTable.manifestSecrets(root: root) {
            return domains.contains { secrets.contains(key, of: $0) }
        }
        return domains.contains { domain in
            let place = Key(root.path)
            let answer = known.withLock { known in
                known[place]?.directories == directories ? known[place]?.answers[domain]?[key] : nil
            }
            if let answer { return answer }
            let found = ManifestSet(root: root, of: [domain]).isSensitive(domain: domain, key: key)
            known.withLock { known in
                if known[place]?.directories != directories { known[place] = Known(directories: directories) }
                known[place]?.answers[domain, default: [:]][key] = found
            }
            return found
        }
    }
}
