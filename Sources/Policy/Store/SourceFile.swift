import Platform
import PropertyList

/// What lies under one name of a policy directory, by itself.
struct SourceFile: Sendable {
    /// The name.
    let name: Key
    /// The path beneath the root.
    let path: String
    /// The path as people are shown it.
    let shown: String
    /// Where the name leads that is a link; `nil` for a file.
    private(set) var linkTarget: String?
    /// Whether it belongs to root alone, as far as is known.
    private(set) var trusted = true
    /// What it says; `nil` if it cannot be used.
    private(set) var policy: PolicyFile?
    /// Its bytes, which become its copy.
    private(set) var bytes: [UInt8] = []
    /// The digest of its bytes; `nil` if it could not be read.
    private(set) var digest: Digest?
    /// What the kernel said of it before and after it was read; `nil` if it could not be.
    private(set) var status: FileStatus?
    /// Who signed it, as far as is known.
    private(set) var signature = SignatureState.none
    /// What is to be recorded of its signature.
    private(set) var verification: Verification?
    /// What the process or the machine lacks to read it, so that nothing of it is known.
    private(set) var shortage: SystemError?
    /// What is wrong with it.
    private(set) var diagnostics: [Diagnostic] = []

    /// Whether it is a link to `/dev/null`, a good file that says nothing.
    var isMask: Bool { linkTarget == "/dev/null" }

    /// Whether it could not be found out whether it is signed as it must be.
    private(set) var isUnchecked = false

    /// Reads a name of a directory, whatever other names hold: any thread may do that.
    init(_ name: String, in directory: TrustedDirectory, place: PolicyPlace, root: Root) {
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

    /// Takes over what was read.
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

    /// Says why it could not be read.
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

    /// Takes over what was found out about its signature; one that is refused takes the file out of force.
    mutating func judge(_ finding: SignatureCheck.Finding) {
        (signature, verification) = (finding.state, finding.verification)
        guard case .refused(let reason) = finding.state else { return }
        policy = nil
        isUnchecked = finding.isUnknown
        let code: LintCode =
            finding.isUnknown ? .signatureUnknown : finding.isUnsigned ? .unsigned : .badSignature
        diagnostics.append(
            Diagnostic(
                file: shown, code: code, message: "the file is not obeyed, because \(Printable.escape(reason))"))
    }

    /// The same without its bytes, which only a writer needs.
    var withoutBytes: SourceFile {
        var file = self
        file.bytes = []
        return file
    }
}

extension Diagnostic {
    /// A sentence without its full stop, as findings are.
    static func clause(_ sentence: String) -> String {
        sentence.utf8.last == UInt8(ascii: ".") ? String(sentence.dropLast()) : sentence
    }
}
