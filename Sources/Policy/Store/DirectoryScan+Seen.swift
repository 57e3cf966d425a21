import Platform
import PropertyList

/// What a directory itself shows in a user namespace, where what was recorded is in force.
extension DirectoryScan {
    /// Looks at the directory, beside what was recorded of it.
    ///
    /// What it shows and cannot be used is what the record says, or else nobody knows what it is; and a user may have
    /// brought a record of his own.
    mutating func see(_ root: Root) {
        var seen = SeenFolder()
        var obstacle: String?
        do throws(TrustError) {
            let (folder, names) = try SourceFolder.list(place, root: root).get()
            for name in names where PolicyFileName.signed(name) == nil && PolicyFileName.reasonToIgnore(name) == nil {
                switch look(at: name, in: folder, thorough: false) {
                case .usable(let file): seen.files[file.name] = file
                case .mask(let name): seen.masks.insert(name)
                case .unusable(let file, let failure):
                    if failure != nil || file.digest != nil || !file.trusted {
                        obstacle = "\(file.path) cannot be used"
                    }
                    // What was never in force and cannot be read may have been saved a moment ago.
                    let isKnown = wasInForce(PolicyTable.FileName(place: place, name: file.name)) || isJudged(file)
                    if case .system(let error) = failure, !isKnown { uncertainty = uncertainty ?? error.description }
                }
            }
        } catch {
            if !error.isMissing { obstacle = error.description }
        }
        self.seen = seen
        guard let obstacle, !Machine.isRecordOfMachine(root: root) else { return }
        isObscured = true
        uncertainty = uncertainty ?? "\(obstacle), and in this user namespace \(StorePath.record) may be another one"
    }
}
