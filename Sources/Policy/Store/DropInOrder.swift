import PropertyList

/// Merges both directories into one list of files in order of application.
struct DropInOrder: Sendable {
    /// The files that take part.
    private(set) var files: [LoadedFile] = []
    /// The files that are switched off or replaced.
    private(set) var replaced: [LoadedFile] = []
    /// The same, and the links that switch off, with why.
    private(set) var ignored: [IgnoredFile] = []

    /// Applies the rules of design.md for names that both directories have.
    ///
    /// A link to `/dev/null` in `/etc` switches the `/run` file off. Otherwise what `/run` has, a file or such a link,
    /// replaces the `/etc` file; a file only if something of it is in force.
    init(etc: DirectoryScan, run: DirectoryScan) {
        if run.files.isEmpty, etc.masks.isEmpty, run.masks.isEmpty {
            files = etc.sorted
            return
        }
        let names = Set(etc.files.keys).union(run.files.keys).union(etc.masks).union(run.masks)
        for name in names.sorted() {
            let (below, above) = (etc.files[name], run.files[name])
            if etc.masks.contains(name) {
                if let above { ignore(above, "is switched off by the link \(PolicyPlace.etc.path(name.string))") }
                note(name, .etc, switchesOff: above)
            } else if run.masks.contains(name) {
                if let below { ignore(below, "is switched off by the link \(PolicyPlace.run.path(name.string))") }
                note(name, .run, switchesOff: below)
            } else if let above, above.policy != nil || above.isLost || below == nil {
                files.append(above)
                if let below { ignore(below, "is replaced by \(above.path)") }
            } else {
                if let below { files.append(below) }
                // It forces nothing, and stays in the list so that every command says so.
                if let above { files.append(above) }
            }
        }
    }

    /// Lists a file that takes no part.
    private mutating func ignore(_ file: LoadedFile, _ reason: String) {
        replaced.append(file)
        ignored.append(
            IgnoredFile(path: file.path, reason: reason, isPolicy: true, isEnforced: file.policy?.enforced))
    }

    /// Lists the link that switches a file off, or that has no file to switch off.
    private mutating func note(_ name: Key, _ place: PolicyPlace, switchesOff file: LoadedFile?) {
        let other = (place == .etc ? PolicyPlace.run : .etc).path(name.string)
        let reason = "is a link to /dev/null" + (file == nil ? "; there is no \(other) to switch off" : "")
        ignored.append(IgnoredFile(path: place.path(name.string), reason: reason, isPolicy: true))
    }
}
