extension PolicyStore {
    /// The folders, under the root, whose changes may change policy: those of the policy files, and the ones above them,
    /// which hold the tags and in which the former appear.
    package static var watchedFolders: [String] {
        PolicyPlace.allCases.flatMap { [$0.home, $0.directory] }
    }
}
