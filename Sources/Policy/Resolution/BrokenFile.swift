package import Platform
package import PropertyList

/// A policy file that cannot be used as it is, and what is in force in its place.
package struct BrokenFile: Hashable, Sendable {
    /// The path beneath the root.
    package let path: Key
    /// The digest of the last good copy that is in force; `nil` where nothing of the file is.
    package let copy: Digest?

    /// Makes a broken file.
    package init(path: Key, copy: Digest?) { (self.path, self.copy) = (path, copy) }
}

extension PolicySet {
    /// The files that cannot be used as they are.
    package var broken: [BrokenFile] {
        files.filter { $0.source != .current && $0.generation == nil }.map {
            BrokenFile(path: Key($0.path), copy: $0.policy?.digest)
        }
    }

    /// Whether something that nobody has recorded stands for a file that cannot be used.
    package var hasUnrecorded: Bool { files.contains { $0.source == .lastGood && !$0.isRecorded } }
}
