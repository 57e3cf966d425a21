import Platform
import Policy
import Preferences
import PropertyList

/// Which keys the manifests of a machine call sensitive, asked where a value is about to be recorded.
///
/// Lookups never ask. A process asks for each key once, until something in the directory of the manifests changes.
enum ManifestSecrecy {
    /// What is known of one machine.
    private struct Known {
        /// The directory as it was.
        var directory: FileStatus
        /// The answers.
        var answers: [Key: [Key: Bool]] = [:]
    }

    /// What is known, by the path of the root.
    private static let known = Guarded<[Key: Known]>([:])

    /// Whether manifests call a key sensitive in one of some domains; what nobody can tell counts as sensitive.
    static func isSensitive(_ key: Key, in domains: [Key], root: Root) -> Bool {
        let directory: FileStatus
        do throws(SystemError) {
            directory = try root.status(ManifestSet.directory, followingLinks: true)
        } catch {
            return !error.isMissing
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
