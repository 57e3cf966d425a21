/// A policy file of one of the two directories, as it was found.
///
/// A class, so that whoever picks files out copies one reference and not a score of fields.
package final class LoadedFile: Sendable {
    /// What of a file is in force; the raw value is what `policy list --json` prints as `inForce`.
    package enum Source: String, Sendable, Hashable {
        /// The file as it is now.
        case current
        /// The last good copy, because the file cannot be used as it is now, or a version that a rollback puts back.
        case lastGood = "last good"
        /// Nothing: the file cannot be used, and there is no copy of it.
        case none = "no"
    }

    /// The path beneath the root.
    package let path: String
    /// What of it is in force.
    package let source: Source
    /// The policy that is in force; `nil` where nothing is.
    package let policy: PolicyFile?
    /// Whether the file as it is now belongs to root alone.
    package let trusted: Bool
    /// Whether the file as it is now could be read and parsed.
    package let valid: Bool
    /// Who signed the file, as far as that is known.
    package let signature: SignatureState
    /// Where the name leads that is a link; `nil` for a file.
    package let linkTarget: String?
    /// Whether something of it was in force of which nothing is left that can be used, so that nobody knows what it forces.
    package let isLost: Bool
    /// Whether a good copy of what is in force is stored.
    package let isRecorded: Bool
    /// The generation that what is in force is of, because the rollback to it is not over and something else, or nothing,
    /// lies in the directory; `nil` for any other file.
    package let generation: Int?
    /// Why it cannot be told whether it counts; `nil` where it does.
    package let doubt: FileDoubt?
    /// Who may do what with the file as it is now, as the kernel has it; `nil` where it could not be read.
    let mode: UInt32?
    /// What is wrong with the file as it is now.
    package let diagnostics: [Diagnostic]

    /// Whether a compiled table may speak for the file, because nothing but a change of it changes what is in force of it.
    ///
    /// A file that is broken stays so until it is changed; one whose signature is missing or wrong may be mended without.
    var isStill: Bool {
        if source == .current {
            return valid && trusted && isRecorded && diagnostics.allSatisfy { $0.severity == .warning }
        }
        if case .refused = signature { return false }
        return trusted && !isLost
    }

    /// Makes a loaded file.
    package init(
        path: String, source: Source, policy: PolicyFile?, trusted: Bool, valid: Bool,
        signature: SignatureState = .none, linkTarget: String? = nil, isLost: Bool = false,
        isRecorded: Bool, generation: Int? = nil, doubt: FileDoubt? = nil, mode: UInt32? = nil,
        diagnostics: [Diagnostic]
    ) {
        self.path = path
        self.source = source
        self.policy = policy
        self.trusted = trusted
        self.valid = valid
        self.signature = signature
        self.linkTarget = linkTarget
        self.isLost = isLost
        self.isRecorded = isRecorded
        self.generation = generation
        self.doubt = doubt
        self.mode = mode
        self.diagnostics = diagnostics
    }
}
