import Platform
import PropertyList

/// A tool of the system that says whether somebody whom the machine trusts signed some bytes.
///
/// Nothing here is cryptography: a fixed program is run, with a fixed environment and for a bounded time. It gets the
/// very bytes that were read, so that nobody can put others in their place between the check and the use.
enum SignatureVerifier: String, Hashable, Sendable, CaseIterable {
    /// `ssh-keygen -Y verify`: a signature in a file beside the policy file.
    case ssh
    /// `openssl cms -verify`: an Apple profile that is a signed message itself.
    case cms

    /// What says whom the machine trusts.
    var trustPath: String {
        switch self {
        case .ssh: "/etc/managed-defaults/trusted-signers"
        case .cms: "/etc/managed-defaults/trusted-anchors.pem"
        }
    }

    /// The program.
    var program: String {
        switch self {
        case .ssh: "/usr/bin/ssh-keygen"
        case .cms: "/usr/bin/openssl"
        }
    }

    /// What `ssh-keygen -Y sign -n` must have been given: a signature for another purpose is none for policy.
    static let namespace = "managed-defaults"
    /// How long the program may take, in milliseconds.
    private static let patience = 5_000
    /// The most signers of one key that are tried.
    private static let signerLimit = 16

    /// Why a signature does not count.
    struct Refusal: Error {
        /// Why, as a clause.
        let reason: String
        /// Whether the tool could not be asked, so that nothing is known of the signature.
        var isUnknown = false
    }

    /// Asks the tool.
    ///
    /// - Parameters:
    ///   - bytes: what is signed; for ``cms`` the whole message.
    ///   - signature: the signature; nothing for ``cms``.
    ///   - trust: what says whom the machine trusts.
    /// - Returns: the signer's name, as the tool or the list of signers has it.
    /// - Throws: why the signature does not count.
    func signer(of bytes: [UInt8], signature: [UInt8], trust: [UInt8]) throws(Refusal) -> String {
        switch self {
        case .ssh: try sshSigner(of: bytes, signature: signature, trust: trust)
        case .cms: try cmsSigner(of: bytes, trust: trust)
        }
    }

    /// Runs the program.
    private func run(
        _ arguments: [String], input: [UInt8] = [], files: [[UInt8]], limit: Int = 65_536
    ) throws(Refusal) -> SubprocessResult {
        do throws(SystemError) {
            let result = try Subprocess.run(
                program, arguments, input: input, files: files, timeoutMilliseconds: SignatureVerifier.patience,
                limit: limit)
            // Where nobody can know how it ended, it did not say yes.
            guard result.status != nil else { throw SystemError(operation: "run", path: program, code: 10) }
            return result
        } catch {
            throw Refusal(reason: "the signature could not be checked: \(error)", isUnknown: true)
        }
    }

    /// Finds out whose key made the signature, then whether it made it of these bytes for this purpose.
    private func sshSigner(of bytes: [UInt8], signature: [UInt8], trust: [UInt8]) throws(Refusal) -> String {
        let (signers, sig) = (Subprocess.filePath(0), Subprocess.filePath(1))
        let files = [trust, signature]
        let found = try run(["-Y", "find-principals", "-s", sig, "-f", signers], files: files)
        let names = SignatureVerifier.names(in: found.output).prefix(SignatureVerifier.signerLimit)
        guard found.status == 0, !names.isEmpty else {
            throw Refusal(reason: "nobody in \(trustPath) has the key that signed it")
        }
        for name in names {
            let verify = ["-Y", "verify", "-f", signers, "-I", name, "-n", SignatureVerifier.namespace, "-s", sig]
            if try run(verify, input: bytes, files: files).status == 0 { return name }
        }
        throw Refusal(
            reason: "its signature does not match its content, or is not meant for \(SignatureVerifier.namespace)")
    }

    /// The names of signers that the tool found: of each line of the list, the first name that is not excluded.
    private static func names(in output: [UInt8]) -> [String] {
        output.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).compactMap { line in
            let names = line.split(separator: UInt8(ascii: ",")).filter { $0.first != UInt8(ascii: "!") }
            return names.first.flatMap { String(validating: $0, as: UTF8.self) }
        }
    }

    /// Has the message verified, and holds what the tool took for its content to what is read as policy.
    private func cmsSigner(of bytes: [UInt8], trust: [UInt8]) throws(Refusal) -> String {
        let (message, anchors) = (Subprocess.filePath(0), Subprocess.filePath(1))
        let format = bytes.first == UInt8(ascii: "-") ? "PEM" : "DER"
        let input = ["cms", "-verify", "-inform", format, "-in", message, "-binary"]
        let files = [bytes, trust]
        let result = try run(
            input + ["-CAfile", anchors, "-no-CApath", "-no-CAstore", "-purpose", "any"], files: files,
            limit: PolicyFile.limits.bytes)
        guard result.status == 0 else {
            throw Refusal(
                reason: "its signature does not lead to anybody in \(trustPath), or does not match its content")
        }
        guard let content = CMSMessage.content(of: bytes), content == result.output else {
            throw Refusal(reason: "what was signed is not what is read of it")
        }
        // The signature holds; what the signer is called is only shown.
        let certificates = ["cms", "-verify", "-inform", format, "-in", message, "-noverify", "-signer", "/dev/stdout"]
        guard let signer = try? run(certificates + ["-out", "/dev/null"], files: [bytes]), signer.status == 0,
            let subject = try? run(
                ["x509", "-noout", "-subject", "-nameopt", "RFC2253,utf8,-esc_msb"],
                input: signer.output, files: []), subject.status == 0
        else { return "unnamed" }
        let line = subject.output.prefix { $0 != 0x0a }
        let prefix = Array("subject=".utf8)
        let name = line.starts(with: prefix) ? line.dropFirst(prefix.count) : line
        return String(validating: name, as: UTF8.self).flatMap { $0.isEmpty ? nil : $0 } ?? "unnamed"
    }
}
