import Platform
import PropertyList

/// What a writer found under the lock.
struct FoundDomain {
    /// A damaged file.
    struct Damage {
        /// The file's own path, under the root.
        let path: String
        /// What is wrong with it.
        let error: PropertyListError
    }

    /// The file to write, under the root; a link's target where a link stands in the domain's place.
    let target: String
    /// The state of every file that was looked at, by its own path; `nil` where there is none.
    let states: [(path: String, status: FileStatus?)]
    /// The domain as it is stored, or `nil` where there is no file or a damaged one.
    let domain: StoredDomain?
    /// The damaged file, or `nil`.
    let damage: Damage?
}
