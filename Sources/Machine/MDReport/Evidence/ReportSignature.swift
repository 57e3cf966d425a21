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
        do throws(SignatureVerifier.Refusal) {
            let found = try SignatureVerifier.ssh.run(
                ["-Y", "find-principals", "-s", Subprocess.filePath(1), "-f", Subprocess.filePath(0)],
                files: [signers, signature])
            let names = found.output.split { $0 == 0x0a || $0 == 0x0d }.compactMap { line -> String? in
                line.split(separator: UInt8(ascii: ",")).first { $0.first != UInt8(ascii: "!") }
                    .flatMap { String(validating: $0, as: UTF8.self) }
            }
            guard found.status == 0, !names.isEmpty else {
                return .bad("nobody in the list of signers has the key that signed it, or its time is over")
            }
            for name in names.prefix(16) where try isSigned(bytes, signature, by: name, signers) {
                return .good(signer: name)
            }
            return .bad(
                "the signature does not fit: the report was changed after signing, or it was made for something else")
        } catch {
            return .bad(error.reason)
        }
    }
    /// Checks that the machine that a report is of has signed it, or a collector.
    ///
    /// - Parameters:
    ///   - bytes: the report.
    ///   - signature: its signature; `nil` if there is none.
    ///   - signers: the trusted signers.
    ///   - host: the host that the report says to be of.
    /// - Returns: what the signature proves.
    package static func check(
        _ bytes: [UInt8], signature: [UInt8]?, signers: ReportSigners, host: String
    ) -> Finding {
        guard let signature else { return .unsigned }
        do throws(SignatureVerifier.Refusal) {
            // Each name is checked by the lines that have exactly this name, so that no pattern is a machine's name.
            for name in signers.names(for: host) {
                if try isSigned(bytes, signature, by: name, signers.lines(of: name)) { return .good(signer: name) }
            }
        } catch {
            return .bad(error.reason)
        }
        let finding = check(bytes, signature: signature, signers: signers.list)
        guard case .good(let name) = finding else { return finding }
        return .bad("it is signed by \(name), and says it is of \(host)")
    }

    /// Whether the signer of a name has signed a report.
    private static func isSigned(
        _ bytes: [UInt8], _ signature: [UInt8], by name: String, _ signers: [UInt8]
    ) throws(SignatureVerifier.Refusal) -> Bool {
        let verify = [
            "-Y", "verify", "-f", Subprocess.filePath(0), "-I", name, "-n", namespace, "-s", Subprocess.filePath(1),
        ]
        return try SignatureVerifier.ssh.run(verify, input: bytes, files: [signers, signature]).status == 0
    }
}
