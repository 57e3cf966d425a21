import Platform
import PropertyList

/// What may count beside what does, in a user namespace.
extension PolicyPass {
    /// The files in order of application, and why it cannot be told whether one counts.
    ///
    /// In a user namespace these are those that were recorded and those that the directories have. Each is what somebody
    /// may have put in the place of the other.
    var standing: [(file: ScannedFile, doubt: FileDoubt?)] {
        guard let etcSeen = etc.seen, let runSeen = run.seen else { return order.files.map { ($0, nil) } }
        /// What a directory shows.
        func seen(_ file: ScannedFile) -> SeenFolder { file.place == .etc ? etcSeen : runSeen }
        /// Why a file that was read may not count.
        func doubt(_ file: ScannedFile) -> FileDoubt? {
            // Without a record all of it was read from the directories.
            if recorded.bytes == nil { return .unrecorded }
            return seen(file).vouches(for: file) ? nil : .unseen
        }
        var result = order.files.map { ($0, doubt($0)) }
        if recorded.bytes == nil { return result }
        let isRecordOfMachine = Machine.isRecordOfMachine(root: root)
        /// Whether the other directory switches a file off, or has another one in its place, which it must not do alone.
        func isReplaced(_ file: ScannedFile) -> Bool {
            guard isRecordOfMachine else { return false }
            if file.place == .run { return etcSeen.masks.contains(file.name) }
            return runSeen.masks.contains(file.name) || run.files[file.name].map(runSeen.vouches) ?? false
        }
        for (scan, seen) in [(etc, etcSeen), (run, runSeen)] {
            for file in seen.files.values where scan.files[file.name]?.policy?.digest != file.digest {
                if !isReplaced(file) { result.append((file, .unrecorded)) }
            }
        }
        return result.sorted { PolicyPass.key($0) < PolicyPass.key($1) }
    }

    /// What a file is sorted by: its name, its directory, and whether it was recorded.
    private static func key(_ item: (file: ScannedFile, doubt: FileDoubt?)) -> (Key, Int, Int) {
        (item.file.name, item.file.place == .etc ? 0 : 1, item.doubt == .unrecorded ? 1 : 0)
    }
}
