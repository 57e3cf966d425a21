import Platform
import PropertyList

/// What is found of a policy file, while it is being looked at.
struct FileLook: Sendable {
    /// Which directory.
    let place: PolicyPlace
    /// The name in it.
    let name: Key
    /// The path beneath the root.
    let path: String
    /// The path as people are shown it.
    let shown: String
    /// Where the name leads that is a link; `nil` for a file.
    var linkTarget: String?
    /// Whether it belongs to root alone, as far as could be told.
    var trusted = true
    /// The policy as the file has it now; `nil` where it cannot be used.
    var current: PolicyFile?
    /// The bytes of what is in force of it, where they have no copy.
    var unrecordedBytes: [UInt8]?
    /// What the kernel said of it before and after it was read; `nil` where it could not be.
    var status: FileStatus?
    /// The digest of its bytes; `nil` where it could not be read.
    var digest: Digest?
    /// Who signed it, as far as that is known.
    var signature = SignatureState.none
    /// Whether its signature could not be looked at, rather than found to be wrong.
    var isSignatureUnknown = false
    /// Whether something of it was in force of which nothing is left that can be used.
    var isLost = false
    /// What is to be recorded of its signature.
    var verification: Verification?
    /// The policy of the last good copy, read only where the file cannot be used.
    var lastGood: PolicyFile?
    /// What is wrong with the file.
    var diagnostics: [Diagnostic] = []

    /// Makes a file that was not read yet.
    init(place: PolicyPlace, name: Key, root: Root) {
        self.place = place
        self.name = name
        path = place.path(name.string)
        shown = root.display(path)
    }

    /// The policy that is in force, if any.
    var policy: PolicyFile? { current ?? lastGood }
}
