import Platform
import PropertyList

/// A policy file as one of the two directories has it, before the other directory is looked at.
///
/// A class, so that whoever sorts and compares what was found copies one reference and not a score of fields.
final class ScannedFile: Sendable {
    /// What was found.
    private let look: FileLook

    /// Takes over what was found.
    init(_ look: FileLook) { self.look = look }

    /// Which directory.
    var place: PolicyPlace { look.place }
    /// The name in it.
    var name: Key { look.name }
    /// The path beneath the root.
    var path: String { look.path }
    /// Where the name leads that is a link; `nil` for a file.
    var linkTarget: String? { look.linkTarget }
    /// Whether it belongs to root alone, as far as could be told.
    var trusted: Bool { look.trusted }
    /// The policy as the file has it now; `nil` where it cannot be used.
    var current: PolicyFile? { look.current }
    /// The bytes of what is in force of it, where they have no copy.
    var unrecordedBytes: [UInt8]? { look.unrecordedBytes }
    /// What the kernel said of it before and after it was read; `nil` where it could not be.
    var status: FileStatus? { look.status }
    /// The digest of its bytes; `nil` where it could not be read.
    var digest: Digest? { look.digest }
    /// Who signed it, as far as that is known.
    var signature: SignatureState { look.signature }
    /// Whether something of it was in force of which nothing is left that can be used.
    var isLost: Bool { look.isLost }
    /// What is to be recorded of its signature.
    var verification: Verification? { look.verification }
    /// The policy of the last good copy, read only where the file cannot be used.
    var lastGood: PolicyFile? { look.lastGood }
    /// What is wrong with the file.
    var diagnostics: [Diagnostic] { look.diagnostics }
    /// The policy that is in force, if any.
    var policy: PolicyFile? { look.policy }

    /// What of the file is in force.
    var source: LoadedFile.Source { current != nil ? .current : lastGood != nil ? .lastGood : .none }

    /// The file as a policy set has it.
    ///
    /// - Parameters:
    ///   - isCopied: whether what is in force of it was copied after the look.
    ///   - generation: the generation that it is of, where something else lies in the directory.
    ///   - doubt: why it cannot be told whether it counts.
    /// - Returns: the file.
    func loaded(isCopied: Bool, generation: Int?, doubt: FileDoubt?) -> LoadedFile {
        let generation = current == nil ? nil : generation
        return LoadedFile(
            path: path, source: generation == nil ? source : .lastGood, policy: policy, trusted: trusted,
            valid: current != nil, signature: signature, linkTarget: linkTarget, isLost: isLost,
            // What a generation keeps outlasts whatever becomes of the file.
            isRecorded: policy != nil && (isCopied || unrecordedBytes == nil || generation != nil),
            generation: generation, doubt: doubt, mode: status?.mode, diagnostics: diagnostics)
    }
}
