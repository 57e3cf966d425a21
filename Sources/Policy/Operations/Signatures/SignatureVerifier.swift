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

    /// Who signed.
    struct Signer {
        /// The name, as the tool or the list of signers has it.
        let name: String
        /// The moment from which on it has to be asked again, because a key or a certificate ends.
        var until: Timestamp?
    }

    /// Why a signature does not count.
    struct Refusal: Error {
        /// Why, as a clause.
        let reason: String
        /// Whether the tool could not be asked, so that nothing is known of the signature.
        var isUnknown = false
        /// Whether there is no signature that could be wrong.
        var isUnsigned = false

        /// The refusal of something in the place of a signature that could not be read.
        static func unreadable(_ error: TrustError) -> Refusal {
            Refusal(reason: "its signature cannot be read: \(error)", isUnsigned: true)
        }
    }

    /// Asks the tool.
    ///
    /// - Parameters:
    ///   - bytes: what is signed; for ``cms`` the whole message.
    ///   - signature: the signature; nothing for ``cms``.
    ///   - trust: what says whom the machine trusts.
    /// - Returns: the signer.
    /// - Throws: why the signature does not count.
    func signer(of bytes: [UInt8], signature: [UInt8], trust: [UInt8]) throws(Refusal) -> Signer {
        switch self {
        case .ssh: try sshSigner(of: bytes, signature: signature, trust: trust)
        case .cms: try messageSigner(of: bytes, trust: trust)
        }
    }

    /// Runs the program.
    func run(
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
    private func sshSigner(of bytes: [UInt8], signature: [UInt8], trust: [UInt8]) throws(Refusal) -> Signer {
        let (signers, sig) = (Subprocess.filePath(0), Subprocess.filePath(1))
        let files = [trust, signature]
        let found = try run(["-Y", "find-principals", "-s", sig, "-f", signers], files: files)
        let names = SignatureVerifier.names(in: found.output).prefix(SignatureVerifier.signerLimit)
        let now = Clock.now()
        guard found.status == 0, !names.isEmpty else {
            throw Refusal(reason: "nobody in \(trustPath) has the key that signed it, or its time is over")
        }
        for (name, principals) in names {
            let verify = ["-Y", "verify", "-f", signers, "-I", name, "-n", SignatureVerifier.namespace, "-s", sig]
            guard try run(verify, input: bytes, files: files).status == 0 else { continue }
            return Signer(name: name, until: AllowedSigners(trust).end(of: principals, after: now))
        }
        throw Refusal(
            reason: "its signature does not match its content, or is not meant for \(SignatureVerifier.namespace)")
    }

    /// The names of signers that the tool found: of each line of the list, the first name that is not excluded, and all
    /// of it.
    private static func names(in output: [UInt8]) -> [(name: String, principals: String)] {
        output.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).compactMap { line in
            let names = line.split(separator: UInt8(ascii: ",")).filter { $0.first != UInt8(ascii: "!") }
            guard let name = names.first.flatMap({ String(validating: $0, as: UTF8.self) }) else { return nil }
            return (name, String(decoding: line, as: UTF8.self))
        }
    }

    /// Whether a list names anybody who may sign, as far as its form tells.
    func namesAnybody(_ bytes: [UInt8]) -> Bool {
        switch self {
        case .ssh: !AllowedSigners(bytes).lines.isEmpty
        case .cms:
            bytes.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).contains { line in
                line.starts(with: "-----BEGIN ".utf8) && line.suffix(16).elementsEqual("CERTIFICATE-----".utf8)
            }
        }
    }
}
