import Platform
import PropertyList

/// What policy remembers from one process to the next: a cache that may be thrown away at any time.
struct PolicyTable: Hashable, Sendable {
    /// A policy file as it was recorded.
    struct Record: Hashable, Sendable {
        /// What of it was in force; `nil` for a file that took no part, because another one replaced it.
        var source: LoadedFile.Source?
        /// The digest of what was in force; `nil` where nothing was.
        var inForce: Digest?
    }

    /// A place and a name.
    struct FileName: Hashable, Sendable, Comparable {
        /// Which of the two directories.
        let place: PolicyPlace
        /// The name in it.
        let name: Key

        /// Feeds the name, and whether it is one of `/etc`, into the hasher.
        func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(place == .etc)
        }

        /// Orders by name, then by place.
        static func < (left: FileName, right: FileName) -> Bool {
            left.name == right.name ? left.place.rawValue < right.place.rawValue : left.name < right.name
        }
    }

    /// The folder that the table lies in, of this machine; `nil` for one of a folder that stands for a machine.
    var home: StoreHome?
    /// Whether it was written in a user namespace, as in a container, so that its ids are others outside.
    var isMapped = false
    /// The name of the host when the table was written.
    var host: String?
    /// The words of the tags file; `nil` where it could not be read and none were recorded before.
    var tags: Set<Key>?
    /// The digests of the files of time zones that windows have; the machine's own zone stands under an empty name.
    var zones: [Key: Digest] = [:]
    /// The ids of the names in targets, those that somebody could tell.
    var names = NameTable()
    /// A rollback that is not over.
    struct Rollback: Hashable, Sendable {
        /// The generation that stands for the administrator's directory until then.
        let target: Int
        /// The generation of what lay there when it began.
        let origin: Int
    }

    /// The rollback that is not over, if there is one.
    var rollback: Rollback?
    /// The digests of what says whom the machine trusts to sign.
    var trust: [SignatureVerifier: Digest] = [:]
    /// Whose signatures of what were found to be good, by the digest of the content.
    var verified: [Digest: Verification] = [:]
    /// The policy files.
    var files: [FileName: Record] = [:]
}
