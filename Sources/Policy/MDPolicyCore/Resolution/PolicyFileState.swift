package import MDPlatform
import MDPolicyFormats
package import MDPolicyModel
package import MDPropertyList

/// The state of a policy file: the inspection of the file itself, and which version of it is in force.
///
/// A class, so that sorting and filtering files copies one reference instead of many fields.
package final class PolicyFileState: Sendable {
    /// The version of a file that is in force.
    package enum Source: String, Sendable, Hashable {
        /// The file itself.
        case current
        /// The recorded copy, because the file cannot be used.
        case lastGood = "last good"
        /// The recorded copy of a file that is missing, until `policy apply` records the removal.
        case removed
        /// Nothing: the file cannot be used, and it has no recorded copy.
        case notRecorded = "not recorded yet"
        /// Nothing: the file cannot be used, and the policy record says so.
        case none = "no"
    }

    /// The path beneath the root.
    package let path: String
    /// The name in its policy directory.
    package let name: Key
    /// The policy directory; `nil` for a file outside of one.
    package let place: PolicyDirectory?
    /// The version that is in force.
    package let source: Source
    /// The policy that is in force; `nil` if nothing is.
    package let policy: PolicyFile?
    /// Whether a copy of the policy in force is stored.
    package let isRecorded: Bool
    /// Whether the recorded copy cannot be used, so that the forced keys are unknown.
    package let isLost: Bool
    /// Why this engine cannot read the recorded copy; `nil` if it can, or if the copy is lost otherwise.
    package let unread: UnreadPolicy?
    /// The inspection of the file; `nil` if it is missing, or only the policy record counts.
    package let content: PolicyFileInspection?
    /// The findings about the file and its state.
    package let diagnostics: [Diagnostic]

    /// Whether only root can change the file.
    package var trusted: Bool { content?.trusted ?? true }
    /// Whether the file could be read and parsed.
    package var valid: Bool { content.map { $0.policy != nil } ?? (policy != nil) }
    /// The result of checking the file's signature.
    package var signature: SignatureState { content?.signature ?? .none }
    /// The target of a link; `nil` for a file.
    package var linkTarget: String? { content?.linkTarget }
    /// The mode of the file; `nil` if it could not be read.
    package var mode: UInt32? { content?.status?.mode }

    /// Which version is in force, in the words of lists.
    package var inForce: String { isLost ? "unknown" : source.rawValue }

    /// Whether the recorded copy is in force.
    package var isStandIn: Bool { source == .lastGood || source == .removed }

    /// Makes the state of a file that is present in a policy directory.
    package init(
        _ place: PolicyDirectory, _ content: PolicyFileInspection, source: Source, policy: PolicyFile?,
        isRecorded: Bool,
        isLost: Bool = false, unread: UnreadPolicy? = nil, diagnostics: [Diagnostic] = []
    ) {
        (path, name, self.place) = (content.path, content.name, place)
        (self.source, self.policy, self.isRecorded, self.isLost) = (source, policy, isRecorded, isLost)
        (self.content, self.unread) = (content, unread)
        // What another version finds good has no errors.
        let isKnown = unread == nil || content.digest != unread?.digest
        self.diagnostics =
            (isKnown ? content.diagnostics : []) + diagnostics
            + PolicyFileState.consequence(source, PolicyFileState.loss(isLost, unread), shown: content.shown)
    }

    /// Makes the state of a file that only the policy record has.
    package init(
        _ place: PolicyDirectory, name: Key, source: Source, policy: PolicyFile?, isLost: Bool,
        unread: UnreadPolicy? = nil, shown: String, diagnostics: [Diagnostic]
    ) {
        (path, self.name, self.place) = (place.path(name.string), name, place)
        (self.source, self.policy, isRecorded, self.isLost) = (source, policy, true, isLost)
        (content, self.unread) = (nil, unread)
        self.diagnostics =
            diagnostics + PolicyFileState.consequence(source, PolicyFileState.loss(isLost, unread), shown: shown)
    }

    /// Makes the state of a file outside of a policy directory.
    package init(path: String, policy: PolicyFile?, diagnostics: [Diagnostic]) {
        self.path = path
        name = Key(path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path)
        place = nil
        source = policy == nil ? .none : .current
        (self.policy, isRecorded, isLost, content, unread) = (policy, false, false, nil, nil)
        self.diagnostics = diagnostics
    }

    /// Makes the state of a file whose policy says the same in other words.
    package init(_ state: PolicyFileState, policy: PolicyFile) {
        (path, name, place, source) = (state.path, state.name, state.place, state.source)
        (isRecorded, isLost, content, unread) = (state.isRecorded, state.isLost, state.content, state.unread)
        self.policy = policy
        diagnostics = state.diagnostics
    }

    /// Why what the file forces is unknown, as a clause; `nil` if it is known.
    package var loss: String? { PolicyFileState.loss(isLost, unread) }

    private static func loss(_ isLost: Bool, _ unread: UnreadPolicy?) -> String? {
        guard isLost else { return nil }
        return unread?.consequence
            ?? "the copy of what was in force of this file is lost, so what is forced is unknown"
    }

    /// The finding that follows from the state; none if the file itself is in force.
    private static func consequence(_ source: Source, _ loss: String?, shown: String) -> [Diagnostic] {
        if let loss { return [Diagnostic(file: shown, code: .notInForce, message: loss)] }
        return switch source {
        case .current: []
        case .lastGood:
            [
                Diagnostic(
                    file: shown, severity: .warning, code: .lastGood,
                    message: "the last good copy of this file stays in force until the file is mended, or removed and"
                        + " recorded")
            ]
        case .removed:
            [
                Diagnostic(
                    file: shown, severity: .warning, code: .lastGood,
                    message: "this file is not there; what was recorded of it stays in force until policy apply")
            ]
        case .notRecorded, .none:
            [
                Diagnostic(
                    file: shown, code: .notInForce,
                    message: "nothing of this file is in force: it cannot be used, and no copy of it was recorded")
            ]
        }
    }

    /// Whether a compiled table can include the file, because only a change of the file changes its state.
    package var isStill: Bool { !isLost && (source != .current || isRecorded) }
}

