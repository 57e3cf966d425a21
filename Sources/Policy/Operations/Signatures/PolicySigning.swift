import Platform

/// Signs policy with a key of whoever asks, by the tool that checks signatures.
package enum PolicySigning {
    /// The largest signature that is taken, in bytes: the largest one that is read.
    private static let sizeLimit = SignatureCheck.sizeLimit
    /// How long the tool may take, in milliseconds: an agent may ask its owner to touch the key.
    private static let patience = 60_000

    /// Makes the signature of a policy file.
    ///
    /// - Parameters:
    ///   - bytes: the policy file.
    ///   - key: the path of a private key without a passphrase, or of the public part of one that an agent holds.
    ///   - agent: the socket of the agent; `nil` for none.
    /// - Returns: what belongs into the file beside it.
    /// - Throws: why there is none.
    package static func signature(of bytes: [UInt8], key: String, agent: String?) throws(OperationError) -> [UInt8] {
        // Nobody is asked for a passphrase: the tool would wait for an answer of a terminal that it does not have.
        var variables = ["SSH_ASKPASS=/bin/false", "SSH_ASKPASS_REQUIRE=force"]
        if let agent { variables.append("SSH_AUTH_SOCK=\(agent)") }
        let result: SubprocessResult
        do throws(SystemError) {
            result = try Subprocess.run(
                SignatureVerifier.ssh.program,
                ["-Y", "sign", "-n", SignatureVerifier.namespace, "-f", key], input: bytes, variables: variables,
                timeoutMilliseconds: patience, limit: sizeLimit)
        } catch {
            throw OperationError(error)
        }
        guard result.status == 0, result.output.starts(with: "-----BEGIN SSH SIGNATURE-----".utf8) else {
            throw OperationError(
                "ssh-keygen does not sign with \(key): it takes a private key that only its owner can read and that has no "
                    + "passphrase, or the public part of a key that an agent holds, whose socket SSH_AUTH_SOCK names")
        }
        return result.output
    }
}
