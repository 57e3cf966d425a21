import PropertyList

/// Merges both directories into one list of files in order of application.
struct DropInOrder: Sendable {
    /// The files that take part.
    private(set) var files: [ScannedFile] = []
    /// The files that are switched off or replaced, with why.
    private(set) var ignored: [IgnoredFile] = []

    /// Applies the rules of design.md for names that stand in both directories.
    ///
    /// A link to `/dev/null` in `/etc` switches the `/run` file off. Otherwise what lies in `/run`, a file or such a
    /// link, replaces the `/etc` file; a file only where it is, or once was, good.
    init(etc: DirectoryScan, run: DirectoryScan) {
        if run.files.isEmpty, etc.masks.isEmpty, run.masks.isEmpty {
            files = etc.sorted
            return
        }
        for name in DropInOrder.names(etc, run) {
            let (below, above) = (etc.files[name], run.files[name])
            if etc.masks.contains(name) {
                if let above { ignore(above, "is switched off by the link \(PolicyPlace.etc.path(name.string))") }
                note(name, .etc, switchesOff: above)
            } else if run.masks.contains(name) {
                if let below { ignore(below, "is switched off by the link \(PolicyPlace.run.path(name.string))") }
                note(name, .run, switchesOff: below)
            } else if let above, above.policy != nil || below == nil {
                files.append(above)
                if let below { ignore(below, "is replaced by \(above.path)") }
            } else {
                if let below { files.append(below) }
                // It forces nothing, and stays in the list so that every command says so.
                if let above { files.append(above) }
            }
        }
    }

    /// Every name of both directories, in byte order.
    private static func names(_ etc: DirectoryScan, _ run: DirectoryScan) -> [Key] {
        Set(etc.files.keys).union(run.files.keys).union(etc.masks).union(run.masks).sorted()
    }

    /// Lists a file that takes no part.
    private mutating func ignore(_ file: ScannedFile, _ reason: String) {
        ignored.append(
            IgnoredFile(path: file.path, reason: reason, isPolicy: true, isEnforced: file.policy?.enforced))
    }

    /// Lists the link that switches a file off, or that no file is left for.
    private mutating func note(_ name: Key, _ place: PolicyPlace, switchesOff file: ScannedFile?) {
        let other = (place == .etc ? PolicyPlace.run : .etc).path(name.string)
        let reason = "is a link to /dev/null" + (file == nil ? "; there is no \(other) to switch off" : "")
        ignored.append(IgnoredFile(path: place.path(name.string), reason: reason, isPolicy: true))
    }
}