/// The inspection of one name of a policy directory.
package struct PolicyFileInspection: Sendable {
    package let name: Key
    /// The path beneath the root.
    package let path: String
    /// The path as printed.
    package let shown: String
    /// The target of a link; `nil` for a file.
    package private(set) var linkTarget: String?
    /// Whether only root can change the file, as far as known.
    package private(set) var trusted = true
    /// The parsed policy; `nil` if the file cannot be used.
    package private(set) var policy: PolicyFile?
    /// The bytes, which are stored as the recorded copy.
    package private(set) var bytes: [UInt8] = []
    /// The digest of the bytes; `nil` if the file could not be read.
    package private(set) var digest: Digest?
    /// The status before and after the file was read, which must be equal; `nil` if it could not be read.
    package private(set) var status: FileStatus?
    /// The result of checking the signature, as far as known.
    package private(set) var signature = SignatureState.none
    /// The successful check of the signature, to be recorded.
    package private(set) var verification: Verification?
    /// The shortage of the process or the machine that prevented reading, so that nothing of the file is known.
    package private(set) var shortage: SystemError?
    /// The findings about the file.
    package private(set) var diagnostics: [Diagnostic] = []

    /// Whether it is a link to `/dev/null`, a valid file without content.
    package var isMask: Bool { linkTarget == "/dev/null" }

    /// Whether the check of its signature could not be done.
    package private(set) var isUnchecked = false

    /// Reads one name of a directory, independently of other names, from any thread.
    package init(_ name: String, in directory: TrustedDirectory, place: PolicyDirectory, root: Root) {
        self.name = Key(name)
        path = place.path(name)
        shown = root.display(path)
        do {
            let content: TrustedFile
            if let own = try directory.readUnlinked(name, limit: PolicyFile.limits.bytes) {
                content = own
            } else {
                linkTarget = try directory.linkTarget(name)
                if isMask { return }
                content = try directory.read(name, limit: PolicyFile.limits.bytes)
            }
            parse(content)
        } catch {
            fail(error)
        }
    }

    /// Parses the bytes that were read.
    private mutating func parse(_ content: TrustedFile) {
        let digest = SHA256.hash(content.bytes)
        let parsed = PolicyFile.parse(bytes: content.bytes, path: path, shownPath: shown, digest: digest)
        (status, bytes, self.digest, policy) = (content.status, content.bytes, digest, parsed.file)
        diagnostics = parsed.diagnostics
        for warning in content.warnings {
            diagnostics.append(
                Diagnostic(
                    file: shown, severity: .warning, code: .groupWritable, message: Diagnostic.clause(warning)))
        }
    }

    /// Adds the finding about a file that could not be read.
    private mutating func fail(_ error: TrustError) {
        var code = LintCode.unreadable
        var message = error.description
        switch error {
        case .untrusted(let path, let reason):
            (trusted, code) = (false, .untrusted)
            if Key(path) == Key(shown) { message = "the file is not trusted: it \(Printable.escape(reason))" }
        case .system(let cause):
            if cause.isTooLarge { code = .tooLarge }
            if cause.isShortage { shortage = cause }
            if Key(cause.path) == Key(shown) { message = "the file cannot be read: \(Printable.escape(cause.text))" }
        }
        diagnostics.append(Diagnostic(file: shown, code: code, message: message))
    }

    /// Adds the result of checking the signature; a refused file is not in force.
    package mutating func judge(_ finding: SignatureFinding) {
        (signature, verification) = (finding.state, finding.verification)
        guard let reason = finding.refusal else { return }
        (policy, isUnchecked) = (nil, finding.code == .signatureUnknown)
        let remedy = finding.code == .oldVersion ? "; mdefaults policy rollback goes back to an older one" : ""
        diagnostics.append(
            Diagnostic(
                file: shown, position: finding.position, code: finding.code,
                message: "the file is not obeyed, because \(Printable.escape(reason))\(remedy)"))
    }

    /// The inspection without the bytes, which only a recording verb needs.
    package var withoutBytes: PolicyFileInspection {
        var file = self
        file.bytes = []
        return file
    }
}
