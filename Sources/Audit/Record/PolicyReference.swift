package import Platform

/// Which policy a record speaks of (`policy`): the file, the line and the content at that moment.
package struct PolicyReference: Hashable, Sendable {
    /// The policy identifier, if it is known (`id`).
    package var id: String?
    /// The path of the policy file (`file`).
    package var file: String?
    /// The line of the entry, counted from 1 (`line`).
    package var line: Int?
    /// The digest of the policy file's bytes (`sha256`).
    package var sha256: Digest?

    /// Makes a reference of what is known.
    package init(id: String? = nil, file: String? = nil, line: Int? = nil, sha256: Digest? = nil) {
        self.id = id
        self.file = file
        self.line = line
        self.sha256 = sha256
    }
}
