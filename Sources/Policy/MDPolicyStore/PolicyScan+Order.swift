package import MDPolicyCore
import MDPolicyModel
import MDPropertyList

extension PolicyScan {
    /// The files of both directories in order of application.
    package struct Order: Sendable {
        /// The files that apply.
        package private(set) var files: [PolicyFileState] = []
        /// The files that are switched off or replaced.
        package private(set) var replaced: [PolicyFileState] = []
        /// These files and the links that switch files off, each with the reason.
        package private(set) var ignored: [IgnoredFile] = []

        /// Merges both directories.
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
                    if let above {
                        ignore(above, "is switched off by the link \(PolicyDirectory.etc.path(name.string))")
                    }
                    note(name, .etc, switchesOff: above)
                } else if run.masks.contains(name) {
                    if let below {
                        ignore(below, "is switched off by the link \(PolicyDirectory.run.path(name.string))")
                    }
                    note(name, .run, switchesOff: below)
                } else if let above, above.policy != nil || above.isLost || below == nil {
                    files.append(above)
                    if let below { ignore(below, "is replaced by \(above.path)") }
                } else {
                    if let below { files.append(below) }
                    // It forces nothing, and stays in the list so that every command reports it.
                    if let above { files.append(above) }
                }
            }
        }

        /// Adds a file that does not apply.
        private mutating func ignore(_ file: PolicyFileState, _ reason: String) {
            replaced.append(file)
            ignored.append(
                IgnoredFile(path: file.path, reason: reason, isPolicy: true, isEnforced: file.policy?.enforced))
        }

        /// Adds a link that switches a file off, or that has no file to switch off.
        private mutating func note(_ name: Key, _ place: PolicyDirectory, switchesOff file: PolicyFileState?) {
            let other = (place == .etc ? PolicyDirectory.run : .etc).path(name.string)
            let reason = "is a link to /dev/null" + (file == nil ? "; there is no \(other) to switch off" : "")
            ignored.append(IgnoredFile(path: place.path(name.string), reason: reason, isPolicy: true))
        }
    }
}
