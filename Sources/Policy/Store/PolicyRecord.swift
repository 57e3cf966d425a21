import Platform
import PropertyList

/// What the recording verbs remember of policy: the only memory of what was in force.
///
/// The copies beside it hold the bytes, each under its digest.
struct PolicyRecord: Hashable, Sendable {
    /// What is remembered of one name in a policy directory.
    struct Entry: Hashable, Sendable {
        /// What the name was when it was recorded; the raw value is the word in the file.
        enum State: String, Sendable {
            /// A good file, in force as it was.
            case current
            /// A file that could not be used, so that an earlier copy of it was in force.
            case lastGood = "last-good"
            /// A file that was never good.
            case none
            /// A link to `/dev/null`, which is a good file that says nothing.
            case mask
        }

        /// What the name was.
        var state: State
        /// The digest of the copy that was in force; `nil` if there was none.
        var digest: Digest?
    }

    /// A place and a name.
    struct FileName: Hashable, Sendable, Comparable {
        /// Which of the two directories.
        let place: PolicyPlace
        /// The name in it.
        let name: Key

        /// The path beneath the root.
        var path: String { place.path(name.string) }

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

    /// The name of the host when the record was written.
    var host: String?
    /// The words of the tags file; `nil` if it could not be read and none were recorded before.
    var tags: Set<Key>?
    /// The boot that the entries of `/run` hold for.
    var boot: String?
    /// The ids of the names in targets, as far as they have one.
    var names = NameTable()
    /// The digests of what says whom the machine trusts to sign.
    var trust: [SignatureVerifier: Digest] = [:]
    /// Whose signatures of what were found to be good, by the digest of the content.
    var verified: [Digest: Verification] = [:]
    /// The names of both directories.
    var files: [FileName: Entry] = [:]

    /// The entries of a directory that still hold: those of `/run` end with the boot in which they were recorded.
    ///
    /// An unknown boot ends nothing.
    func entries(of place: PolicyPlace, boot: String?) -> [Key: Entry] {
        if place == .run, let boot, let recorded = self.boot, boot != recorded { return [:] }
        var entries: [Key: Entry] = [:]
        for (file, entry) in files where file.place == place { entries[file.name] = entry }
        return entries
    }

    /// The digests of all copies that it speaks of.
    var digests: Set<Digest> { Set(files.values.compactMap(\.digest)) }
}
