import MDPlatform
package import MDPolicyModel
package import MDPolicyStore

/// Signatures of `ssh-keygen -Y`, made for a purpose: one of another purpose does not count.
package enum SSHSignature {
    /// The first and the last line of a signature.
    package static let begin = "-----BEGIN SSH SIGNATURE-----"
    package static let end = "-----END SSH SIGNATURE-----"
    /// The most bytes of a signature.
    package static let sizeLimit = 1 << 20
    /// The most names of one key that are tried.
    private static let nameLimit = 16
    /// How long signing may take, in milliseconds; a key on a token waits for a touch.
    private static let timeout = 60_000

    /// Signs bytes.
    ///
    /// - Parameters:
    ///   - bytes: what is signed.
    ///   - key: the path of the key, in the file system of the caller; for a public one, the agent signs.
    ///   - namespace: the purpose.
    /// - Returns: the signature with its armour.
    /// - Throws: why there is none, as a clause.
    package static func sign(_ bytes: [UInt8], key: String, namespace: String) throws(OperationError) -> [UInt8] {
        let agent = Environment.values(of: ["SSH_AUTH_SOCK"])["SSH_AUTH_SOCK"].map { ["SSH_AUTH_SOCK=\($0)"] } ?? []
        let result: SubprocessResult
        do throws(SystemError) {
            result = try Subprocess.run(
                SignatureVerifier.ssh.program, ["-Y", "sign", "-q", "-n", namespace, "-f", key], input: bytes,
                variables: agent, timeoutMilliseconds: timeout, limit: sizeLimit)
        } catch {
            throw OperationError(error)
        }
        guard result.status == 0, result.output.starts(with: begin.utf8) else {
            throw OperationError(
                "ssh-keygen does not sign with this key: it cannot be read, is none, or needs a passphrase that no agent has"
            )
        }
        return result.output
    }

    /// What a list of signers says of a signature.
    package enum Answer: Hashable, Sendable {
        /// A signer of the list signed exactly these bytes for this purpose.
        case signed(by: String)
        /// Nobody in the list has the key, or its time is over.
        case unknownKey
        /// Somebody in the list has the key, and it is a signature of other bytes or for another purpose.
        case unfit
    }

    /// Finds the signer of bytes.
    ///
    /// - Parameters:
    ///   - bytes: what should be signed.
    ///   - signature: the signature.
    ///   - signers: the trusted signers, as ssh-keygen(1) lists them.
    ///   - namespace: the purpose.
    /// - Returns: the answer.
    /// - Throws: if the program could not be run, so that nothing is known.
    package static func signer(
        of bytes: [UInt8], _ signature: [UInt8], among signers: [UInt8], namespace: String
    ) throws(SignatureVerifier.Refusal) -> Answer {
        let found = try SignatureVerifier.ssh.run(
            ["-Y", "find-principals", "-s", Subprocess.filePath(1), "-f", Subprocess.filePath(0)],
            files: [signers, signature])
        let names = found.output.split { $0 == 0x0a || $0 == 0x0d }.compactMap { line -> String? in
            line.split(separator: UInt8(ascii: ",")).first { $0.first != UInt8(ascii: "!") }
                .flatMap { String(validating: $0, as: UTF8.self) }
        }
        guard found.status == 0, !names.isEmpty else { return .unknownKey }
        for name in names.prefix(nameLimit)
        where try isSigned(bytes, signature, by: name, among: signers, namespace: namespace) {
            return .signed(by: name)
        }
        return .unfit
    }

    /// Whether the signer of a name has signed bytes.
    package static func isSigned(
        _ bytes: [UInt8], _ signature: [UInt8], by name: String, among signers: [UInt8], namespace: String
    ) throws(SignatureVerifier.Refusal) -> Bool {
        let verify = [
            "-Y", "verify", "-f", Subprocess.filePath(0), "-I", name, "-n", namespace, "-s", Subprocess.filePath(1),
        ]
        return try SignatureVerifier.ssh.run(verify, input: bytes, files: [signers, signature]).status == 0
    }
}
