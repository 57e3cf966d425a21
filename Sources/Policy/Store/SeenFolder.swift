import PropertyList

/// What a directory of policy shows a process in a user namespace, beside what was recorded of it.
struct SeenFolder: Sendable {
    /// The files that can be used, by name.
    var files: [Key: ScannedFile] = [:]
    /// The names that are links to `/dev/null`.
    var masks: Set<Key> = []

    /// Whether it has a file as it is in force.
    func vouches(for file: ScannedFile) -> Bool {
        guard let digest = file.policy?.digest else { return false }
        return files[file.name]?.digest == digest
    }
}
