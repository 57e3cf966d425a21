import MDCare
import MDPlatform
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Signatures of reports, made and checked by `ssh-keygen -Y`, each in a file beside its report.
package enum ReportSignature {
    /// The purpose that a signature is made for: one of policy does not count for a report, nor the other way round.
    package static let namespace = "managed-defaults-report"
    /// What is added to the name of a report.
    package static let suffix = ".sig"
    /// The list of signers that a machine trusts.
    package static var trustPath: String { SignatureVerifier.ssh.trustPath }
    /// The most bytes of a signature and of a list of signers.
    package static let sizeLimit = 1 << 20
    /// How long the program may take, in milliseconds; a key on a token waits for a touch.
    private static let timeout = 60_000

    /// Signs a report.
    ///
    /// - Parameters:
    ///   - bytes: the report.
    ///   - key: the path of the key; for a public one, the agent signs.
    /// - Returns: the signature.
    /// - Throws: why there is none, as a sentence.
    package static func sign(_ bytes: [UInt8], key: String) throws(ReportFault) -> [UInt8] {
        let agent = Environment.values(of: ["SSH_AUTH_SOCK"])["SSH_AUTH_SOCK"].map { ["SSH_AUTH_SOCK=\($0)"] } ?? []
        let result: SubprocessResult
        do throws(SystemError) {
            result = try Subprocess.run(
                SignatureVerifier.ssh.program, ["-Y", "sign", "-q", "-n", namespace, "-f", key], input: bytes,
                variables: agent, timeoutMilliseconds: timeout, limit: sizeLimit)
        } catch {
            throw ReportFault("the report could not be signed: \(error)")
        }
        guard result.status == 0, result.output.starts(with: "-----BEGIN SSH SIGNATURE-----".utf8) else {
            throw ReportFault(
                "ssh-keygen does not sign with this key: it cannot be read, is none, or needs a passphrase that no agent has"
            )
        }
        return result.output
    }

    /// What a signature proves.
    package enum Finding: Hashable, Sendable {
        /// A signer of the list signed exactly this report.
        case good(signer: String)
        /// It is of another report, for another purpose, or by a signer who is not on the list.
        case bad(String)
        /// There is no signature.
        case unsigned
        /// There is a signature, and no list of signers.
        case noSigners
    }

    /// Checks a signature.
    ///
    /// - Parameters:
    ///   - bytes: the report.
    ///   - signature: the signature; `nil` if there is none.
    ///   - signers: the list of trusted signers, as ssh-keygen(1) has it; `nil` if there is none.
    /// - Returns: what it proves.
    package static func check(_ bytes: [UInt8], signature: [UInt8]?, signers: [UInt8]?) -> Finding {
        guard let signature else { return .unsigned }
        guard let signers else { return .noSigners }
        let (list, file) = (Subprocess.filePath(0), Subprocess.filePath(1))
        do throws(SignatureVerifier.Refusal) {
            let found = try SignatureVerifier.ssh.run(
                ["-Y", "find-principals", "-s", file, "-f", list], files: [signers, signature])
            let names = found.output.split { $0 == 0x0a || $0 == 0x0d }.compactMap { line -> String? in
                line.split(separator: UInt8(ascii: ",")).first { $0.first != UInt8(ascii: "!") }
                    .flatMap { String(validating: $0, as: UTF8.self) }
            }
            guard found.status == 0, !names.isEmpty else {
                return .bad("nobody in the list of signers has the key that signed it, or its time is over")
            }
            for name in names.prefix(16) {
                let verify = ["-Y", "verify", "-f", list, "-I", name, "-n", namespace, "-s", file]
                if try SignatureVerifier.ssh.run(verify, input: bytes, files: [signers, signature]).status == 0 {
                    return .good(signer: name)
                }
            }
            return .bad(
                "the signature does not fit: the report was changed after signing, or it was made for something else")
        } catch {
            return .bad(error.reason)
        }
    }
}
